"""A scheme of one's own, found in text and judged."""

from urisieve import Options, Scheme, extract, is_valid

shelf = Scheme(
    name="shelf",
    title="a shelf",
    reference="Manual, 3",
    syntax="[a-z]{2,16}/[0-9]{1,6}",
    shape="[a-z]{2,16}/[0-9]{1,6}(?![0-9a-z])",
)
options = Options(rules=shelf)
print([record.uri for record in extract("look at shelf:north/7, not at shelf:7", options=options)])
print(is_valid("shelf:north/x", options=options))
# prints:
# ['shelf:north/7']
# False
