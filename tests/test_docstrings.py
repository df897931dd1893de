"""Docstrings: every example in them is run, and each call on text or files has one."""

from __future__ import annotations

import doctest
from importlib import import_module
from inspect import getdoc
from pathlib import Path
from pkgutil import walk_packages

import pytest

import urisieve

ROOT = Path(__file__).resolve().parent.parent
MODULES = sorted(module.name for module in walk_packages(urisieve.__path__, "urisieve."))
# C9: what a user meets first says in an editor how it is used.
CALLS = [
    *("aextract", "asieve", "extract", "extract_documents", "extract_each", "extract_files", "extract_keys"),
    *("is_valid", "sieve", "sieve_documents", "sieve_files"),
]


@pytest.mark.parametrize("name", [name for name in MODULES if not name.endswith("__main__")])
def test_examples_run(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # where the samples are
    failed, _ = doctest.testmod(import_module(name))
    assert failed == 0


@pytest.mark.parametrize("name", CALLS)
def test_each_call_has_an_example(name: str) -> None:
    text = getdoc(getattr(urisieve, name)) or ""
    assert ">>> " in text
    assert name in text.partition(">>> ")[2]
    assert name == "is_valid" or all(f"\n{section}:\n" in text for section in ("Args", "Yields", "Raises"))


def test_extract_says_first_what_a_list_of_strings_is() -> None:  # C8
    lines = (getdoc(urisieve.extract) or "").splitlines()
    assert "A list of strings is one text" in lines[2]
    assert "extract_each" in "".join(lines[:5])
