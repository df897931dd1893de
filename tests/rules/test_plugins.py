"""Rows of plug-ins: the sample as installed, what cannot be used, and what a start pays for looking."""

from __future__ import annotations

import os
import sys
import zipfile
from importlib.metadata import distributions
from pathlib import Path
from threading import Barrier, Thread

import pytest

from tests.helpers.folders import SAMPLES
from tests.helpers.installed import install_sample, run_with, write_distribution
from urisieve import Scheme
from urisieve.rules import plugins

TEXT = "at shelf:North/07/12 or (SHELF:a), urn:x-stock:2024-000137-8. See http://e.example/ and tel:+1-2\n"
FOUND = ["shelf:north/7/12", "urn:x-stock:20240001378", "http://e.example/", "tel:+12"]


@pytest.fixture(scope="module")
def sample(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return install_sample(tmp_path_factory.mktemp("sample"))


def test_the_command_knows_the_sample(sample: Path) -> None:
    done = run_with(sample, "-m", "urisieve", "extract", "--quiet", text=TEXT)
    assert (done.stdout.split(), done.stderr, done.returncode) == (FOUND, "", 0)
    without = run_with("", "-m", "urisieve", "extract", "--quiet", text=TEXT)
    assert without.stdout.split() == ["urn:x-stock:2024-000137-8", *FOUND[2:]]
    for flags in ([], ["--level", "scheme"]):
        done = run_with(sample, "-m", "urisieve", "normalize", *flags, "SHELF:North/007", "shelf:x")
        assert (done.stdout.split(), done.returncode) == (["shelf:north/7"], 1)
        assert "scheme-syntax" in done.stderr


def test_the_readme_of_the_sample_is_true(sample: Path) -> None:
    readme = (SAMPLES / "plugin" / "README.md").read_text("utf-8")
    _, typed, *printed, _ = readme[readme.index("$ pip") :].splitlines()
    text = typed.partition("'")[2].partition("'")[0]
    assert typed == f"$ echo '{text}' | urisieve extract"
    assert run_with(sample, "-m", "urisieve", "extract", "--quiet", text=text).stdout.split() == printed


LIBRARY = """
import pickle
import sys
import urisieve
assert "urisieve.rules.plugins" not in sys.modules
first, second = list(urisieve.extract("shelf:North/07/12 urn:x-stock:2024-000137-9"))
assert "importlib.metadata" not in sys.modules
assert first.parts == {"store": "north", "rack": "7", "place": "12"}
assert pickle.loads(pickle.dumps(first)).parts == first.parts
assert second.urn.number == "000137"
assert [(notice.warn, notice.detail) for notice in second.notices][-1] == ("wrong-check-digit", "8")
assert urisieve.equivalent("shelf:ab/2", "Shelf:AB/02")
from urisieve.rules.scheme_table import curated, described, scheme_rule
from urisieve.rules.table import namespaces
from urisieve.testing import check_row
import stockroom
assert described()[-1] == curated()[-1] == "shelf"
assert scheme_rule("shelf") == stockroom.SHELF
assert hash(scheme_rule("shelf")) == hash(stockroom.SHELF)
assert stockroom.STOCK.name in [row.name for row in namespaces()]
for row in (stockroom.SHELF, stockroom.STOCK):
    check_row(row)
print("good")
"""


def test_the_library_knows_the_sample(sample: Path) -> None:
    done = run_with(sample, "-c", LIBRARY, flags=("-W", "error"))
    assert (done.stdout, done.stderr) == ("good\n", "")


PROCESSES = """
import sys
import urisieve
if __name__ == "__main__":
    serial = [record.uri for record in urisieve.extract_files([sys.argv[1]])]
    shared = [(record.uri, record.parts) for record in urisieve.extract_files([sys.argv[1]], jobs=2)]
    assert [uri for uri, _ in shared] == serial
    print(len(serial), *shared[0][1].values())
"""


def test_other_processes_know_the_sample(sample: Path, tmp_path: Path) -> None:
    file = tmp_path / "many.txt"
    file.write_text(TEXT * 300, "utf-8")
    script = tmp_path / "script.py"
    script.write_text(PROCESSES, "utf-8")
    done = run_with(sample, str(script), str(file))
    assert (done.stdout.split(), done.stderr) == (["1200", "north", "7", "12"], "")
    command = run_with(sample, "-m", "urisieve", "extract", "--quiet", "--jobs", "2", str(file))
    assert (command.stdout.split(), command.stderr) == (FOUND * 300, "")


# What a plug-in names, the module, and what is told.
FAULTS = {
    "missing": ("urisieve.schemes", "faulty:NOTHING", "cannot be loaded and is left out: AttributeError"),
    "module": ("urisieve.schemes", "no_such_module:A", "cannot be loaded and is left out: ModuleNotFoundError"),
    "value": ("urisieve.schemes", "faulty:a b", "is not of the form `module:attribute`"),
    "raises": ("urisieve.schemes", "faulty:raises", "cannot be loaded and is left out: ZeroDivisionError"),
    "lines": ("urisieve.schemes", "faulty:lines", "cannot be loaded and is left out: ValueError: two lines"),
    "leaves": ("urisieve.schemes", "faulty:leaves", "cannot be loaded and is left out: SystemExit"),
    "judges": ("urisieve.schemes", "faulty:judges", "must not judge identifiers while it is loaded"),
    "text": ("urisieve.schemes", "faulty:TEXT", "'shelf' is not a Scheme"),
    "other": ("urisieve.namespaces", "faulty:GOOD", "is not a Namespace"),
    "ours": ("urisieve.schemes", "faulty:OURS", "urisieve has rules of its own for the scheme 'tel'"),
    "web": ("urisieve.schemes", "faulty:WEB", "urisieve has rules of its own for the scheme 'http'"),
    "name": ("urisieve.schemes", "faulty:NAME", "name='1a' is not a scheme name in lower case (RFC 3986 3.1)"),
    "case": ("urisieve.schemes", "faulty:CASE", "name='Shelf' is not a scheme name in lower case"),
    "pattern": ("urisieve.schemes", "faulty:PATTERN", "syntax='(' is not a valid pattern: missing )"),
    "shape": ("urisieve.schemes", "faulty:SHAPE", "shape=5 must be a pattern"),
    "form": ("urisieve.schemes", "faulty:FORM", "form='lower' must be a function"),
    "pairs": ("urisieve.schemes", "faulty:PAIRS", "same=('a', 'b') must be a tuple of pairs"),
    "authority": ("urisieve.schemes", "faulty:AUTHORITY", "authority='required' must be a member of Authority"),
    "port": ("urisieve.schemes", "faulty:PORT", "default_port=80 must be digits"),
    "twice": ("urisieve.schemes", "faulty:TWICE", "'foo' is already defined by entry point 'twice' of faulty"),
    "isbn": ("urisieve.namespaces", "faulty:ISBN", "urisieve has rules of its own for the namespace 'isbn'"),
    "urn": ("urisieve.namespaces", "faulty:URN", "name='urn' is not a namespace identifier in lower case"),
    "nid": (
        "urisieve.namespaces",
        "faulty:NID",
        "name='-a' is not a namespace identifier in lower case (RFC 2141 2.1)",
    ),
    "nss": ("urisieve.namespaces", "faulty:NSS", "syntax='[' is not a valid pattern"),
}
MODULE = """
import urisieve
from urisieve import Namespace, Scheme

def row(name, **fields):
    return Scheme(name, "a", "b", **fields)

def raises():
    return 1 / 0

def lines():
    raise ValueError("two\\nlines")

def leaves():
    raise SystemExit(3)

def judges():
    return row(urisieve.parse("zzz:a").scheme)

def several():
    return [row("good2"), row("good3", shape="[0-9]{2}")]

TEXT = "shelf"
GOOD = row("good", shape="[0-9]{2}")
OURS = row("tel")
WEB = row("http")
NAME = row("1a")
CASE = row("Shelf")
PATTERN = row("foo", syntax="(")
SHAPE = row("foo", shape=5)
FORM = row("foo", form="lower")
PAIRS = row("foo", same=("a", "b"))
AUTHORITY = row("foo", authority="required")
PORT = row("foo", default_port=80)
TWICE = (row("foo"), row("foo", dns=True))
ISBN = Namespace(name="isbn")
URN = Namespace(name="urn")
NID = Namespace(name="-a")
NSS = Namespace(name="a", syntax="[")
"""


def _faulty(target: Path, names: list[str]) -> Path:
    groups: dict[str, dict[str, str]] = {
        "urisieve.schemes": {"good": "faulty:GOOD", "several": "faulty:several"},
        "urisieve.namespaces": {},
        "console_scripts": {"x": "urisieve.nothing:x"},
    }
    for name in names:
        group, value, _ = FAULTS[name]
        groups[group][name] = value
    return write_distribution(target, "faulty", MODULE, groups)


WARNED = """
import sys, warnings
import urisieve
with warnings.catch_warnings(record=True) as told:
    warnings.simplefilter("always")
    print(*(record.uri for record in urisieve.extract("good:12 good3:12 tel:+1-2 urn:isbn:0-395-36341-1 urn:a:b foo://h")))
    urisieve.parse("zzz:a")
for one in told:
    assert one.category is RuntimeWarning
    print(one.message)
"""
RECORDS = "good:12 good3:12 tel:+12 urn:isbn:0395363411 urn:a:b foo://h"


@pytest.mark.sampled(13)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_costs_only_itself(name: str, tmp_path: Path) -> None:
    done = run_with(_faulty(tmp_path / "site", [name]), "-c", WARNED)
    records, *told = done.stdout.splitlines()
    assert records == RECORDS
    assert len(told) == 1
    assert f"entry point {name!r} of faulty" in told[0]
    assert FAULTS[name][2] in told[0]
    assert done.stderr == ""


def test_the_command_says_all_faults_once(tmp_path: Path) -> None:
    site = _faulty(tmp_path / "site", list(FAULTS))
    text = "good:12 good3:12 tel:+1-2 urn:isbn:0-395-36341-1 urn:a:b foo://h\n"
    file = tmp_path / "a.txt"
    file.write_text(text * 400, "utf-8")
    for arguments, times in (["--jobs", "1"], 1), (["--jobs", "2", str(file)], 400):
        done = run_with(site, "-m", "urisieve", "extract", "--quiet", *arguments, text=text)
        assert (done.stdout.split(), done.returncode) == (RECORDS.split() * times, 0)
        lines = done.stderr.splitlines()
        assert all(line.startswith("urisieve: ") for line in lines)
        assert len(lines) == len(set(lines)) == len(FAULTS)
        assert all(any(meaning in line for line in lines) for _, _, meaning in FAULTS.values())


@pytest.mark.parametrize("command", ["extract", "check", "explain"])
def test_a_row_that_fails_is_named(command: str, tmp_path: Path) -> None:
    module = (
        "from urisieve import Scheme\n"
        "def form(parts):\n    raise KeyError('no such place')\n"
        'ROW = Scheme("failing", "a", "b", shape="[0-9]", form=form)\n'
    )
    site = write_distribution(tmp_path / "site", "broken", module, {"urisieve.schemes": {"x": "broken:ROW"}})
    done = run_with(site, "-m", "urisieve", command, text="failing:1\n")
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].startswith("urisieve: entry point 'x' of broken: failing.form fails (KeyError:")
    assert "Traceback" not in done.stderr


def test_the_first_distribution_on_the_path_counts(tmp_path: Path) -> None:
    """As with modules; and of two distributions that name one scheme, the first by name counts."""
    points = {"urisieve.schemes": {"x": "twin:ROW"}}
    module = 'from urisieve import Scheme\nROW = Scheme("twin", "a", "{}", shape="[0-9]")\n'
    first = write_distribution(tmp_path / "first", "twin", module.format("first"), points)
    second = write_distribution(tmp_path / "second", "twin", module.format("second"), points, version="0.5")
    program = "from urisieve.rules.scheme_table import scheme_rule; print(scheme_rule('twin').reference)"
    for path, expected in ([first, second], "first"), ([second, first], "second"):
        done = run_with(os.pathsep.join(map(str, path)), "-c", program)
        assert (done.stdout, done.stderr) == (f"{expected}\n", "")
    write_distribution(first, "another", module.format("another"), {"urisieve.schemes": {"x": "another:ROW"}})
    done = run_with(first, "-c", program)
    assert done.stdout == "another\n"
    assert "RuntimeWarning: a row of entry point 'x' of twin is left out: 'twin' is already defined by" in done.stderr


def test_a_registered_scheme_or_namespace_without_rules_may_be_described(tmp_path: Path) -> None:
    module = (
        "from urisieve import Namespace, Scheme\n"
        'SCHEME = Scheme("steam", "games", "mine", shape="[0-9]{2}", default_port="1", drops_port=True)\n'
        'NAMESPACE = Namespace(name="c2pa", title="a", reference="b", form=str.lower, equivalence="case")\n'
        'KEPT = Scheme("kept", "a", "b", keeps_triplets=True), Scheme("dotted", "a", "b", keeps_dots=True)\n'
    )
    points = {
        "urisieve.schemes": {"a": "more:SCHEME", "k": "more:KEPT"},
        "urisieve.namespaces": {"b": "more:NAMESPACE"},
    }
    program = (
        "import urisieve\n"
        "for one in urisieve.extract('steam:12 steam://h:1/ urn:c2pa:A kept://H/%7e/./b dotted://H/%7e/../b'):\n"
        "    print(one.uri, *(code for code in one.warnings if code != 'unregistered-scheme'))"
    )
    done = run_with(write_distribution(tmp_path / "site", "more", module, points), "-c", program)
    assert done.stdout.splitlines() == [
        *("steam:12", "steam://h/", "urn:c2pa:a", "kept://h/%7e/b", "dotted://h/~/../b"),
    ]


def test_the_folder_of_work_may_be_on_the_path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_distribution(tmp_path / "site", "here", "", {"urisieve.schemes": {"x": "here:ROW"}})
    monkeypatch.chdir(tmp_path / "site")
    for path, found in ((["", *sys.path], True), (sys.path, False)):
        monkeypatch.setattr(sys, "path", path)
        points = plugins._entry_points.__wrapped__()["urisieve.schemes"]
        assert (plugins.EntryPoint("here", "x", "here:ROW") in points) == found
        monkeypatch.undo()
        monkeypatch.chdir(tmp_path / "site")


NOTHING_LOOKED_FOR = """
import sys
from urisieve.cli import main
try:
    main(sys.argv[1:])
except SystemExit:
    pass
print(sorted(name for name in sys.modules if name in ("stockroom", "importlib.metadata")))
from urisieve.rules import plugins
print(plugins._entry_points.cache_info().misses)
"""


@pytest.mark.parametrize(
    ("arguments", "looked"),
    [
        (["--version"], 0),
        (["--help"], 0),
        (["extract", "--help"], 0),
        (["check", "http://e.example/A"], 0),
        (["check", "tel:+1"], 0),
    ],
)
def test_nothing_is_looked_for_in_vain(arguments: list[str], looked: int, sample: Path) -> None:
    done = run_with(sample, "-c", NOTHING_LOOKED_FOR, *arguments)
    assert done.stdout.splitlines()[-2:] == ["[]", str(looked)]
    assert done.stderr == ""


def test_a_plug_in_may_come_in_an_archive(sample: Path, tmp_path: Path) -> None:
    archive = tmp_path / "site.zip"
    with zipfile.ZipFile(archive, "w") as file:
        for path in sorted(sample.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                file.write(path, path.relative_to(sample))
    done = run_with(archive, "-m", "urisieve", "extract", "--quiet", text=TEXT)
    assert (done.stdout.split(), done.stderr) == (FOUND, "")


def test_the_distributions_are_those_of_the_standard_library() -> None:
    ours = {name for root in sys.path for name, _ in plugins._distributions(root or ".")}
    theirs = {plugins._normal(one.metadata["Name"]) for one in distributions()}
    assert ours == theirs


def test_entry_points_are_read_as_the_standard_library_does(tmp_path: Path) -> None:
    folder = tmp_path / "a_b.c-1.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Name: a-b.c\n")
    content = (
        "# urisieve\n[other]\nx=y\n\n [urisieve.schemes] \nb = m : A.b\n  # no\na=m [extra]\n"
        "[urisieve.schemes.x]\nc=m\n"
        "[urisieve.namespaces]\nd=m:N\n"
    )
    (folder / "entry_points.txt").write_text(content)
    ours = sorted(
        (group, point.name, point.value)
        for name, path in plugins._distributions(str(tmp_path))
        for group, point in plugins._declared(name, f"{path}/entry_points.txt")
    )
    (distribution,) = distributions(path=[str(tmp_path)])
    theirs = sorted(
        (one.group, one.name, one.value) for one in distribution.entry_points if one.group in plugins.GROUPS
    )
    assert ours == theirs
    assert len(ours) == 3


def test_a_row_that_two_threads_load_is_reported_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[str] = []
    point = plugins.EntryPoint("dist", "x", "no_such_module:A")
    monkeypatch.setattr(plugins, "_tell", reported.append)
    monkeypatch.setattr(plugins, "_reported", {})
    monkeypatch.setattr(plugins, "_entry_points", lambda: {"urisieve.schemes": [point]})
    both = Barrier(2)

    def load() -> None:
        both.wait()
        assert plugins.added("urisieve.schemes", Scheme, str, lambda _: None) == []

    threads = [Thread(target=load) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [line.split(" cannot ")[0] for line in reported] == ["entry point 'x' of dist"]
