"""What each stage of a large run takes here: `python -m benchmarks.scale_stages FILE` prints figures as JSON.

Time is processor time on one core, of the first 64 MB of a text that is in rows of Parquet.
"""

from __future__ import annotations

import json
import sys
import time
import zlib
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from urisieve.arrow import Extractor

_MOST_BYTES = 64_000_000
_INFLATED = 8_000_000
_COLUMNS = ["start", "end", "raw", "uri", "key", "scheme", "host", "warnings"]


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    started = time.process_time()
    result = work()
    return time.process_time() - started, result


def measure(path: str) -> dict[str, float]:
    """Search, digest, write, read, and group the rows of a file."""
    pa.set_cpu_count(1)
    pages = pq.read_table(path)
    size = pc.binary_length(pages["text"])
    pages = pages.slice(0, max(1, min(pages.num_rows, int(_MOST_BYTES / pc.mean(size).as_py()))))
    text = b"".join(
        pages["text"].cast(pa.binary()).slice(0, max(1, int(_INFLATED / pc.mean(size).as_py()))).to_pylist()
    )
    deflated = zlib.compress(text)
    inflate, _ = _timed(lambda: zlib.decompress(deflated))
    extractor = Extractor(keep=["id"], columns=_COLUMNS, secret=bytes(32))
    extractor.reader(pages.slice(0, 100)).read_all()
    search, links = _timed(lambda: extractor.reader(pages).read_all())
    sink = pa.BufferOutputStream()
    write, _ = _timed(lambda: pq.write_table(links, sink, compression="zstd"))
    stored = sink.getvalue()
    return {
        "bytes": pc.sum(pc.binary_length(pages["text"])).as_py(),
        "identifiers": links.num_rows,
        "inflate": inflate / len(text),
        "search": search,
        "write": write,
        "stored": len(stored),
    }


if __name__ == "__main__":
    json.dump(measure(sys.argv[1]), sys.stdout)
