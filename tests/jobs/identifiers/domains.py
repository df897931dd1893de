"""How many links there are of each domain that can be registered."""

from collections import Counter

from urisieve import extract

text = "http://www.a.co.uk/ http://b.a.co.uk/x https://c.example.com/ http://127.0.0.1/ urn:isbn:0395363411"
print(Counter(record.domain for record in extract(text)).most_common())
# prints:
# [('a.co.uk', 2), (None, 2), ('example.com', 1)]
