"""Where each link of a text is: its line, its column, its offsets."""

from urisieve import extract

text = "First line.\nSee http://a.example/x, then\n<urn:isbn:0-395-36341-1>."
for record in extract(text):
    assert text[record.start : record.end] == record.raw
    print(record.line, record.column, record.start, record.uri)
# prints:
# 2 5 16 http://a.example/x
# 3 2 42 urn:isbn:0395363411
