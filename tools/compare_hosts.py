"""Ask the parsers of links at hand which host they read, and compare it with that of the records of urisieve.

    python tools/compare_hosts.py --strings 100000                        tables, and examples of what differs
    python tools/compare_hosts.py --strings 10000000 --state hosts.json   a long run, which the same command continues

Hostile links are made from a seed. Of each valid one the canonical URI is given to all parsers, and the text itself
where it is not canonical. Where a text is not valid as a whole, the link found at its start is compared with what
the parsers read from all of it.
Returns 1 if a parser reads another host from a canonical URI of the web, and the record does not say so by the warning
`hosts-disagree` with that host among its alternatives.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from hosts.comparison import COLUMNS, TABLES, Counts, Disagreement, compare
from hosts.hostile_links import hostile_links
from hosts.parsers import HostParser, host_parsers

# So many strings go through each parser at once; a run that is ended loses no more.
_ROUND = 50_000
_MOST_SHOWN = 40


def main(argv: list[str]) -> int:
    """Compare, and return the status of the command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--strings", type=int, default=100_000, help="hostile links in all (100000 by default)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--state", type=Path, metavar="FILE", help="where counts are kept, to go on from")
    parser.add_argument("--only", metavar="PARSER", action="append", default=[], help="ask this parser alone")
    given = parser.parse_args(argv)
    found, lacking = host_parsers()
    parsers = [one for one in found if not given.only or one.name in given.only]
    for message in lacking:
        print(f"not asked: {message}")
    print("asked: " + ", ".join(f"{one.name} {one.version}" for one in parsers), flush=True)
    counts = _kept(given.state, given.seed, parsers)
    begun, start = counts.strings, time.monotonic()
    silent: list[Disagreement] = []
    while counts.strings < given.strings:
        stop = min(given.strings, counts.strings + _ROUND)
        strings = list(hostile_links(given.seed, counts.strings, stop))
        silent += [one for one in compare(strings, parsers, counts) if one.table == "canonical" and not one.is_named]
        if given.state is not None:
            _keep(given.state, given.seed, parsers, counts)
        took = time.monotonic() - start
        print(f"{counts.strings:,} strings, {counts.valid:,} valid, {took:.0f} s", file=sys.stderr, flush=True)
    print(f"seed {given.seed}, {counts.strings:,} strings, {counts.valid:,} valid", end="")
    print(f", {time.monotonic() - start:.0f} s for {counts.strings - begun:,}")
    print("\n".join(_report(counts, [one.name for one in parsers])))
    for one in silent[:_MOST_SHOWN]:
        print(f"SILENT {one.parser}: {one.text!r} read as {one.host!r}; the record has {one.record.warnings}")
    told = counts.columns
    return int(any(told["canonical", one.name, way] for one in parsers for way in ("warned", "silent")))


def _kept(path: Path | None, seed: int, parsers: list[HostParser]) -> Counts:
    """Return the counts that a file has; none where there is no file."""
    if path is None or not path.exists():
        return Counts()
    kept = json.loads(path.read_text("utf-8", "surrogateescape"))
    if (kept["seed"], kept["parsers"]) != (seed, _versions(parsers)):
        sys.exit(f"{path} is of another seed or of other parsers: {kept['seed']}, {', '.join(kept['parsers'])}")
    return Counts.of(kept)


def _keep(path: Path, seed: int, parsers: list[HostParser], counts: Counts) -> None:
    beside = path.with_name(f"{path.name}.new")
    kept = {"seed": seed, "parsers": _versions(parsers), **counts.as_dict()}
    beside.write_text(json.dumps(kept, ensure_ascii=True), "utf-8")
    os.replace(beside, path)


def _versions(parsers: list[HostParser]) -> list[str]:
    return [f"{one.name} {one.version}" for one in parsers]


def _report(counts: Counts, parsers: list[str]) -> Iterator[str]:
    """Yield the lines of the tables, and of examples."""
    for table, title in TABLES.items():
        yield f"\n{title}\n"
        yield f"| parser | {' | '.join(COLUMNS)} |"
        yield f"| --- |{' ---: |' * len(COLUMNS)}"
        for name in parsers:
            yield f"| {name} | {' | '.join(f'{counts.columns[table, name, one]:,}' for one in COLUMNS)} |"
        kinds: dict[str, dict[str, int]] = {}
        for (of, kind, name, told), number in sorted(counts.kinds.items()):
            if of == table:
                ways = kinds.setdefault(kind, {"told": 0, "warned": 0, "silent": 0})
                ways[told] += number
                ways[name] = ways.get(name, 0) + number
        for kind, numbers in kinds.items():
            yield f"\n{kind}: " + ", ".join(f"{name} {number:,}" for name, number in numbers.items())
            for told in ("told", "warned", "silent"):
                for text, uri, name, host in counts.examples.get((table, kind, told), []):
                    yield f"    {told}: {name}: {text!r} -> {host!r}, not that of {uri!r}"
        codes = sorted(((number, code) for (of, code), number in counts.codes.items() if of == table), reverse=True)
        yield "\nwarnings of these records: " + ", ".join(f"{code} {number:,}" for number, code in codes)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
