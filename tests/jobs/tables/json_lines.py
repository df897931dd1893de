"""A field of JSON lines: rows with a link that was there before are left out."""

import json

from urisieve import deduplicate

with open("samples/data/links.jsonl", encoding="utf-8") as lines:
    rows = [json.loads(line) for line in lines]
print(len(rows), [row["id"] for row in deduplicate(rows, field="url")])
# prints:
# 7 [1, 3, 4, 5, 6, 7]
