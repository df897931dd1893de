"""Signatures for workers: equal where equal keys are made, in every process, and named where they differ."""

from __future__ import annotations

import json
import time
from functools import partial
from multiprocessing import get_context
from pathlib import Path

import pytest

from tests.helpers.installed import run_with, write_distribution
from urisieve import Namespace, Options, Scheme, UsageError
from urisieve.dedupe import check_key_signature, key_signature
from urisieve.errors import ProcessError
from urisieve.types import Components

_CRATE = Scheme(name="crate", title="a crate", reference="the handbook", shape="[a-z]{2}[0-9]")


def same(parts: Components) -> Components:
    return parts


def other(parts: Components) -> Components:
    return parts


EXAMPLES = [
    Options(),
    Options(schemes={"http", "urn", "ftp", "ws", "coap"}, exclude_schemes=["data", "tel", "sms"], level="syntax"),
    Options(known_schemes={"x", "y", "z"}, merge=["drop-fragment"], email=True, max_length=100),
    Options(rules=[_CRATE._replace(form=same), Namespace(name="shop", title="a shop", reference="its handbook")]),
]


@pytest.mark.parametrize("number", range(len(EXAMPLES)))
def test_another_process_has_the_same_signature(number: int) -> None:
    options = EXAMPLES[number]
    here = key_signature(options)
    check_key_signature(here, options)
    assert json.loads(here)["canonical"]
    with get_context("spawn").Pool(1) as pool:
        assert pool.apply(key_signature, (options,)) == here
        pool.apply(check_key_signature, (here, options))
        differing = Options(level="none")
        with pytest.raises(ProcessError, match="option level is 'none' here"):
            pool.apply(check_key_signature, (here, differing))


def test_what_differs_is_named() -> None:
    def fault(one: Options, two: Options) -> str:
        with pytest.raises(ProcessError) as raised:
            check_key_signature(key_signature(two), one)
        return str(raised.value).partition(": ")[2]

    one = Options(schemes=["http"], level="none")
    assert fault(one, Options(level="syntax")) == (
        "option level is 'none' here, 'syntax' there; option schemes is ['http'] here, 'default' there"
    )
    ruled = Options(rules=_CRATE)
    assert fault(Options(), ruled) == "the rule of options for crate is missing here"
    assert fault(ruled, Options()) == "the rule of options for crate is missing there"
    contents = "the rule of options for crate has other contents here than there"
    assert fault(ruled, Options(rules=_CRATE._replace(shape="[a-z]{2}[0-9]+"))) == contents
    assert fault(Options(rules=_CRATE._replace(form=same)), Options(rules=_CRATE._replace(form=other))) == contents
    assert fault(Options(rules=_CRATE._replace(form=partial(same))), ruled) == contents
    long = Options(schemes=[f"scheme{number}" for number in range(99)])
    assert fault(one, long).startswith("option level is 'none' here, 'scheme' there; option schemes is ['http'] here, ")
    assert len(fault(one, long).partition("['http'] here, ")[2]) == 200 + len(" there")
    changed = json.loads(key_signature())
    changed |= {"urisieve": "9.9", "canonical": 1, "unicode": "1.1\n", "idna": "2"}
    with pytest.raises(ProcessError) as raised:
        check_key_signature(json.dumps(changed))
    text = str(raised.value)
    for part in ("the version of urisieve is ", "'9.9' there", "canonical forms is 4 here, 1 there", "tables of idna"):
        assert part in text
    assert "\n" not in text
    with pytest.raises(ProcessError, match="the signatures differ in their form"):
        check_key_signature(json.dumps(json.loads(key_signature()), indent=1))


@pytest.mark.parametrize("wrong", ["", "x", "{}", "[1]", None, 5, '{"urisieve": "0.1.0"}', "[" * 100_000])
def test_what_is_not_a_signature_is_refused(wrong: object) -> None:
    with pytest.raises(UsageError, match=r"is not a line of key_signature\(\)"):
        check_key_signature(wrong)  # type: ignore[arg-type]


@pytest.mark.once
def test_it_takes_little_time() -> None:
    options = EXAMPLES[1]
    signature = key_signature(options)
    start = time.perf_counter()
    for _ in range(100):
        check_key_signature(signature, options)
    assert time.perf_counter() - start < 0.1


_PLUGIN = (
    "from urisieve import Namespace, Scheme\n"
    "def form(parts):\n    return parts\n"
    "NAMESPACE = Namespace(name='shop', title='a shop', reference='its handbook')\n"
    "SCHEME = Scheme(name='crate', title='a crate', reference='its handbook', form=form, shape='[a-z]+')\n"
)
_POINTS = {"urisieve.namespaces": {"shop": "shop_rows:NAMESPACE"}, "urisieve.schemes": {"crate": "shop_rows:SCHEME"}}
_PRINT = "from urisieve.dedupe import key_signature; print(key_signature())"
_CHECK = (
    "import sys\nfrom urisieve.dedupe import check_key_signature\nfrom urisieve.errors import ProcessError\n"
    "try: check_key_signature(sys.stdin.read())\nexcept ProcessError as e: print(e)"
)


def test_plug_ins_take_part(tmp_path: Path) -> None:
    first = write_distribution(tmp_path / "first", "shop-rows", _PLUGIN, _POINTS)
    second = write_distribution(tmp_path / "second", "shop-rows", _PLUGIN, _POINTS, version="2.0")
    third = write_distribution(tmp_path / "third", "shop-rows", _PLUGIN.replace("[a-z]+", "[a-z]*"), _POINTS)
    lines = {path: run_with(path, "-c", _PRINT).stdout.strip() for path in (first, second, third)}
    assert len(set(lines.values())) == 3
    assert run_with(first, "-c", _PRINT).stdout.strip() == lines[first]

    def said(path: Path, signature: str) -> str:
        return run_with(path, "-c", _CHECK, text=signature).stdout.strip().partition("work: ")[2]

    assert said(first, lines[first]) == ""
    missing = [f"the plug-in for {name} of shop-rows 1.0 is missing here" for name in ("crate", "urn:shop")]
    assert said(tmp_path, lines[first]) == "; ".join(missing)
    assert said(first, key_signature()).count("is missing there") == 2
    assert said(second, lines[first]).count("is shop-rows 2.0 here, shop-rows 1.0 there") == 2
    assert said(third, lines[first]) == "the plug-in for crate of shop-rows 1.0 has other contents here than there"
