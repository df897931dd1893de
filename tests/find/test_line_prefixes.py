"""Lines with prefixes, as replies, comments and logs have them (K5), and links that the next line goes on (K12)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.helpers.doubling import assert_linear
from tests.helpers.marked_rows import Row, holds, sieved
from urisieve import Options, Record, extract

REMOVED = "whitespace-removed"
SHORTENED = "may-be-shortened"
JOINED = "https://a.example/b/c/d"
PREFIXES = (
    "> ", ">> ", "> > ", ">", "# ", "#", "## ", "// ", "//", "/// ", " * ", "* ", "; ", ";;; ", "| ", "% ", "%% ",
    "AS> ", "[INFO] ", "-- ", "- ", "+ ", '" ', "' ", ".. ", "REM ", "rem ", "dnl ", "! ", ": ", "$ ", "@ ",
    '.\\" ', "    # ", "\t// ", "> # ", "> > * ", "AS>> ", "> AS> ", "│ ", "• ",
)  # fmt: skip


def _bar(text: str) -> str:
    return text.replace("|", "¦")


@pytest.mark.parametrize("line_end", ["\n", "\r\n"], ids=repr)
@pytest.mark.parametrize("prefix", PREFIXES)
def test_the_same_prefix_goes_with_the_line_break(prefix: str, line_end: str) -> None:
    """K5."""
    marks = _bar(prefix)
    holds(Row(f"{marks}see <|https://a.example/b/{line_end}{marks}c/d|> x", "", JOINED, REMOVED, "<>", ""))
    holds(Row(f"x{line_end}{marks}<|https://a.example/b/{line_end}{marks}c/d|>", "", JOINED, REMOVED, "<>", ""))
    holds(
        Row(
            f"{marks}see <|https://a.example/b-{line_end}{marks}c/{line_end}{marks.rstrip()}{line_end}{marks}d|>",
            "a hyphen, and a line that is empty",
            "https://a.example/b-c/d",
            f"{REMOVED} hyphen-at-line-break",
            "<>",
            "https://a.example/bc/d",
        )
    )


ROWS = {
    "K5, a prefix": [
        Row("> see <|https://a.example/b\n> /c/d|> x", "", JOINED, REMOVED, "<>", ""),
        Row("# see <|https://a.example/b\n# #c|> x", "a sign of the link", "https://a.example/b#c", REMOVED, "<>", ""),
        Row("> see <|https://a.example/b/\n>   c/d|> x", "indented", JOINED, REMOVED, "<>", ""),
        Row(">> see <|https://a.example/b/\n> > c/d|> x", "the same depth", JOINED, REMOVED, "<>", ""),
        Row("/* see <|https://a.example/b/\n * c/d|> x */", "a comment of C", JOINED, REMOVED, "<>", ""),
        Row("/** see <|https://a.example/b/\n    c/d|> x */", "without marks", JOINED, REMOVED, "<>", ""),
        Row("int x;  // see <|https://a.example/b/\n        // c/d|>", "behind code", JOINED, REMOVED, "<>", ""),
        Row("> <|urn:example:a\n> b|>", "", "urn:example:ab", REMOVED, "<>", ""),
        Row("> <URL:|https://a.example/b/\n> c/d|>", "", JOINED, REMOVED, "<>", ""),
        Row("> <|mailto:joe\n> @e.example|>", "", "mailto:joe@e.example", REMOVED, "<>", ""),
        Row("> see <|https://a.example/b/|\n> > wrote", "the closer", warnings="", wrappers="<>", alternatives=""),
        Row("> see <|https://a.example/b/\n> c|>\n> > wrote", "", "https://a.example/b/c", REMOVED, "<>", ""),
        Row(f"{'x ' * 40}\n> see <|https://a.example/b/\n> c/d|>", "", JOINED, REMOVED, "<>", ""),
        Row(
            "> see <|https://a.example/b c/\n> d e|>", "blanks of the text are encoded", "https://a.example/b%20c/d%20e",
            options=Options(repair="encode"),
        ),
    ],
    "K5, the next line begins otherwise": [
        Row("> see <|https://a.example/b/\nc/d|> x", "", JOINED, REMOVED, "<>", "https://a.example/b/"),
        Row("[INFO] see <|https://a.example/b/\nc/d|> x", "", JOINED, REMOVED, "<>", "https://a.example/b/"),
        Row("# see <|https://a.example/b/|\n// c/d> x", "", None, SHORTENED, "-", JOINED),
        Row("> see <|https://a.example/b/|\n>> c/d> x", "deeper", None, SHORTENED, "-", JOINED),
        Row("see <|https://a.example/b/|\n> c/d> x", "no prefix before", None, SHORTENED, "-", JOINED),
        Row("see <|https://a.example/b/|\n# c/d> x", "", None, SHORTENED, "-", JOINED),
        Row("see <|https://a.example/b/|\n¦ c/d> x", "", None, SHORTENED, "-", JOINED),
        Row(f"{'x ' * 60}<|https://a.example/b/|\n> c/d> x", "too far away", None, SHORTENED, "-", JOINED),
    ],
    "K5, literals": [
        Row("('see <|https://a.example/b/|'\n'c.html>')", "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row('("see <|https://a.example/b/|"\n "c.html>")', "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row("f'see <|https://a.example/b/|' +\n  f'c.html>'", "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row('"see <|https://a.example/b/|" .\n"c.html>"', "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row("['see <|https://a.example/b/|',\n 'c.html>']", "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row('x = "<|https://a.example/b/|" \\\n    "c/d>"', "a backslash", None, SHORTENED, "-", JOINED),
        Row("x = '<|https://a.example/b/|'\t\\\n    'c/d>'", "a backslash", None, SHORTENED, "-", JOINED),
        Row('x = u"<|https://a.example/b/|" \\\r\n    u"c/d>"', "a backslash", None, SHORTENED, "-", JOINED),
        Row('x = "<|https://a.example/b/|"\\\n"c/d>"', "a backslash", None, SHORTENED, "-", JOINED),
        Row('x = "<|https://a.example/b/|" \\ "c/d>"', "no line break", warnings="", alternatives=""),
        Row('x = "<|https://a.example/b/|" \\\n c/d>', "no literal", warnings="", alternatives=""),
        Row("'<|https://a.example/b|'\n'/c'\n'/d>'", "three", None, SHORTENED, "-", JOINED),
        Row("('<|https://a.example/b|',\r\n '/c',\r\n '/d>')", "three", None, SHORTENED, "-", JOINED),
        Row('"<|https://a.example|"\\\n u"/b"  \\\n u"/c"\n"/d>"', "four", None, SHORTENED, "-", JOINED),
        Row("'<|https://a.example/b|'\n'/c'\n'/d'", "nothing closes", warnings="", alternatives=""),
        Row("'<|https://a.example/b|'\n'/c'\n\"/d>\"", "other quotation marks", warnings="", alternatives=""),
        Row("'<|https://a.example/b|'\n'/c'\n'<|https://a.example/d|>'", "another", warnings="", alternatives=""),
        Row("'<|https://a.example/b|'\n'/c'\n\n'/d>'", "an empty line", warnings="", alternatives=""),
        Row("<|https://a.example/b/'c\n'd|>", "in a word", "https://a.example/b/'c'd", REMOVED, "<>", ""),
    ],
    "K5, marks without the blank of the first line": [
        Row("# <|https://a.example/b\n#frag|>", "", "https://a.example/bfrag", REMOVED, "<>", "https://a.example/b#frag"),
        Row("// <|https://a.example/b\n//c|>", "", "https://a.example/bc", REMOVED, "<>", "https://a.example/b//c"),
        Row("# <|https://a.example/b\n#\n#c|>", "", "https://a.example/bc", REMOVED, "<>", "https://a.example/b#c"),
        Row("/* <|https://a.example/b\n *c|>", "", "https://a.example/bc", REMOVED, "<>", "https://a.example/b*c"),
        Row("# <|https://a.example/b\n# #c|>", "with it", "https://a.example/b#c", REMOVED, "<>", ""),
        Row("#<|https://a.example/b\n#c|>", "no line has it", "https://a.example/bc", REMOVED, "<>", ""),
        Row("> <|https://a.example/b\n>c|>", "a mark of replies", "https://a.example/bc", REMOVED, "<>", ""),
        Row("¦ <|https://a.example/b\n¦c|>", "no data", "https://a.example/bc", REMOVED, "<>", ""),
    ],
    "K5, a log": [
        Row(
            "2026-01-01 10:00:00 see <|https://a.example/b/\n2026-01-01 10:00:01 c/d|>", "",
            "https://a.example/b/2026-01-0110:00:01c/d", REMOVED, "<>", "https://a.example/b/",
        ),
        Row("1. <|https://a.example/b\n2. c|>", "", "https://a.example/b2.c", REMOVED, "<>", "https://a.example/b"),
        Row("12 <|https://a.example/b/\n2/c|>", "another form", "https://a.example/b/2/c", REMOVED, "<>", ""),
        Row("see <|https://a.example/b/\nsee|>", "no number", "https://a.example/b/see", REMOVED, "<>", ""),
    ],
    "K5, passwords": [
        Row("> <|http://u:4711\n0815@h.example/|>", "", "http://u:47110815@h.example/", wrappers="<>", alternatives=""),
        Row("> <|http://u:4711\n> 0815@h.example/|>", "", "http://u:47110815@h.example/", alternatives=""),
        Row("✗http://u:4711_\n0815@h.example/✗ x", "", reasons="illegal-character"),
        Row("✗http://u:4711&\r\n0815@h.example/✗ x", "", reasons="illegal-character"),
        Row("> see ✗http://u:4711_\n> 0815@h.example/✗ x", "", reasons="illegal-character"),
        Row("'<✗http://u:4711'\n'0815@h/✗>'", "", reasons="illegal-character"),
        Row("'<✗http://u:4711'\n'0815@h/✗>' x@y.example", "", reasons="illegal-character"),
        Row("'<✗http://u:4711' \\\n'0815@h/✗>'", "", reasons="illegal-character"),
        Row("'<✗http://u:4711_'\n'0815@h/✗>'", "", reasons="illegal-character"),
        Row("'<✗http://u:47'\n'11'\n'0815@h/✗>'", "three", reasons="illegal-character"),
        Row("'<✗http://u:4711'\n'0815@h/✗' x", "nothing closes", reasons="illegal-character"),
        Row("x = 'see ✗http://u:4711_'\n'0815@h/✗'", "without a bracket", reasons="illegal-character"),
        Row("✗http://u:4711&\\0815@h.example/✗ x", "in one line", reasons="illegal-character"),
        Row("✗http://u:4711=<w@h.example/✗ x", "in one line", reasons="illegal-character"),
        Row("|http://u:4711|&< w@h.example x", "another word", warnings="text-follows"),
        Row("|http://u.example:4711|=<w@h.example/ x", "a host", warnings="text-follows"),
        Row("# <✗http://u:4711\n// 0815@h.example/✗>", "", reasons="bad-port"),
        Row("|http://h.example:4711|_\n0815@h.example/", "a host", warnings="text-follows"),
        Row("|http://u:4711|\n0815@h.example/", "nothing was cut", warnings="", alternatives=""),
        Row("|http://u:4711|_\n\n0815@h.example/", "an empty line", warnings="text-follows", alternatives=""),
        Row("|http://u:4711|_\nsee 0815@h.example/", "the second word", warnings="text-follows", alternatives=""),
        Row("**|http://u:4711|**\n0815@h.example/", "emphasis", warnings="", alternatives=""),
        Row("'see |http://u:4711|',\n'joe@h.example'", "a list", warnings="", alternatives=""),
        Row("<|http://u:4711|>\njoe@h.example", "", warnings="", wrappers="<>", alternatives=""),
        Row("<|http://u:4711/a\njoe@h.example|>", "a path", "http://u:4711/ajoe@h.example", REMOVED, "<>", ""),
        Row("> <|http://u:47\n11/|>", "a port", "http://u:4711/", REMOVED, "<>", "http://u:47/"),
    ],
    "K5, what stays": [
        Row("see <|https://a.example/b/\nc/d|> x", "", JOINED, REMOVED, "<>", ""),
        Row("see <|https://a.example/b\n/c/d|> x", "", JOINED, REMOVED, "<>", ""),
        Row("see <|https://a.example/b?\n  x=1\n  &y=2|> x", "", "https://a.example/b?x=1&y=2", REMOVED, "<>", ""),
        Row("(see <|https://a.example/b/\nc/d|>)", "an opener is no prefix", JOINED, REMOVED, "<>", ""),
        Row("- see <|https://a.example/b/\n  c/d|>", "an item of a list", JOINED, REMOVED, "<>", ""),
        Row("**see** <|https://a.example/b/\nc/d|>", "emphasis", JOINED, REMOVED, "<>", ""),
        Row("see <|https://a.example/b/|\n>", "the closer", warnings="", wrappers="<>", alternatives=""),
        Row("see <|https://a.example/b/|\n> and more", "the closer", warnings="", wrappers="<>", alternatives=""),
        Row("> see <|https://a.example/b/|> x\n> c/d> x", "", warnings="", wrappers="<>", alternatives=""),
        Row("> <|https://a.example/|\n> <|https://b.example/|>", "two", warnings="", wrappers="- <>"),
        Row("> see <|https://a.example/b|", "the end", warnings="", alternatives=""),
    ],
    "K12": [
        Row("see |https://a.example/b/|\nc/d?x=1 y", "", None, SHORTENED, "-", "https://a.example/b/c/d?x=1"),
        Row("> see |https://a.example/b/|\n> c/d y", "", None, SHORTENED, "-", JOINED),
        Row("AS> see |https://a.example/b/|\r\nAS> c/d y", "", None, SHORTENED, "-", JOINED),
        Row("# see |https://a.example/b/|\n# c.html, y", "", None, SHORTENED, "-", "https://a.example/b/c.html"),
        Row("|https://a.example/?x=1&|\ny=2 z", "", None, SHORTENED, "-", "https://a.example/?x=1&y=2"),
        Row("|https://a.example/?q=|\nabc z", "", None, SHORTENED, "-", "https://a.example/?q=abc"),
        Row("|https://a.example/x|?\na=b z", "", None, SHORTENED, "-", "https://a.example/x?a=b"),
        Row("|https://a.example/x_|\ny.html z", "", None, SHORTENED, "-", "https://a.example/x_y.html"),
        Row("|https://a.example/x-|\n  y.html. z", "", None, SHORTENED, "-", "https://a.example/x-y.html"),
        Row(
            f"{'x ' * 25}|https://a.example/|\n12345678-a z", "a long line", None, SHORTENED, "-",
            "https://a.example/12345678-a",
        ),
        Row("see |https://a.example/b/|\nc/d", "nothing behind it", None, SHORTENED, "-", JOINED),
        Row("see |https://a.example/b/|\nc/d/e y", "two slashes", None, SHORTENED, "-", "https://a.example/b/c/d/e"),
        Row("see |https://a.example/b/|\nc/2 y", "a number", None, SHORTENED, "-", "https://a.example/b/c/2"),
        Row("see |https://a.example/b/|\nc_d.html y", "", None, SHORTENED, "-", "https://a.example/b/c_d.html"),
        Row("|https://a.example/?b=|\n/c y", "no slash before", None, SHORTENED, "-", "https://a.example/?b=/c"),
        Row(f"{'x ' * 25}|https://a.example/b/|\nc/d y", "a long line", None, SHORTENED, "-", JOINED),
        Row("A=|https://a.example/?x=1&|\ny/2=z z", "no name", None, SHORTENED, "-", "https://a.example/?x=1&y/2=z"),
    ],
    "K12, the next line does not go on": [
        Row(f"{before}|{link}|{behind}", "", warnings="", alternatives="")
        for before, link, behind in (
            ("see ", "https://a.example/b/", "\nThe end"),
            ("see ", "https://a.example/b/", "\n\nc/d"),
            ("see ", "https://a.example/b/", "\nwell-known, too"),
            ("see ", "https://a.example/b/", "\nAddress: c/d"),
            ("see ", "https://a.example/b/", "\nb.example"),
            ("see ", "https://a.example/b/", "\njoe@e.example"),
            ("see ", "https://a.example/b/", "\n2001-02-03T04:05:06 x"),
            ("see ", "https://a.example/b/", "\n[2] c/d"),
            ("see ", "https://a.example/b/", "\n- c/d"),
            ("> see ", "https://a.example/b/", "\nc/d"),
            ("see ", "https://a.example/b/", "\n> c/d"),
            ("see ", "https://a.example/b/", " \nc/d"),
            ("see ", "https://a.example/", "\nc/d"),
            ("Have you seen ", "https://a.example/b", "?\nI have"),
            ("see ", "https://a.example/b", "\nc/d"),
            ("see ", "https://a.example/?a=", "\nThen"),
            ("12:30:01 ", "https://a.example/b/", "\n12:30:02 x"),
            ("(", "https://a.example/b/", ")\nc/d"),
            ("BASE_URL=", "https://a.example/v1/", "\nDB_HOST=x"),
            ("export A=", "https://a.example/v1/", "\nexport B_C=x"),
            ("# A=", "https://a.example/v1/", "\n# B_C=x"),
            ("A=", "https://a.example/?q=", "\nB=x"),
            ("see ", "https://a.example/b/", "\nand/or so"),
            ("see ", "https://a.example/b/", "\nand/or, so"),
            ("see ", "https://a.example/b/", "\nI/O error"),
            ("> see ", "https://a.example/b/", "\n> I/O error"),
            ("see ", "https://a.example/b/", "\nx86_64 is"),
            ("see ", "https://a.example/b/", "\n/usr/bin/foo is"),
            ("see ", "https://a.example/b/", "\n/usr"),
        )
    ]
    + [
        Row("|https://a.example/b/|\n|https://a.example/c/|\n|https://a.example/d/|\n", warnings="", alternatives=""),
        Row("|https://a.example/?a=|\n|https://a.example/?b=|\n", warnings="", alternatives=""),
        Row("|http://a.example/b-|\n|http://a.example/c|", warnings=SHORTENED, alternatives=""),
    ],
}  # fmt: skip


@pytest.mark.parametrize(
    "row", [pytest.param(row, id=f"{kind}-{number}") for kind, rows in ROWS.items() for number, row in enumerate(rows)]
)
def test_row(row: Row) -> None:
    holds(row)


@given(
    st.sampled_from(PREFIXES),
    st.lists(st.text(alphabet="abc01", min_size=1, max_size=6), min_size=2, max_size=5),
    st.sampled_from(["see ", "", "a b (see "]),
)
def test_a_joined_text_holds_no_prefix(prefix: str, words: list[str], before: str) -> None:
    lines = f"\n{prefix}".join(words)
    (found,) = sieved(f"{prefix}{before}<https://a.example/{lines}> x")
    assert isinstance(found, Record)
    assert (found.uri, found.wrapper) == (f"https://a.example/{''.join(words)}", "<>")


@given(st.text(alphabet="ab/=.-> #|<'\"\n\r:[]1", max_size=30), st.sampled_from(["> ", "# ", "", "AS> "]))
def test_cuts_change_nothing(text: str, prefix: str) -> None:
    sieved(f"{prefix}x <http://a.example/b{text}> http://b.example/c/{text}")


@pytest.mark.parametrize("unit", ["\n> a", "\n>", "\n# ", "\n> > a", "\n'a'", "\n| "], ids=repr)
@pytest.mark.parametrize("start", ["> <http://a.example/", "> http://a.example/a/"])
def test_the_time_is_linear(start: str, unit: str) -> None:
    options = Options(max_length=60_000_000)
    assert_linear(
        lambda text: list(extract(text, options=options)), lambda size: start + unit * (size // len(unit)), 100_000
    )


@pytest.mark.parametrize("unit", ["> <http://a.example/\n", "http://a.example/a/\n", "<http://a.example/a/\n> c/d>\n"])
def test_the_time_of_many_is_linear(unit: str) -> None:
    assert_linear(lambda text: list(extract(text)), lambda size: unit * (size // len(unit)), 100_000)
