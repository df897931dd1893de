"""A stream that is written again with other links, as far as it is decided."""

from urisieve import Record, Scanner

scanner, held, at = Scanner(), "", 0
for piece in ("get http://a.exam", "ple/x?key=1 now or ", "http://b.example/ then", None):
    held += piece or ""
    for found in scanner.close() if piece is None else scanner.feed(piece):
        if isinstance(found, Record):
            print(held[: found.start - at], found.replace(host="proxy.example").uri, sep="", end="")
            held, at = held[found.end - at :], found.end
    print(held[: scanner.decided - at], end="|")
    held, at = held[scanner.decided - at :], scanner.decided
# prints:
# get |http://proxy.example/x?key=1 now or |http://proxy.example/ |then|
