"""Measure urisieve beside other tools: `python -m benchmarks --help`."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import NamedTuple

from benchmarks import (
    calls,
    carriers,
    command_costs,
    commands,
    cores,
    dedupe,
    documents,
    engines,
    library,
    links,
    live,
    memory,
    merging,
    normalization,
    options,
    rewriting,
    scale,
    sizes,
    spark,
    spark_growth,
    stages,
    start,
    text_figures,
)
from benchmarks.corpora import KINDS
from benchmarks.grid import slow_table
from benchmarks.machine import machine_line
from benchmarks.markdown import END, START, replaced
from benchmarks.real_texts import available
from benchmarks.settings import MEGABYTE, Settings

__all__ = ["PAGE", "SECTIONS", "main"]

_DESCRIPTION = """\
Measure urisieve beside other tools and print Markdown.

Texts are made from a seed, the same on every machine, or given. What is compared is run in turns, several times, and
medians count. Machines are noisy: compare ratios, which are taken in one run, rather than figures. Programs (rg, grep)
and packages (`pip install 'urisieve[bench]'`) that are not installed are left out. It needs a POSIX system."""

_EXAMPLES = """\
examples:
  python -m benchmarks
      every section, on a text of 32 MB of each kind; takes a good while
  python -m benchmarks --library --kind mail --size 8 --runs 3
      a first look after a change
  python -m benchmarks --profile --input big.log
      where the time goes on a text of yours
  python -m benchmarks --commands --size 1024 --keep texts
      texts of a gigabyte, kept for the next run
  python -m benchmarks --options --size 8 --runs 1 --without-real
      which options are over their bars, in a few minutes
  python -m benchmarks --page --write docs/benchmarks.md
      renew all tables of the page, in hours; with --size 4 --to 1 --memory-sizes 1 5 --runs 1 in minutes"""


class _Section(NamedTuple):
    """A part that can be asked for."""

    help: str
    report: Callable[[Settings], Iterator[str]]


SECTIONS = {
    "texts": _Section("what the texts have: links, addresses, names, signs; generated and real", text_figures.report),
    "commands": _Section("whole commands beside rg, grep and sort: speed, time, memory", commands.report),
    "library": _Section("the library in one process: records and JSON lines", library.report),
    "carriers": _Section("tables, JSON, XML, pages, archives, mail beside plain programs", carriers.report),
    "documents": _Section("documents of an office, books, PDF, chats beside what reads them", documents.report),
    "peers": _Section("link finders in Python: time, and how many valid links", links.report),
    "merging": _Section("steps and profiles of merging, beside other packages", merging.report),
    "normalization": _Section("normalization beside other packages: time, and right answers", normalization.report),
    "options": _Section("what options cost on texts: finding, judging, writing; other commands", options.report),
    "carrier-options": _Section("what options and formats cost in carriers", options.carrier_report),
    "sizes": _Section("sizes from 10 bytes to --to, beside re, rg and plain programs", sizes.report),
    "calls": _Section("what single calls of the library cost", calls.report),
    "costs": _Section("what commands cost beside a plain one", command_costs.report),
    "start": _Section("what starting costs", start.report),
    "rewrite": _Section("texts written back, beside re.sub, sed and rg", rewriting.report),
    "live": _Section("from a line to its result, beside grep and jq", live.report),
    "memory": _Section("peak memory of every kind: of the command and of the library", memory.report),
    "dedupe": _Section("deduplication beside sort and awk; counts beside --unique", dedupe.report),
    "engines": _Section("rows of Arrow beside the library, engines beside their bare pass", engines.report),
    "scale": _Section("what a run over 10 TB takes: measured stages, formulas, small trials", scale.report),
    "cores": _Section("what more cores give: one job, two, and by formula 16 and 64", cores.report),
    "spark": _Section("Spark on this machine beside the command (extra `spark`)", spark.report),
    "spark-growth": _Section("Spark as the work grows, and of files of many kinds", spark_growth.report),
    "profile": _Section("where the time goes, by stage", stages.report),
}


PAGE = (
    *("texts", "commands", "library", "options", "carrier-options", "sizes", "carriers", "documents", "costs", "calls"),
    *("merging", "peers", "normalization", "start", "memory"),
)
"""The sections of docs/benchmarks.md."""


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description=_DESCRIPTION,
        epilog=_EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    group = parser.add_argument_group("sections (all, unless some are named)")
    for name, section in SECTIONS.items():
        group.add_argument(f"--{name}", action="append_const", dest="sections", const=name, help=section.help)
    group.add_argument("--page", action="store_true", help="the sections of docs/benchmarks.md")
    group = parser.add_argument_group("texts")
    group.add_argument("--input", action="append", type=Path, default=[], metavar="FILE", help="measure this text")
    group.add_argument("--kind", action="append", choices=list(KINDS), default=[], help="make texts of these kinds")
    group.add_argument("--size", type=int, default=32, metavar="MB", help="size of texts made (default: %(default)s)")
    group.add_argument("--to", type=int, default=1_000, metavar="MB", help="where --sizes ends (default: %(default)s)")
    group.add_argument(
        "--memory-sizes", type=int, nargs=2, default=[50, 500], metavar="MB", help="those of --memory (default: 50 500)"
    )
    group.add_argument(
        "--without-real", action="store_true", help="no real texts, even where their slices are in ../shared/corpora"
    )
    group.add_argument("--keep", type=Path, metavar="FOLDER", help="keep the texts made here and use them again")
    group = parser.add_argument_group("measuring")
    group.add_argument("--runs", type=int, default=5, help="runs of each thing (default: %(default)s)")
    group.add_argument(
        "--seconds", type=float, default=5.0, help="the time of a slow link finder for one run (default: %(default)s)"
    )
    group.add_argument(
        "--write", type=Path, metavar="FILE", help=f"put the result into this document, between {START} and {END}"
    )
    return parser


def main(argv: list[str] | None = None) -> None:
    """Measure and print Markdown.

    Args:
        argv: the arguments; those of the process for None.
    """
    parser = _parser()
    asked = parser.parse_args(argv)
    if min(asked.size, asked.to, asked.runs, *asked.memory_sizes) < 1:
        parser.error("--size, --to, --memory-sizes and --runs begin at 1")
    if asked.write is not None:
        try:
            replaced(asked.write.read_text(encoding="utf-8"), "")
        except (OSError, ValueError) as error:
            parser.error(f"--write {asked.write}: {error}")
    with tempfile.TemporaryDirectory() as temporary:
        folder = asked.keep or Path(temporary)
        folder.mkdir(parents=True, exist_ok=True)
        settings = Settings(
            folder=folder,
            inputs=tuple(asked.input),
            kinds=tuple(asked.kind),
            size=asked.size * MEGABYTE,
            runs=asked.runs,
            largest=asked.to * MEGABYTE,
            seconds=asked.seconds,
            memory=tuple(asked.memory_sizes),
            real=available() and not asked.without_real,
        )
        blocks = [f"Measured on {machine_line()}; medians of {asked.runs} {'runs' if asked.runs > 1 else 'run'}."]
        print(blocks[0], flush=True)
        named = PAGE if asked.page else ()
        for name in dict.fromkeys((*named, *(asked.sections or ()))) or SECTIONS:
            for block in SECTIONS[name].report(settings):
                blocks.append(block)
                print(f"\n{block}", flush=True)
        if asked.page or settings.slow:
            blocks.append(slow_table(settings))
            print(f"\n{blocks[-1]}", flush=True)
    if asked.write is not None:
        document = asked.write.read_text(encoding="utf-8")
        asked.write.write_text(replaced(document, "\n\n".join(blocks)), encoding="utf-8")


if __name__ == "__main__":
    main()
