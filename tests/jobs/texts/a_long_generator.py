"""A text that no memory could hold: its pieces are searched as they come."""

from collections.abc import Iterator

from urisieve import extract


def pieces() -> Iterator[str]:
    """Yield 2 GB of text, of which as much is made as is asked for."""
    for number in range(31_250):
        yield f"see http://a.example/{number} " + 2_978 * "and so on and so forth "


records = extract(pieces())
print(next(records).uri, [next(records).uri for _ in range(40)][-1])
# prints:
# http://a.example/0 http://a.example/40
