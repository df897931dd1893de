"""Containers and carriers for tests: a text in each kind of archive, and an archive in each kind of mail."""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import lzma
import random
import sys
import tarfile
import zipfile
from collections.abc import Callable
from email.message import EmailMessage
from importlib import import_module
from typing import Final

from tests.helpers.compound_files import outlook_message

__all__ = ["CARRIERS", "CONTAINERS", "ZSTD_MODULE", "attached", "log_of", "zstd_packed"]

# Python has it from 3.14 on.
ZSTD_MODULE: Final = "compression.zstd" if sys.version_info >= (3, 14) else "backports.zstd"

Files = dict[str, bytes]


def log_of(size: int, first: int = 0, *, token: int = 120) -> tuple[bytes, list[str]]:
    """A log of about `size` bytes, and the links in it; it hardly compresses, as logs with random tokens do not."""
    lines: list[bytes] = []
    links: list[str] = []
    chance = random.Random(first)
    length = 0
    while length < size:
        text = chance.randbytes(token // 2).hex()
        links.append(f"http://log.example/{first}/{len(links)}/{text[:16]}")
        lines.append(f"{text} {links[-1]}\n".encode())
        length += len(lines[-1])
    return b"".join(lines), links


def _quoted(data: bytes) -> bytes:
    """Quoted-printable of bytes that are no text: each is quoted."""
    return b"".join(
        b"".join(b"=%02X" % byte for byte in data[start : start + 24]) + b"=\n" for start in range(0, len(data), 24)
    )


def _tar(files: Files, mode: str = "w", **more: int) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode=mode, **more) as archive:  # type: ignore[call-overload]
        for name, data in files.items():
            member = tarfile.TarInfo(name)
            member.size = len(data)
            archive.addfile(member, io.BytesIO(data))
    return out.getvalue()


def _zip(files: Files, method: int = zipfile.ZIP_DEFLATED) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def zstd_packed(data: bytes) -> bytes:
    """Compress by zstd."""
    packed: bytes = import_module(ZSTD_MODULE).compress(data)
    return packed


def _mbox(files: Files) -> bytes:
    return b"".join(
        b"From a@b.example Mon Jan  1 00:00:00 2024\n" + attached(name, files[name]) + b"\n" for name in files
    )


CONTAINERS: Final[dict[str, Callable[[Files], bytes]]] = {
    "a.zip": _zip,
    "stored.zip": lambda files: _zip(files, zipfile.ZIP_STORED),
    "bzip2.zip": lambda files: _zip(files, zipfile.ZIP_BZIP2),
    "lzma.zip": lambda files: _zip(files, zipfile.ZIP_LZMA),
    "a.tar": _tar,
    "a.tgz": lambda files: _tar(files, "w:gz"),
    "a.tar.bz2": lambda files: _tar(files, "w:bz2"),
    "a.tar.xz": lambda files: _tar(files, "w:xz", preset=0),
    "a.tar.zst": lambda files: zstd_packed(_tar(files)),
    "log.gz": lambda files: gzip.compress(b"".join(files.values())),
    "log.bz2": lambda files: bz2.compress(b"".join(files.values())),
    "log.xz": lambda files: lzma.compress(b"".join(files.values()), preset=0),
    "zip in tgz": lambda files: _tar({"in.zip": _zip(files)}, "w:gz"),
    "tgz in zip": lambda files: _zip({"in.tgz": _tar(files, "w:gz")}, zipfile.ZIP_STORED),
    "mail in zip": lambda files: _zip({f"{name}.eml": attached(name, data) for name, data in files.items()}),
    "mbox": _mbox,
    "zip in mail": lambda files: attached("in.zip", _zip(files)),
}


def attached(name: str, data: bytes, encoding: str = "base64") -> bytes:
    """A message with a text and a file attached."""
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@b.example", "c@d.example", "x"
    message.set_content("before http://body.example/\n")
    message.add_attachment(b"?", maintype="application", subtype="octet-stream", filename=name)
    part = next(iter(message.iter_attachments()))
    body = {"base64": base64.encodebytes, "quoted-printable": _quoted, "binary": bytes}[encoding](data)
    del part["Content-Transfer-Encoding"]
    part["Content-Transfer-Encoding"] = encoding
    part.set_payload("@@@")
    return message.as_bytes().replace(b"@@@", body)


def _envelope(data: bytes) -> bytes:
    return b"From a@b.example Mon Jan  1 00:00:00 2024\n" + data + b"\n"


_LAST: Final = b"From: a@b.c\nTo: d@e.f\nSubject: x\n\nafter http://after.example/\n"

# By name, the file that carries a container of a name, with a link after it.
CARRIERS: Final[dict[str, Callable[[str, bytes], Files]]] = {
    "eml": lambda name, data: {"x.eml": attached(name, data), "y.eml": _LAST},
    "eml quoted-printable": lambda name, data: {"x.eml": attached(name, data, "quoted-printable"), "y.eml": _LAST},
    "mbox": lambda name, data: {"x": _envelope(attached(name, data)) + _envelope(_LAST)},
    "maildir": lambda name, data: {"cur/1:2,S": attached(name, data), "cur/2:2,": _LAST, "new/.x": b"", "tmp/.x": b""},
    "outlook": lambda name, data: {
        "x.msg": outlook_message({0x001A: "IPM.Note", 0x1000: "before http://body.example/"}, attached={name: data}),
        "y.eml": _LAST,
    },
}
