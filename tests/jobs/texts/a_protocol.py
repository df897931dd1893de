"""A protocol of asyncio that hands on the links of what it receives."""

import asyncio

from urisieve import Record, Scanner


class Links(asyncio.Protocol):
    """Prints the links of a connection."""

    def __init__(self) -> None:
        self.scanner = Scanner()

    def data_received(self, data: bytes) -> None:
        print([found.uri for found in self.scanner.feed(data.decode("ascii", "replace")) if isinstance(found, Record)])


protocol = Links()
for data in (b"see http://a.exam", b"ple/x and", b" more"):
    protocol.data_received(data)
# prints:
# []
# ['http://a.example/x']
# []
