"""Generate the table of top-level domains beside `urisieve.rules.registry` from the list of `publicsuffixlist`.

Use: pip install publicsuffixlist; python tools/generate_domains.py
The result is committed, so that the package needs neither this script nor the list.
"""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path

import idna

from generate_registry import write_table

_HEAD = """Top-level domains of the DNS root in lower case, international ones as A-labels, and `onion` (RFC 7686).
Source: last labels of the ICANN section of the Public Suffix List, version of {version}."""


def top_level(text: str) -> set[str]:
    """The last labels of the rules between the marks of the ICANN section."""
    section = text.partition("===BEGIN ICANN DOMAINS===")[2].partition("===END ICANN DOMAINS===")[0]
    rules = (line.strip() for line in section.splitlines())
    return {rule.rpartition(".")[2].lower() for rule in rules if rule and not rule.startswith("//")}


def main() -> None:
    """Write the table."""
    spec = find_spec("publicsuffixlist")
    if spec is None or spec.origin is None:
        raise SystemExit("publicsuffixlist is not installed")
    text = (Path(spec.origin).parent / "public_suffix_list.dat").read_text(encoding="utf-8")
    names = top_level(text)
    names = {idna.encode(name).decode("ascii") for name in names}
    version = re.search(r"^// VERSION: (\S+)", text, re.MULTILINE)
    head = _HEAD.format(version=version[1] if version else "unknown")
    write_table(Path(__file__).name, "top_level_domains", head, sorted(names))


if __name__ == "__main__":
    main()
