"""Files of strangers: what is beyond a limit is left out, and counted."""

import gzip

from urisieve import ReadingOptions, Tally, extract_blocks
from urisieve.options import Limits

bomb = gzip.compress(b"http://a.example/ " + bytes(10_000_000))
reading, tally = ReadingOptions(limits=Limits(ratio=10, stream_allowance=1_000_000)), Tally()
records = extract_blocks(
    "a.gz", bomb, reading=reading, tally=tally, on_error=lambda name, error: print(name, error.reason)
)
print(len(list(records)), tally.broken["gzip", "ratio-limit"])
# prints:
# a.gz ratio-limit
# 1 1
