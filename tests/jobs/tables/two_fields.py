"""Rows with the same two links, in the same fields, only once."""

from urisieve import deduplicate

rows = [
    {"from": "http://a.example", "to": "http://b.example/"},
    {"from": "http://b.example", "to": "http://a.example/"},
    {"from": "HTTP://a.example/", "to": "http://b.example:80"},
]
print(len(list(deduplicate(rows, field=("from", "to")))), len(list(deduplicate(rows, field="from"))))
# prints:
# 2 2
