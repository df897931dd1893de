"""Records as JSON, and back."""

import json

from urisieve import Record, extract

records = list(extract("see HTTP://A.example and urn:isbn:0-395-36341-1"))
text = json.dumps([dict(record) for record in records])
print([Record.from_dict(row) for row in json.loads(text)] == records, json.loads(text)[0]["uri"])
# prints:
# True http://a.example/
