"""The registrable domain of hosts, by the public suffix list."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from publicsuffixlist import PSLFILE, PublicSuffixList, encode_idn

from urisieve import UsageError, registrable_domain
from urisieve.rules import registry as module

ROWS = [
    ("example.com", "example.com"),
    ("a.b.example.com", "example.com"),
    ("example.com.", "example.com"),
    ("www.example.co.uk", "example.co.uk"),
    ("co.uk", None),
    ("a.b.c.d.kawasaki.jp", "c.d.kawasaki.jp"),  # *.kawasaki.jp
    ("city.kawasaki.jp", "city.kawasaki.jp"),  # !city.kawasaki.jp
    ("me.github.io", "me.github.io"),
    ("www.xn--fiqs8s", "www.xn--fiqs8s"),
    ("a.xn--85x722f.xn--55qx5d.cn", "xn--85x722f.xn--55qx5d.cn"),
    ("a.b.unknown-top", "b.unknown-top"),
    ("localhost", None),
    ("192.0.2.1", None),
    ("192.0.2.0x1", None),
    ("0xC0.0x0", None),
    ("0xc0000201.", None),
    ("a.0xg", "a.0xg"),
    ("[2001:db8::1]", None),
    (".", None),
    ("WWW.Example.Co.UK", "example.co.uk"),
    ("www.bücher.example", "xn--bcher-kva.example"),
    ("WWW.BÜCHER.example.", "xn--bcher-kva.example"),
    ("www.xn--bcher-kva.example", "xn--bcher-kva.example"),
    ("a.食狮.公司.cn", "xn--85x722f.xn--55qx5d.cn"),
    ("食狮。公司.cn", "xn--85x722f.xn--55qx5d.cn"),
]


@pytest.mark.parametrize(("host", "expected"), ROWS)
def test_domain(host: str, expected: str | None) -> None:
    assert registrable_domain(host) == expected


def test_each_rule_of_the_list_counts() -> None:
    """A-labels stand beside the rules beyond ASCII; the package itself makes those of all rules."""
    whole = PublicSuffixList()
    rules = Path(PSLFILE).read_text(encoding="utf-8").splitlines()
    names = [rule.lstrip("!").replace("*", "any") for rule in rules if rule and not rule.startswith("//")]
    names += [encode_idn(name) for name in names if not name.isascii()]
    assert len(names) > 9_000
    for name in names:
        for host in (f"a.b.{name}", name):
            domain = whole.privatesuffix(host)
            assert registrable_domain(host) == (domain and encode_idn(domain)), name


def test_without_the_list(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "publicsuffixlist", None)
    module.suffixes.cache_clear()
    module.domain_of.cache_clear()
    try:
        with pytest.raises(UsageError, match=r"pip install 'urisieve\[domains\]'"):
            registrable_domain("example.com")
        with pytest.raises(UsageError, match="public suffix list"):
            module.check_domains()
    finally:
        module.suffixes.cache_clear()
