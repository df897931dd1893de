"""Ask urisieve and independent programs the same, and say why they disagree.

    python tools/compare_programs.py --cases 20000                     what nothing known explains, and counts
    python tools/compare_programs.py --suites FOLDER --texts FILE...   rows of suites and identifiers of files, too
    python tools/compare_programs.py --write docs/reference/differences.md

Asked is what is valid, what the components are, what a reference resolves to, what is the same, how IRIs and URIs, and
names and A-labels, are mapped, and what is found in a text. A disagreement is explained if a known difference
(`differential/known_differences.py`, `differential/known_equivalences.py`), or some together, make our answer theirs.
Returns 1 if one is not explained.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from differential import tables
from differential.generated_identifiers import found_in, kept_identifiers, suite_pairs, suite_texts
from differential.peers import peers
from differential.trial import KNOWN, compared, trial

_ROOT = Path(__file__).resolve().parent.parent
_MOST_SHOWN = 40


def main(argv: list[str]) -> int:
    """Compare, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--cases", type=int, default=5_000, help="generated cases (5000 by default)")
    parser.add_argument("--seed", type=int, default=random.randrange(1 << 32))
    parser.add_argument("--seconds", type=float, default=float("inf"))
    parser.add_argument("--suites", type=Path, metavar="FOLDER", help="ask about the rows of suites (JSON lines), too")
    parser.add_argument(
        "--texts", type=Path, nargs="+", default=[], metavar="FILE", help="and the identifiers of files"
    )
    parser.add_argument("--only", metavar="PROGRAM", help="ask this program alone")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="only write the known differences into this page")
    given = parser.parse_args(argv)
    asked = [peer for peer in peers() if given.only in (None, peer.name)]
    if given.write is not None:
        given.write.write_text(tables.written(given.write.read_text("utf-8"), KNOWN, asked), "utf-8")
        return 0
    texts = [text for path in given.texts for text in found_in(path)]  # first, as the time may end
    pairs: list[tuple[str, str]] = []
    if given.suites is not None:
        texts += suite_texts(given.suites)
        pairs = suite_pairs(given.suites)
    texts += kept_identifiers(_ROOT)
    print(f"seed {given.seed}; {len(texts):,} texts, {len(pairs):,} pairs", flush=True)
    comparison = compared(asked)
    start, shown = time.monotonic(), 0

    def progress(number: int) -> None:
        if number % 10_000 == 0:
            print(f"{number:,} cases in {time.monotonic() - start:.0f} s, {shown} unexplained", flush=True)

    for found in trial(comparison, given.cases, given.seed, texts, pairs, given.seconds, progress):
        shown += 1
        if shown <= _MOST_SHOWN:
            print(f"{found.question}, {found.peer}: {found.texts!r}", flush=True)
            print(f"  we   {found.ours!r}\n  they {found.theirs!r}", flush=True)
    print(f"{tables.counts(comparison, KNOWN)}\n\n{shown} unexplained, {time.monotonic() - start:.0f} s")
    return int(shown > 0)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
