"""A namespace of URNs of one's own, in which case does not count."""

from urisieve import Namespace, Options, equivalent
from urisieve.testing import check_row

parts = Namespace(
    name="parts",
    title="parts of machines",
    reference="Manual, 4",
    syntax="(?P<number>[A-Za-z0-9]{1,8})",
    equivalence="The case of letters does not count.",
    form=str.upper,
    same=(("urn:parts:ab1", "urn:parts:AB1"),),
    different=(("urn:parts:ab1", "urn:parts:ab2"),),
)
check_row(parts)
print(equivalent("urn:parts:ab1", "URN:PARTS:AB1", options=Options(rules=parts)))
# prints:
# True
