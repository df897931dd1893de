"""The links of many texts, each on its own; and of one text that comes in pieces."""

from urisieve import UsageError, extract, extract_each

lines = ["see http://a.example/x", "next line", "and http://b.example/"]
print([[record.uri for record in records] for records in extract_each(lines)])
print([record.uri for record in extract(iter(["see http://a.exa", "mple/x here"]))])
try:
    extract(lines)  # type: ignore[arg-type] # many texts are not one
except UsageError as error:
    print("extract_each" in str(error))
# prints:
# [['http://a.example/x'], [], ['http://b.example/']]
# ['http://a.example/x']
# True
