"""`--merge`, `--drop-params` and `--keep-params`, and the profiles that a file describes."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from urisieve import Options, Profile
from urisieve.dedupe.signature import differences, signature
from urisieve.merging import NAMED_STEPS, PROFILES
from urisieve.options import MergeStep

LINKS = (
    "http://www.shop.example/Tea/?ref=7#top",
    "https://shop.example/Tea?tag1=x",
    "https://shop.example/tea",
    "https://other.example/?tag1=x&id=1",
)
LINK = "http://www.a.example/x/?b=2&ref=7#top"
SHOP = 'steps = ["page", "lower-path"]\ndrop-params = ["ref", "tag*@shop.example"]\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in one with a repository, so that no file above it counts."""
    (tmp_path / ".git").mkdir()
    monkeypatch.chdir(tmp_path)
    Path("links").write_text("".join(f"{link}\n" for link in LINKS))
    for name in os.environ:
        if name.startswith("URISIEVE_") and name != "URISIEVE_PURE":
            monkeypatch.delenv(name)
    return tmp_path


def normalized(*words: str) -> list[str]:
    done = call("normalize", "-q", *words)
    assert (done.status, done.err) == (0, "")
    return done.lines


@pytest.mark.parametrize(
    ("words", "form"),
    [
        ("--merge rfc", LINK),
        ("--merge page", "https://a.example/x?b=2&ref=7"),
        ("--merge strip-www,https", "https://a.example/x/?b=2&ref=7#top"),
        ("--merge https --merge strip-www", "https://a.example/x/?b=2&ref=7#top"),
        ("--merge page,lower-path --drop-params ref", "https://a.example/x?b=2"),
        ("--drop-params r*@a.example,b", "http://www.a.example/x/#top"),
        ("--drop-params ref@b.example", LINK),
        ("--drop-params b --drop-params ref", "http://www.a.example/x/#top"),
        ("--merge drop-params --drop-params ref", "http://www.a.example/x/?b=2#top"),
        ("--keep-params b,c --merge drop-fragment", "http://www.a.example/x/?b=2"),
        ("--merge host", "https://www.a.example/"),
    ],
)
def test_steps_profiles_and_parameters(words: str, form: str) -> None:
    assert normalized(LINK, *words.split()) == [form]


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ("--merge pge", "merge='pge' is neither a profile nor a step; use one of rfc, request, page,"),
        ("--merge pge", "; did you mean 'page'?"),
        ("--merge page,drop-anchr", "; did you mean 'drop-anchor'?"),
        ("--merge drop-params", "the step 'drop-params' needs names of parameters: give --drop-params NAME,..."),
        ("--merge ,", "no name is named"),
        ("--drop-params ref@", "'ref@' does not name parameters: write NAME, NAME*, NAME@HOST or NAME*@HOST"),
        ("--keep-params a=b", "'a=b' does not name parameters"),
    ],
)
def test_names_that_are_wrong(words: str, message: str) -> None:
    done = call("normalize", LINK, *words.split())
    assert (done.status, done.out, done.err.count("\n")) == (2, b"", 1)
    assert message in done.err


@pytest.mark.parametrize("name", ["urisieve.toml", "pyproject.toml"])
def test_profiles_of_a_file(name: str) -> None:
    table = "profiles" if name == "urisieve.toml" else "tool.urisieve.profiles"
    Path(name).write_text(f'[{table}.shop]\n{SHOP}[{table}.ids]\nkeep-params = ["id"]\n')
    assert normalized("--merge", "shop", *LINKS) == ["https://shop.example/tea"] * 3 + [
        "https://other.example/?id=1&tag1=x"
    ]
    assert normalized("--merge", "shop,ids", *LINKS)[-1] == "https://other.example/?id=1"
    assert normalized("--merge", "shop,drop-fragment", "--drop-params", "id", *LINKS)[-1] == (
        "https://other.example/?tag1=x"
    )
    done = call("normalize", "--no-config", "--merge", "shop", LINK)
    assert (done.status, "merge='shop' is neither a profile nor a step" in done.err) == (2, True)
    for words in (["schemes", "doi"], ["extract", "-q", "links"], ["completion", "bash"], ["store", "info", "no.db"]):
        assert "profiles" not in call(*words).err
    assert call("schemes", "doi").status == 0


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('[profiles.page]\nsteps = ["https"]', "the profile 'page' of the file has the name of one that comes along"),
        ('[profiles.https]\nsteps = ["https"]', "the profile 'https' of the file has the name of one"),
        ('[profiles.shop]\nstep = ["https"]', "profiles.shop must be a table of the lists steps, drop-params and"),
        ('[profiles.shop]\nsteps = "https"', "profiles.shop must be a table of the lists"),
        ('[profiles]\nshop = ["https"]', "profiles.shop must be a table of the lists"),
        ('[profiles.shop]\nsteps = ["htps"]', "profiles.shop: merge='htps' is neither a profile nor a step"),
        ("[profiles.shop]\nsteps = [1]", "profiles.shop: merge=1 is neither a profile nor a step"),
        ('[profiles.shop]\nsteps = ["drop-params"]', "profiles.shop: the step 'drop-params' needs names"),
        ('[profiles.shop]\ndrop-params = ["a b"]', "profiles.shop: 'a b' does not name parameters"),
        ("[profiles.shop]\nkeep-params = [1]", "profiles.shop: 1 does not name parameters"),
        ("[profiles.shops]\nsteps = []", "merge='shop' is neither a step nor a profile: of the file are shops"),
        ("[profiles.shops]\nsteps = []", "; did you mean 'shops'?"),
        ("profiles = 3", "urisieve.toml: profiles: there is no option profiles"),
        ("[profile.shop]\nsteps = []", "urisieve.toml: [profile]: there is no command profile"),
    ],
)
def test_descriptions_that_are_wrong(text: str, message: str) -> None:
    Path("urisieve.toml").write_text(text)
    name = text.partition("]")[0].rpartition(".")[2] if "page]" in text or "https]" in text else "shop"
    done = call("normalize", "--merge", name, LINK)
    assert (done.status, done.out, message in done.err) == (2, b"", True), done.err
    assert call("normalize", "--no-config", LINK).status == 0


@pytest.mark.parametrize("value", ['merge = "page"', 'merge = ["page"]', '[normalize]\nmerge = "page"'])
def test_a_default_of_a_table(value: str) -> None:
    Path("urisieve.toml").write_text(value)
    done = call("normalize", LINK)
    assert done.lines == ["https://a.example/x?b=2&ref=7"]
    assert done.err.startswith("urisieve: urisieve.toml sets merge=page, which may leave out or change findings")
    assert call("normalize", "--merge", "rfc", LINK).lines == [LINK]
    assert call("schemes", "doi").status == 0


def test_a_default_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("URISIEVE_MERGE", "page")
    monkeypatch.setenv("URISIEVE_DROP_PARAMS", "ref")
    assert normalized(LINK) == ["https://a.example/x?b=2"]
    Path("urisieve.toml").write_text(f'merge = "shop"\n[profiles.shop]\n{SHOP}')
    assert normalized(LINK.replace("/x/", "/X/")) == ["https://a.example/X?b=2"]  # it comes before the file
    monkeypatch.setenv("URISIEVE_MERGE", "shop")
    assert normalized(LINK.replace("/x/", "/X/")) == ["https://a.example/x?b=2"]


@pytest.mark.parametrize("command", ["extract", "dedupe", "count", "stats", "report", "check", "explain"])
def test_all_commands_that_judge_take_it(command: str) -> None:
    Path("list").write_text("http://www.a.example/x\nhttps://a.example/x/\n")
    words = ["http://www.a.example/x"] if command in ("check", "explain") else ["list"]
    if command == "report":
        words += ["-o", "out"]
    done = call(command, "--merge", "page", *words)
    assert done.status == 0
    shown = Path("out").read_text() if command == "report" else done.out.decode()
    assert "https://a.example/x" in shown.replace("[.]", ".").replace("[://]", "://").replace("hxxp", "http")
    if command in ("stats", "report"):
        assert "trailing-slash" in shown
    assert call(command, "--merge", "pge", *words).status == 2


def test_keys_that_are_given_cannot_be_merged() -> None:
    done = call("dedupe", "--input", "keys", "--merge", "page", "links")
    assert (done.status, "--merge does not go with it; leave it out" in done.err) == (2, True)


STORES = [
    # options, other options, what differs of each
    ({"merge": "page"}, {}, "merge=page", "merge=rfc"),
    ({"merge": "page,lower-path"}, {"merge": "page"}, "merge=page,lower-path", "merge=page"),
    ({"merge": "https"}, {"merge": "host"}, "merge=https", "merge=host"),
    ({"level": "none"}, {}, "level=none", "level=scheme"),
    (
        {"merge": Profile("page", ["ref", "tag*@a.example"])},
        {"merge": "page"},
        "drop_params=ref,tag*@a.example",
        "drop_params=none",
    ),
    ({"merge": Profile([], [], ["id"])}, {}, "keep_params=id", "keep_params=none"),
]


@pytest.mark.parametrize(("one", "other", "first", "second"), STORES)
def test_a_store_says_by_what_other_options_differ(
    one: dict[str, object], other: dict[str, object], first: str, second: str
) -> None:
    made = Options(**one), Options(**other)  # type: ignore[arg-type]
    assert differences(*map(signature, made)) == (first, second)


def test_a_store_with_a_profile_refuses_another_one() -> None:
    Path("urisieve.toml").write_text(f"[profiles.shop]\n{SHOP}")
    assert call("dedupe", "-q", "--merge", "shop", "--store", "s.db", "links").lines == [
        "https://shop.example/tea",
        "https://other.example/?id=1&tag1=x",
    ]
    assert call("dedupe", "-q", "--merge", "shop", "--store", "s.db", "links").lines == []
    same = ["--merge", "page,lower-path", "--drop-params", "ref,tag*@shop.example"]
    assert call("dedupe", "-q", *same, "--store", "s.db", "links").status in (0, 1)
    done = call("dedupe", "-q", "--merge", "page", "--store", "s.db", "links")
    assert done.status == 2
    assert done.err == (
        "urisieve: s.db: its keys were made by merge=page,lower-path, drop_params=ref,tag*@shop.example, those of this "
        "run by merge=page, drop_params=none\n"
    )


def test_each_profile_and_step_has_its_name() -> None:
    for name in PROFILES | {step: () for step in NAMED_STEPS if (step,) not in PROFILES.values()}:
        made = signature(Options(merge=name))
        assert differences(made, signature(Options(merge=["ark", "isbn-13"])))[0].startswith(f"merge={name}"), name
    assert not set(PROFILES) & set(MergeStep)
