"""Writes compound files (MS-CFB), as small as Outlook messages for tests need them."""

from __future__ import annotations

import struct

__all__ = ["Tree", "compound_file", "outlook_message", "outlook_tree"]

_FREE, _END, _FAT, _NONE = 0xFFFFFFFF, 0xFFFFFFFE, 0xFFFFFFFD, 0xFFFFFFFF
_SECTOR, _MINI, _CUTOFF = 512, 64, 4_096

Tree = dict[str, "bytes | Tree"]


def _padded(data: bytes, size: int) -> bytes:
    return data + bytes(-len(data) % size)


def compound_file(tree: Tree) -> bytes:
    """A file of version 3 with these storages (dicts) and streams (bytes)."""
    fat: list[int] = []
    sectors: list[bytes] = []
    mini = bytearray()
    mini_fat: list[int] = []

    def place(data: bytes) -> int:
        if not data:
            return _END
        start, count = len(sectors), -(-len(data) // _SECTOR)
        for number in range(count):
            sectors.append(_padded(data[number * _SECTOR : (number + 1) * _SECTOR], _SECTOR))
            fat.append(start + number + 1 if number + 1 < count else _END)
        return start

    def place_small(data: bytes) -> int:
        start, count = len(mini_fat), -(-len(data) // _MINI)
        mini.extend(_padded(data, _MINI))
        mini_fat.extend(start + number + 1 if number + 1 < count else _END for number in range(count))
        return start if count else _END

    entries: list[list[int | str]] = [["Root Entry", 5, _NONE, _NONE, _NONE, 0, 0]]

    def add(inner: Tree, parent: int) -> None:
        before: int | None = None
        for name in sorted(inner, key=lambda name: (len(name), name.upper())):
            value = inner[name]
            number = len(entries)
            if isinstance(value, dict):
                entries.append([name, 1, _NONE, _NONE, _NONE, 0, 0])
                add(value, number)
            else:
                start = place_small(value) if len(value) < _CUTOFF else place(value)
                entries.append([name, 2, _NONE, _NONE, _NONE, start, len(value)])
            if before is None:
                entries[parent][4] = number
            else:
                entries[before][3] = number
            before = number

    add(tree, 0)
    entries[0][5], entries[0][6] = place(bytes(mini)), len(mini)
    mini_start = place(b"".join(struct.pack("<L", link) for link in mini_fat))
    directory = b""
    for name, kind, left, right, child, start, size in entries:
        encoded = str(name).encode("utf-16-le")
        directory += struct.pack(
            "<64sHBBLLL16xL8x8xLQ", encoded, len(encoded) + 2, kind, 1, left, right, child, 0, start, size
        )
    directory_start = place(_padded(directory, _SECTOR))
    fat_sector = len(sectors)
    fat.append(_FAT)
    assert len(fat) <= _SECTOR // 4, "one sector of the allocation table is all that this writes"
    sectors.append(b"".join(struct.pack("<L", link) for link in [*fat, *[_FREE] * (_SECTOR // 4 - len(fat))]))
    header = struct.pack(
        "<8s16xHHHHH6xLLLLLLLLLL",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        *(0x3E, 3, 0xFFFE, 9, 6),
        *(0, 1, directory_start, 0, _CUTOFF, mini_start, -(-len(mini_fat) * 4 // _SECTOR), _END, 0, fat_sector),
    )
    return header + struct.pack("<L", _FREE) * 108 + b"".join(sectors)


def outlook_message(texts: dict[int, str], html: bytes = b"", attached: dict[str, bytes] | None = None) -> bytes:
    """An Outlook message with these texts, by the number of the property, and files."""
    return compound_file(outlook_tree(texts, html, attached))


def outlook_tree(texts: dict[int, str], html: bytes = b"", attached: dict[str, bytes] | None = None) -> Tree:
    """The streams and storages of a message; see `outlook_message`."""
    tree: Tree = {f"__substg1.0_{pid:04X}001F": text.encode("utf-16-le") for pid, text in texts.items()}
    rows = [(0x1F, pid, len(text) * 2 + 2) for pid, text in texts.items()]
    if html:
        tree["__substg1.0_10130102"] = html
        rows.append((0x102, 0x1013, len(html)))
    rows.append((3, 0x3FDE, 65_001))
    files = attached or {}
    header = struct.pack("<8xLLLL8x", 0, len(files), 0, len(files))
    tree["__properties_version1.0"] = header + _rows(rows)
    for number, (name, data) in enumerate(files.items()):
        inner: Tree = {
            "__substg1.0_3707001F": name.encode("utf-16-le"),
            "__substg1.0_37010102": data,
            "__properties_version1.0": bytes(8)
            + _rows([(0x1F, 0x3707, len(name) * 2 + 2), (0x102, 0x3701, len(data))]),
        }
        tree[f"__attach_version1.0_#{number:08X}"] = inner
    return tree


def _rows(rows: list[tuple[int, int, int]]) -> bytes:
    return b"".join(struct.pack("<HHLQ", kind, pid, 6, value) for kind, pid, value in rows)
