"""A message that is in memory, such as one that was just received."""

from email.message import EmailMessage

from urisieve import extract_blocks

message = EmailMessage()
message["Subject"] = "See http://a.example/"
message.set_content("text: http://b.example/ü\n")
message.add_alternative('<a href="http://c.example/">x</a>', subtype="html")
print([(record.part, record.uri) for record in extract_blocks("new.eml", message.as_bytes())])
# prints:
# [('header:Subject', 'http://a.example/'), ('1', 'http://b.example/%C3%BC'), ('2', 'http://c.example/')]
