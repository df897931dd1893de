"""Containers in mail give what they give by themselves (D1, D2): each container in each carrier at each size."""

from __future__ import annotations

from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.helpers.containers import CARRIERS, CONTAINERS, ZSTD_MODULE, attached, log_of
from urisieve import extract_files
from urisieve.errors import InputError
from urisieve.sources.tally import Tally

# Around the sizes of blocks, of heads and of what is kept in memory.
SIZES = (100, 1_024, 65_536, 262_143, 300_000, 1_100_000)
FEW = (1_024, 100_000)
LARGE = 20_000_000


def found_in(files: dict[str, bytes], folder: Path, tally: Tally | None = None) -> list[str]:
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    return [record.uri for record in extract_files([folder], tally=tally)]


def files_of(size: int, token: int) -> tuple[dict[str, bytes], list[str]]:
    logs = [log_of(size, number, token=token) for number in range(3)]
    files = {f"{'abc'[number]}.log": data for number, (data, _) in enumerate(logs)}
    return files, [link for _, links in logs for link in links]


def check(container: str, carrier: str, size: int, folder: Path, token: int = 120) -> None:
    if carrier == "outlook":
        pytest.importorskip("oxmsg")
        size = min(size, 9_000)  # the writer of compound files has one sector of its table
    if container == "a.tar.zst":
        pytest.importorskip(ZSTD_MODULE)
    files, expected = files_of(size, token)
    data = CONTAINERS[container](files)
    name = container.replace(" ", ".")
    if container in ("mbox", "zip in mail"):
        name += ".eml"
    alone = found_in({name: data}, folder / "alone")
    assert [link for link in alone if "/log.example/" in link] == expected
    tally = Tally()
    found = found_in(CARRIERS[carrier](name, data), folder / "carried", tally)
    assert found == ["http://body.example/", *alone, "http://after.example/"]
    assert not tally.broken
    assert not tally.messages


@pytest.mark.sampled(13)
@pytest.mark.parametrize(
    ("carrier", "size"),
    [
        *(("eml", size) for size in SIZES),
        *((carrier, size) for carrier in CARRIERS if carrier != "eml" for size in FEW),
    ],
)
@pytest.mark.parametrize("container", CONTAINERS)
def test_a_container_in_mail(container: str, carrier: str, size: int, tmp_path: Path) -> None:
    check(container, carrier, size, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("container", ["a.zip", "a.tgz"])
def test_a_large_container_in_mail(container: str, tmp_path: Path) -> None:
    check(container, "eml", LARGE // 3, tmp_path, token=2_000)


@pytest.mark.parametrize("container", ["a.zip", "a.tgz", "a.tar", "log.xz"])
@pytest.mark.parametrize("cut", [3, 10, 50, 99])
def test_a_message_that_is_cut_in_its_container(container: str, cut: int, tmp_path: Path) -> None:
    """What came before is kept, what is missing is counted, and the next file is read."""
    files, _ = files_of(30_000, 40)
    data = attached(container, CONTAINERS[container](files))
    start = data.index(b"filename")
    tally = Tally()
    errors: list[str] = []
    for name, part in (("x.eml", data[: start + (len(data) - start) * cut // 100]), ("y.eml", b"http://y.example/")):
        (tmp_path / name).write_bytes(part)
    found = [
        record.uri
        for record in extract_files(
            [tmp_path], tally=tally, on_error=lambda path, error: errors.append(f"{path}: {error}")
        )
    ]
    assert found[0] == "http://body.example/"
    assert found[-1] == "http://y.example/"
    assert tally.broken


def test_a_file_that_cannot_be_read_to_its_end_in_a_container(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The error of the disk is reported once, though the last text is that of an archive."""
    from urisieve.runs import file_parts
    from urisieve.sources.bytes.reading import read_blocks as read

    files, _ = files_of(30_000, 40)
    (tmp_path / "x.eml").write_bytes(attached("a.tar", CONTAINERS["a.tar"](files)))

    def failing(*arguments):  # type: ignore[no-untyped-def]
        yield from read(*arguments)
        raise InputError("Input/output error")

    monkeypatch.setattr(file_parts, "read_blocks", failing)
    errors: list[str] = []
    found = list(extract_files([tmp_path / "x.eml"], on_error=lambda _, error: errors.append(str(error))))
    assert len(found) > 500
    assert errors == ["Input/output error"]


# Attached files in a format, and what is found in each as in the file by itself (C1).
STRUCTURED = [
    ("application/json", "a.json", '{"u":"http:\\/\\/e.example\\/a"}', ["http://e.example/a"]),
    ("application/octet-stream", "a.json", '{"u":"http:\\/\\/e.example\\/a"}', ["http://e.example/a"]),
    ("application/x-ndjson", "a", '{"u":"http://e.example/\\u0061"}\n{"u":1}\n', ["http://e.example/a"]),
    ("text/csv", "a.csv", 'u;n\n"http://e.example/?a=1;b";1\nhttp://e.example/c;2\n', None),
    (
        "text/xml",
        "a.xml",
        '<?xml version="1.0"?><r><loc>http://e.example/?a&amp;b</loc></r>',
        ["http://e.example/?a&b"],
    ),
    ("text/plain", "a.txt", "see http://e.example/a|b", ["http://e.example/a"]),
    ("text/plain", "a.json", '{"u":"http:\\/\\/e.example\\/a"}', ["http://e.example/a"]),
    ("text/csv", "a.csv", "see http://e.example/a, or not", ["http://e.example/a"]),
]


@pytest.mark.parametrize(("media_type", "name", "text", "expected"), STRUCTURED)
def test_attached_files_in_a_format(
    tmp_path: Path, media_type: str, name: str, text: str, expected: list[str] | None
) -> None:
    message = EmailMessage()
    message["From"], message["To"], message["Subject"] = "a@e.example", "b@e.example", "x"
    message.set_content("text\n")
    main, _, sub = media_type.partition("/")
    message.add_attachment(text.encode(), maintype=main, subtype=sub, filename=name)
    path = tmp_path / "a.eml"
    path.write_bytes(message.as_bytes())
    found = [record.uri for record in extract_files([str(path)])]
    assert found == (["http://e.example/?a=1;b", "http://e.example/c"] if expected is None else expected)
