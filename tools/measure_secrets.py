"""Count which secrets are left in texts of five kinds, and which innocent parameters are hidden.

Use: python tools/measure_secrets.py [FILE]...
Plants 500 secrets of all rows (`rules/registry/secrets.txt`), each in a link of its own, and prints how many are left
after `mask`, `extract --safe no-secrets` and `rewrite --mask`, and after three lists of patterns like those that
projects ship for their logs. Of each FILE, a text, it prints how many of its different parameters are hidden, and by
which names.
"""

from __future__ import annotations

import csv
import html
import io
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from email.message import EmailMessage
from pathlib import Path
from typing import Final

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "src"))

from urisieve import extract, mask
from urisieve.rewriting import masked, rewrite
from urisieve.rules.secret_check import SECRETS, secrets
from urisieve.types import Blocks

_PLANTED: Final = 500
_SEED: Final = 26
_PARAMETER: Final = re.compile(r"(?:^|[?&;#])([^=&;#?]+)=([^&;#]*)")
# Lists of patterns of the kind that is copied from project to project, written for this comparison.
_LISTS: Final[dict[str, tuple[str, ...]]] = {
    "names of parameters": (
        r"(?i)\b(?:access_token|api_key|apikey|token|password|secret|client_secret|key)=([^&\s\"'<]+)",
    ),
    "keys and values": (
        r"(?i)[\w-]*(?:token|secret|passw(?:or)?d|api[_-]?key)[\w-]*[\"']?\s*[:=]\s*[\"']?([^\s\"'&,;<]+)",
        r"(?i)\b(?:bearer|basic)\s+([\w.~+/=-]+)",
    ),
    "shapes of products": (
        r"\b(AKIA[0-9A-Z]{16})\b",
        r"\b(gh[pousr]_[0-9A-Za-z]{36})\b",
        r"\b(xox[baprs]-[0-9A-Za-z-]+)",
        r"\b([sr]k_live_[0-9A-Za-z]{24})\b",
        r"\b(AIza[0-9A-Za-z_-]{35})",
        r"\b(eyJ[\w-]+\.eyJ[\w-]+\.[\w-]+)",
        r"(?:hooks\.slack\.com/services/)([\w/]+)",
    ),
}


def _varied(secret: str, chance: random.Random) -> str:
    """Return another secret of the same shape: its digits and letters after the first third are others."""
    kept = len(secret) // 3
    made = list(secret)
    for index in range(kept, len(secret)):
        one = secret[index]
        if secret[index - 1 : index] == "%" or secret[index - 2 : index - 1] == "%":
            continue
        if one.isdigit():
            made[index] = chance.choice("0123456789")
        elif one in "abcdef":
            made[index] = chance.choice("abcdef")
        elif one.islower() and one.isascii():
            made[index] = chance.choice("ghijklmnopqrstuvwxyz")
    return "".join(made)


def planted() -> list[tuple[str, str]]:
    """Return links with a secret each, and these secrets."""
    chance = random.Random(_SEED)
    made: dict[str, str] = {}
    while len(made) < _PLANTED:
        link, secret = SECRETS[len(made) % len(SECRETS)].example
        other = _varied(secret, chance) if made.keys() & {link} else secret
        link = link.replace(secret, other)
        if made.keys() & {link}:
            link = f"{link}{'&' if '?' in link else '?'}n={len(made)}"
        made[link] = other
    return list(made.items())


def carriers(links: list[str]) -> Iterator[tuple[str, str, str]]:
    """Yield kinds of texts with these links in them: a name, the ending of a file, and the text."""
    yield "log", "log", "".join(f"2026-11-30T10:00:00Z INFO GET {link} 200\n" for link in links)
    yield "JSON lines", "jsonl", "".join(json.dumps({"n": n, "url": link}) + "\n" for n, link in enumerate(links))
    table = io.StringIO()
    csv.writer(table).writerows([("n", "url"), *((str(n), link) for n, link in enumerate(links))])
    yield "CSV", "csv", table.getvalue()
    yield "HTML", "html", "".join(f'<p><a href="{html.escape(link)}">x</a></p>\n' for link in links)
    message = EmailMessage()
    message["From"], message["Subject"] = "a@a.example", "links"
    message.set_content("\n".join(links), cte="quoted-printable")
    yield "mail", "eml", message.as_string()


def _by_patterns(patterns: tuple[str, ...]) -> Callable[[str], str]:
    compiled = [re.compile(pattern) for pattern in patterns]

    def without(text: str) -> str:
        for pattern in compiled:
            text = pattern.sub(lambda found: found[0].replace(found[1], "***"), text)
        return text

    return without


def _extracted(text: str, ending: str) -> str:
    """Return what `extract --safe no-secrets` writes of a text."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, f"text.{ending}")
        path.write_text(text)
        command = [sys.executable, "-m", "urisieve", "extract", "-q", "--safe", "no-secrets", str(path)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def _rewritten(text: str, ending: str) -> str:
    """Return what `rewrite --mask` writes of a text."""
    return b"".join(rewrite(Blocks(f"text.{ending}", [text.encode()]), masked(), rejected=True)).decode()


def _left(text: str, planted_ones: list[str]) -> int:
    whole = html.unescape(text.replace("=\n", "").replace("=3D", "="))
    return sum(secret in text or secret in whole for secret in planted_ones)


def _count_planted() -> None:
    links = planted()
    planted_ones = [secret for _, secret in links]
    ways = {name: _by_patterns(patterns) for name, patterns in _LISTS.items()}
    print(f"of {len(links)} secrets are left:")
    print("| text | `mask` | `extract --safe no-secrets` | `rewrite --mask` |", " | ".join(ways), "|")
    print("| --- | --- | --- | --- |", " | ".join("---" for _ in ways), "|")
    for name, ending, text in carriers([link for link, _ in links]):
        masked = (mask(text), _extracted(text, ending), _rewritten(text, ending))
        counts = [_left(one, planted_ones) for one in masked]
        counts += [_left(way(text), planted_ones) for way in ways.values()]
        print(f"| {name} |", " | ".join(map(str, counts)), "|")


def _count_innocent(path: Path) -> None:
    seen: set[tuple[str, str]] = set()
    names: Counter[str] = Counter()
    examples: dict[str, str] = {}
    for found in extract(path.read_text("utf-8", "replace")):
        spans = secrets(found.uri)
        for parameter in _PARAMETER.finditer(found.uri):
            pair = parameter[1], parameter[2]
            if pair in seen:
                continue
            seen.add(pair)
            if any(start < parameter.end(2) and end > parameter.start(2) for start, end in spans):
                names[pair[0]] += 1
                examples.setdefault(pair[0], pair[1][:48])
    print(f"{path.name}: {len(seen)} different parameters, {names.total()} hidden")
    for name, count in names.most_common():
        print(f"  {count} {name}={examples[name]}")


if __name__ == "__main__":
    _count_planted()
    for argument in sys.argv[1:]:
        _count_innocent(Path(argument))
