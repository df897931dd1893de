"""No socket is ever opened: neither by Python, seen by its audit hooks, nor by the kernel, seen by what it imports."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.helpers.cli_support import PATIENCE
from tests.helpers.folders import ROOT
from urisieve.cli.program import COMMANDS
from urisieve.kernel import compiled, kernel
from urisieve.sources.reading_options import InputKind

# Fails whatever would open a socket or start a program, then runs each command line that it is given, in this process.
# A name is looked up by `socket.getaddrinfo`; `multiprocessing` is left out, since its pipes are sockets.
_WATCHED = """
import shlex, sys

def watch(event, arguments):
    if event.startswith(("socket.", "urllib.", "http.", "ftplib.", "smtplib.", "telnetlib.", "webbrowser.")):
        raise SystemExit(f"{event} {arguments!r}")
    if event in ("subprocess.Popen", "os.system", "os.exec", "os.posix_spawn"):
        raise SystemExit(f"{event} {arguments!r}")

sys.addaudithook(watch)
from urisieve.cli import main
for line in sys.stdin.read().splitlines():
    status = main(shlex.split(line))
    assert status in (0, 1, 2), (line, status)
print("opened nothing", file=sys.stderr)
"""
HTML = """<html><base href="http://b.example/"><link rel=stylesheet href="http://s.example/a.css"><img src=/a.png>
<script src=http://j.example/x.js></script><iframe src="http://f.example/"></iframe>"""
XML = """<?xml version="1.0"?><!DOCTYPE a SYSTEM "http://d.example/a.dtd" [<!ENTITY e SYSTEM "http://e.example/e">]>
<?xml-stylesheet href="http://s.example/a.xsl"?><a xmlns:xi="http://www.w3.org/2001/XInclude">&e;
<xi:include href="http://i.example/"/></a>"""
LINES = [
    *(f"extract --quiet --input {kind} --field a samples" for kind in ("json", "jsonl", "journal")),
    *(
        f"extract --quiet --input {kind} page.html document.xml samples/urns.xml samples/mail.mbox"
        for kind in InputKind
        if kind not in ("json", "jsonl", "journal")
    ),
    "extract --accept wrapped-any --base http://b.example/ --rejected bad.jsonl -f parquet -o links.parquet samples",
    "extract --format jsonl -o links.jsonl samples",
    "dedupe --input jsonl --field uri links.jsonl",
    "dedupe --checkpoint state -o new.txt samples",
    "stats samples",
    "stats --input records links.jsonl",
    "report --links -o report.html samples",
    "store stats seen.db",
    "completion bash",
    "check --input jsonl --field uri links.jsonl",
    "rewrite -q --mask samples/access.log",
    "rewrite -q --canonical page.html document.xml",
    "normalize --input jsonl --field uri links.jsonl",
    "extract samples",
    "extract --jobs 1 --format jsonl --accept names,addresses,defanged,nested,unencoded samples",
    "extract --format csv page.html document.xml",
    "extract --input mail --read all-parts samples/mail",
    "dedupe samples --store seen.db",
    "count samples",
    "normalize http://bücher.example/ http://localhost/ mailto:a@b.example http://127.0.0.1/ //h/x",
    "check http://example.com/ urn:isbn:0395363411",
    "explain http://example.com/",
    "schemes http",
    "namespaces isbn",
    "codes bad-*",
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    (tmp_path / "page.html").write_text(HTML, encoding="utf-8")
    (tmp_path / "document.xml").write_text(XML, encoding="utf-8")
    return tmp_path


def test_every_command_is_watched() -> None:
    assert {line.split()[0] for line in LINES} == set(COMMANDS)


def _watched(lines: list[str], folder: Path) -> str:
    done = subprocess.run(
        [sys.executable, "-c", _WATCHED],
        input="\n".join(lines),
        capture_output=True,
        text=True,
        cwd=folder,
        timeout=PATIENCE,
        check=False,
    )
    return done.stderr.splitlines()[-1]


@pytest.mark.long
def test_no_command_opens_a_socket(folder: Path) -> None:
    assert _watched(LINES, folder) == "opened nothing"


def test_a_socket_would_be_seen(folder: Path) -> None:
    opening = _WATCHED.replace("for line in", "import socket; socket.socket()\nfor line in")
    done = subprocess.run([sys.executable, "-c", opening], input="", capture_output=True, text=True, check=False)
    assert done.stderr.startswith("socket.__new__")


@pytest.mark.skipif(not compiled or shutil.which("nm") is None, reason="no kernel, or no nm to read its symbols")
def test_the_kernel_imports_nothing_of_the_network() -> None:
    assert kernel.__file__ is not None
    shown = subprocess.run(
        ["nm", "-D", "--undefined-only", kernel.__file__], capture_output=True, text=True, check=True
    )
    names = set(re.findall(r" U (\w+)", shown.stdout))
    assert "memcpy" in names or "PyModuleDef_Init" in names
    assert not names & {"socket", "connect", "bind", "getaddrinfo", "gethostbyname", "sendto", "send", "execve", "fork"}
