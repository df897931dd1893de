"""Statistics for tests of reports: usual ones, hostile ones, and as large as can be."""

from __future__ import annotations

from typing import Final

from urisieve.lean import replace
from urisieve.sinks.statistics import Statistics
from urisieve.sinks.statistics.statistics import (
    CodeCount,
    CodeCounts,
    Funnel,
    HostCount,
    InputCounts,
    LinkCount,
    Merge,
    MergeExample,
    Merges,
    NameCount,
    Ranking,
    TimeCount,
    Timeline,
    TimeUnit,
)

__all__ = ["HOSTILE", "all_of", "busy", "ranking", "usual"]

# Texts that end what they stand in, run as scripts, ask for something, or look like another text. One that runs leaves
# its mark: `window.ran`.
HOSTILE: Final = (
    "<script>window.ran = 1</script>",
    '"><img src=x onerror="window.ran = 2">',
    "'><svg onload='window.ran = 3'>",
    "javascript:window.ran=4//",
    "</style><script>window.ran = 5</script>",
    "</title><script>window.ran = 6</script>",
    "]]><script>window.ran = 7</script>",
    "--><script>window.ran = 8</script><!--",
    "</textarea></svg></table></section><base href='http://evil.example/'>",
    "<iframe srcdoc='<script>parent.ran = 9</script>'></iframe>",
    "<link rel=stylesheet href=http://evil.example/a.css><style>@import 'http://evil.example/b.css'</style>",
    "<meta http-equiv=refresh content='0;url=http://evil.example/'>",
    "http://e.example/\u202egnp.exe",
    "http://e.example/\u2066a\u2067b\u2028c\u061cd",
    "http://e.example/\0nul\x1b]0;title\x07\x9b2J",
    "http://e.example/\ud800\udfff",
    "&lt;script&gt;&#60;b&#62;&amp;",
    "{{7*7}} ${7*7} `x` <%= 7 %>",
    "http://user:hush@e.example/<b>",
    "http://e.example/" + "\u0301" * 50,
)


def ranking(*counts: tuple[str | None, int], names: int = 0, total: int = 0) -> Ranking:
    """A ranking of names with their counts; of more names and identifiers in all if it says so."""
    rows = tuple(NameCount(name, count, min(count, 2)) for name, count in counts)
    shown = sum(count for _, count in counts)
    total = total or shown
    return Ranking(names=names or len(rows), total=total, rows=rows, others=total - shown)


def usual() -> Statistics:
    """Statistics as a small mailbox has them."""
    return Statistics(
        files=2,
        bytes=12_345,
        funnel=Funnel(1_300, 1_234, 800, 700, 690),
        kinds=ranking(("uri", 1_200), ("urn", 30), ("iri", 4)),
        schemes=ranking(("https", 1_000), ("http", 200), ("urn", 34)),
        hosts=replace(
            ranking(("evil.example", 700), ("a10.example", 90), ("a9.example", 90), ("B.example", 20), total=1_150),
            details=(HostCount(4, 7, "2024-05-01T02", "2024-05-31T13"), *(HostCount(1, 2),) * 3),
        ),
        links=(
            LinkCount("http://evil.example/", 600, 3, 2, "2024-05-01T02", "2024-05-31T13"),
            LinkCount("http://u:***@evil.example/", 90, 1, 1),
        ),
        domains=ranking(("evil.example", 700), ("[2001:db8::1]", 90)),
        namespaces=ranking(("isbn", 34)),
        sources=ranking(("mail.mbox", 1_000), (None, 234)),
        merges=Merges(
            merged=9,
            pairs=3,
            rules=(
                Merge(
                    "host-case",
                    "the host is in lower case",
                    9,
                    (MergeExample("http://EVIL.example/", "http://evil.example/", "http://evil.example/"),),
                ),
                Merge("default-port", "a default port is left out", 2),
            ),
            unexplained=1,
        ),
        rejections=CodeCounts(66, (CodeCount("bad-port", 66, "a port of `x`", ("http://evil.example:80x/",)),)),
        warnings=CodeCounts(
            3,
            (
                CodeCount("userinfo-present", 2, "user information", ("http://u:***@evil.example/",)),
                CodeCount("mixed-script", 1, "scripts", ("http://раypal.example/",)),
            ),
        ),
        timeline=Timeline(
            TimeUnit.DAY,
            (
                *(TimeCount(f"2024-05-{day:02}", day) for day in (1, 2, 3, 9, 10, 31)),
                *(TimeCount(f"--06-{day:02}", day) for day in (1, 3)),
            ),
            undated=7,
        ),
        input=InputCounts(
            kinds=(("mail", 1),),
            read=(("message", 12),),
            skipped=(("attachment", "binary", 2),),
            broken=(("header", "bad-encoding", 1),),
        ),
        notes=("registrable domains need the extra `domains`",),
    )


def busy() -> Statistics:
    """Statistics with more of everything than has room: names, bars, times."""
    hosts = [(f"host-{number}.example", 5_000 - 400 * number) for number in range(12)]
    long = f"{'label.' * 20}example"
    return replace(
        usual(),
        hosts=ranking(*hosts, (long, 150), (None, 7), names=700, total=60_000),
        links=(LinkCount(f"http://{long}/{long}", 1_000, 200, 12, "2024-02-28T01", "2024-03-19T12"),),
        sources=ranking((f"folder/{'x' * 100}.mbox", 1_000), ("a page http://e.example/", 3)),
        timeline=Timeline(
            TimeUnit.HOUR,
            (
                *(TimeCount(f"2024-02-{day}T{hour:02}", day * hour) for day in (28, 29) for hour in (1, 2, 3, 23)),
                TimeCount("2024-03-01T00", 2),
                TimeCount("2024-03-02T00", 0),
                *(TimeCount(f"2024-03-{day:02}T12", 1) for day in range(5, 20)),
            ),
            undated=1,
        ),
        notes=("a note " * 20, "another of `two`"),
    )


def all_of(texts: tuple[str, ...], *, count: int = 1, unit: TimeUnit = TimeUnit.DAY) -> Statistics:
    """Statistics in which every text is one of these, or all of them."""
    rows = ranking(*((text, count) for text in texts))
    first = texts[0]
    codes = CodeCounts(count * len(texts), tuple(CodeCount(text, count, text, texts[:5]) for text in texts))
    pairs = tuple(MergeExample(text, text, text) for text in texts[:5])
    return Statistics(
        files=count,
        bytes=count,
        funnel=Funnel(count, count, count, count, count),
        kinds=rows,
        schemes=rows,
        hosts=replace(rows, details=(HostCount(1_000_000, 1_000_000, texts[0], texts[-1]),) * len(texts)),
        links=tuple(LinkCount(text, count, count, count, text, text) for text in texts),
        domains=rows,
        namespaces=rows,
        sources=rows,
        templates=replace(rows, examples=(texts[:3],) * len(texts)),
        merges=Merges(count, count, tuple(Merge(text, text, count, pairs) for text in texts), count),
        rejections=codes,
        warnings=codes,
        timeline=Timeline(unit, tuple(TimeCount(text, count) for text in texts), count),
        input=InputCounts(
            kinds=tuple((text, count) for text in texts),
            skipped=tuple((text, first, count) for text in texts),
        ),
        notes=texts,
    )
