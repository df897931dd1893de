"""Count the records of generated texts after which something follows in silence, by what follows and by options.

    python tools/measure_ends.py 20000                        prints counts, and the shortest examples of each kind
    URISIEVE_PURE=1 python tools/measure_ends.py 20000        the same of the search in Python

Returns 1 if there is any.
"""

from __future__ import annotations

import argparse
import random
import sys
from collections import Counter, defaultdict
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tests.helpers.ends import Fault, end_faults
from tests.helpers.glued_texts import Glued, glued, named_options

_MOST_SHRUNK = 40


def main(argv: list[str]) -> int:
    """Count, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("texts", type=int, help="the number of texts")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--examples", type=int, default=20, help="how many to print of each kind")
    given = parser.parse_args(argv)
    source = random.Random(given.seed)
    records = 0
    kinds: Counter[str] = Counter()
    seen: dict[str, int] = {}
    by_option: dict[str, Counter[str]] = {"records": Counter(), "faults": Counter()}
    examples: dict[str, list[tuple[Glued, Fault]]] = defaultdict(list)
    for _ in range(given.texts):
        made = glued(source.choice)
        number, faults = end_faults(made.text, made.options, seen)
        records += number
        names = named_options(made.changed) or ("none",)
        for name in names:
            by_option["records"][name] += number
            by_option["faults"][name] += len(faults)
        for fault in faults:
            kinds[fault.kind] += 1
            examples[fault.kind].append((made, fault))
    faulty = sum(kinds.values())
    print(f"{given.texts:,} texts, {records:,} records, {faulty:,} faults ({faulty / max(1, records):.2%})")
    print("\nwhat ends a record otherwise: " + ", ".join(f"{name} {seen[name]:,}" for name in sorted(seen)))
    print("\nfaults by option (a text has several):")
    for name, number in sorted(by_option["records"].items()):
        faults_of = by_option["faults"][name]
        print(f"  {name:60} {faults_of:>7,} of {number:>7,} ({faults_of / max(1, number):.1%})")
    print("\nfaults by what follows:")
    for kind, number in kinds.most_common():
        print(f"  {kind:60} {number:>7,}")
    for kind, number in kinds.most_common():
        print(f"\n{kind} ({number:,}):")
        nearest = sorted(examples[kind], key=lambda one: len(one[0].text) + 10 * len(one[0].changed))
        lines = {_shown(*_shrunk(made, fault.kind)): None for made, fault in nearest[:_MOST_SHRUNK]}
        for line in sorted(lines, key=len)[: given.examples]:
            print(f"  {line}")
    return int(faulty > 0)


def _still(made: Glued, kind: str) -> Fault | None:
    return next((fault for fault in end_faults(made.text, made.options)[1] if fault.kind == kind), None)


def _shrunk(made: Glued, kind: str) -> tuple[Glued, Fault]:
    """Return a text of fewer pieces, and fewer options, that has the same fault."""
    for name in made.changed:
        fewer = made._replace(changed={other: value for other, value in made.changed.items() if other != name})
        if _still(fewer, kind):
            made = fewer
    for at in range(len(made.pieces) - 1, -1, -1):
        fewer = made._replace(pieces=(*made.pieces[:at], *made.pieces[at + 1 :]))
        if _still(fewer, kind):
            made = fewer
    fault = _still(made, kind)
    assert fault is not None
    return made, fault


def _shown(made: Glued, fault: Fault) -> str:
    record = fault.record
    said = f"{record.uri} [{' '.join(record.warnings)}]" + "".join(f" | {other}" for other in record.alternatives)
    return f"{made.text!r} {' '.join(named_options(made.changed))} -> {said}"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
