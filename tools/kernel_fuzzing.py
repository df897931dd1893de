"""Build the fuzzer of the compiled kernel: `tests/kernel_fuzzing/*.c` with libFuzzer, and sanitizers in all of it.

The kernel without its binding to Python includes nothing of Python, so that it runs without an interpreter, and the
fuzzer sees each branch of it. What the kernel asks Python for, the targets decide. It needs clang with its runtime
(Debian: `clang`, `libclang-rt-dev`, or those of a version, such as `clang-14` and `libclang-rt-14-dev`).
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest import mock

__all__ = ["TARGETS", "build", "compiler", "seeds"]

ROOT = Path(__file__).resolve().parent.parent
KERNEL = ROOT / "src" / "kernel"
HARNESS = ROOT / "tests" / "kernel_fuzzing"
TARGETS = (
    "native-search",
    "native-forms",
    "native-html",
    "native-json",
    "native-xml",
    "native-mail",
    "native-sets",
    "native-resolve",
    "native-merge",
)
SANITIZERS = "fuzzer,address,undefined"
FLAGS = f"-g -O1 -std=c11 -fno-omit-frame-pointer -fno-sanitize-recover=all -fsanitize={SANITIZERS}"
_MAIN = (
    "#include <stddef.h>\nint LLVMFuzzerTestOneInput(const unsigned char *, size_t);\n"
    "int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size) { return data == 0 && size; }\n"
)


def compiler(folder: Path) -> str | None:
    """Return a clang that builds fuzzers, tried in a folder; None if there is none."""
    source = folder / "tried.c"
    source.write_text(_MAIN)
    for name in ("clang", *(f"clang-{version}" for version in range(22, 10, -1))):
        path = shutil.which(name)
        if path is None:
            continue
        command = [path, f"-fsanitize={SANITIZERS}", str(source), "-o", str(folder / "tried")]
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return path
    return None


def build(clang: str, folder: Path) -> Path:
    """Build the fuzzer in a folder and return its program; the variable URISIEVE_FUZZ names the target."""
    (folder / "html_names.h").write_text(_html_names())
    (folder / "mail_names.h").write_text(_mail_names())
    sources = [path for path in sorted(KERNEL.glob("*.c")) if not _binds(path)]
    program = folder / "kernel"
    command = [clang, *FLAGS.split(), f"-I{KERNEL}", f"-I{folder}", *map(str, [*sources, *sorted(HARNESS.glob("*.c"))])]
    subprocess.run([*command, "-o", str(program)], check=True)
    return program


def _binds(path: Path) -> bool:
    """Report whether a file binds the kernel to Python."""
    return path.stem == "module" or path.stem.endswith("_object")


def _rows(name: str, rows: list[tuple[str, int]]) -> str:
    lines = "".join(f'    {{"{row}", {flags}u}},\n' for row, flags in rows)
    return f"static const struct {{ const char *name; uint32_t flags; }} {name}[] = {{\n{lines}}};\n"


def _html_names() -> str:
    """Return the elements and attributes that the reader of HTML is given, as C."""
    from urisieve.sources.html import html_pages

    taken: list[list[list[tuple[str, int]]]] = []
    with mock.patch.object(html_pages, "kernel", SimpleNamespace(HtmlReader=lambda *tables: taken.append([*tables]))):
        html_pages.new_reader()
    elements, attributes, _ = taken[0]
    return _rows("ELEMENTS", elements) + _rows("ATTRIBUTES", attributes)


def _mail_names() -> str:
    """Return the fields of mail that the reader of mail is given, as C."""
    from urisieve.sources.mail.header_fields import ID_FIELDS, OPAQUE_FIELDS

    tables = {"OPAQUE": OPAQUE_FIELDS, "IDS": ID_FIELDS}
    return "".join(
        f"static char *{name}[] = {{{', '.join(f'(char *){chr(34)}{field}{chr(34)}' for field in sorted(fields))}}};\n"
        for name, fields in tables.items()
    )


def seeds(given: dict[str, list[bytes]]) -> Iterator[tuple[str, bytes]]:
    """Yield the inputs to begin with, by target, from those of the targets in Python."""
    yield "native-search", b"\x20\0\0\0\xc7\0\0"  # an offset of zero was added to no text
    # The visible text of a link goes on behind a cut at a blank.
    yield "native-html", b"\x81\0\0\0\4<html><a href=http://b.mh>https://b.example/ mp x</a><img"
    for line in ("<34>1 2003-10-11 22:14:15.003 +0200 x", "[2024/05/31T23:30Z]x", "<13>Oct  1 22:14:60 x",
                 "h - a [10/Oct/2000:13:55:36 -0700] x"):  # fmt: skip
        yield "native-sets", f"\3{line}\n{line}".encode()
    for reference in ("", "g", "./g", "g/", "/g", "//g", "?y", "g?y", "#s", "g#s", "g?y#s", ";x", "..", "../", "../..",
                      "../../g", "../../../g", "/./g", "/../g", "g.", "..g", "./../g", "./g/.", "g/./h", "g/../h",
                      "g;x=1/./y", "g?y/./x", "g#s/../x", "a:b", "./a:b", "%41/%4", "//h:8/..", "///x"):  # fmt: skip
        for base in ("http://a/b/c/d;p?q", "http://a.example", "https://a:8/b//?c#d"):
            yield "native-resolve", f"{base}\n{reference}".encode()
    for data in given["kernel"]:
        yield "native-search", b"\0\0\0\x05" + data[2:]
        yield "native-search", b"\x20\0\0\x03" + data[2:]
        yield "native-forms", b"\0" + data[2:].strip(b'<>" ')
    for data in given["identifier"]:
        yield "native-forms", b"\0" + data[2:]
        yield "native-sets", b"\3" + data[2:] + b"\r\n" + data[2:] + b"\n\nurn:a:b\n"
    for data in given["html"]:
        yield "native-html", b"\0\x10" + data[2:]
        yield "native-html", b"\x81\x04" + data[2:]
        yield "native-html", b"\x87\x20" + data[2:]
    for data in given["xml"]:
        yield "native-xml", b"\0" + data[2:]
    for data in (*given["json"], *given["jsonl"]):
        yield "native-json", b"\2\4" + data[2:]
        yield "native-json", b"\3\0" + data[2:]
    for data in given["identifier"]:
        yield "native-merge", b"\xff\xff\x1f\3a*@a.example\n" + data[2:]
    for link in ("http://www2.m.a.example:0080//X/index.html;jsessionid=1?utm_source=1&b=2&a=1&sid=0123456789abcdef0#top",
                 "https://doi.org/10.1000/182", "http://a.example/%2525/a//../x?%26b=1&a&a=#x"):  # fmt: skip
        yield "native-merge", b"\xff\xff\xff\2utm_*\n" + link.encode()
        yield "native-merge", b"\xf6\x2f\x0f\0" + link.encode()
    for data in given["mail"]:
        yield "native-mail", b"\0\0\0\1" + data[2:]
        yield "native-mail", b"\0\0\0\x40" + data[2:]
        yield "native-forms", b"\1" + data[2:]
