"""Documents made by the programs that people use: each link with its place.

The host of a link says where it stands.
"""

from __future__ import annotations

import gzip
import io
import sys
import tarfile
from email.message import EmailMessage
from pathlib import Path

import pytest

from tests.helpers.cli_support import call
from tests.helpers.compound_files import compound_file
from urisieve import ReadingOptions, Tally, extract_files
from urisieve.options import InputKind

DATA = Path(__file__).with_name("data")
TARGET = "http://target.example/?a=1&b=2"

# The links of each file: their order, then `field`.
ROWS: dict[str, list[tuple[str, str | None]]] = {
    "office.docx": [
        ("http://bold.example/a", "word/document.xml"),
        ("http://shown.example/", "word/document.xml"),
        (TARGET, "word/document.xml / hyperlink"),
        ("http://after.example/", "word/document.xml"),
        ("http://cell.example/", "word/document.xml"),
        ("http://box.example/", "word/document.xml"),
        ("http://item.example/", "word/document.xml"),
        ("http://header.example/", "word/header1.xml"),
        ("http://footer.example/", "word/footer1.xml"),
        ("http://footnote.example/", "word/footnotes.xml"),
        ("http://endnote.example/", "word/endnotes.xml"),
        ("http://comment.example/", "word/comments.xml"),
        ("http://title.example/", "docProps/core.xml"),
    ],
    "python.docx": [
        ("http://deleted.example/", "word/document.xml"),  # a text of its own, before the paragraph around it
        ("http://bold.example/a", "word/document.xml"),
        ("http://shown.example/", "word/document.xml"),
        (TARGET, "word/document.xml / hyperlink"),
        ("http://field.example/x", "word/document.xml / HYPERLINK"),
        ("http://after.example/", "word/document.xml"),
        ("http://simple.example/#part", "word/document.xml / HYPERLINK"),
        ("http://cell.example/", "word/document.xml"),
        ("http://template.example/x.dotm", "word/settings.xml / attachedTemplate"),
        ("http://comment.example/", "word/comments.xml"),
        ("http://header.example/", "word/header1.xml"),
        ("http://footer.example/", "word/footer1.xml"),
        ("http://title.example/", "docProps/core.xml"),
    ],
    "office.xlsx": [
        ("http://bold.example/a", "sheet 1!A1"),
        ("http://shown.example/", "sheet 1!D1"),
        (TARGET, "sheet 1!D1 / hyperlink"),
        ("http://formula.example/", "sheet 2!B7"),
        ("http://comment.example/", "sheet 2!C7 / comments"),
        ("http://title.example/", "docProps/core.xml"),
    ],
    "python.xlsx": [
        ("http://cell.example/", "sheet 1!A1"),
        ("http://cell.example/", "sheet 1!A2"),  # one shared string in two cells
        (TARGET, "sheet 1!B2 / hyperlink"),
        ("http://formula.example/", "sheet 2!B7"),
        ("http://prompt.example/", "sheet 2 / dataValidation@prompt"),
        ("http://header.example/", "sheet 2"),
        ("http://comment.example/", "sheet 2!C3 / comments"),
    ],
    "office.pptx": [
        ("http://slide.example/a", "slide 1"),
        ("http://shown.example/", "slide 2"),
        (TARGET, "slide 2 / hlinkClick"),
        ("http://notes.example/", "slide 2 / notesSlide"),
        ("http://title.example/", "docProps/core.xml"),
    ],
    "python.pptx": [
        ("http://title.example/", "slide 1"),
        ("http://shown.example/", "slide 1"),  # two runs with one link
        (TARGET, "slide 1 / hlinkClick"),
        ("http://notes.example/", "slide 1 / notesSlide"),
        ("http://shape.example/", "slide 2 / hlinkClick"),
        ("http://cell.example/", "slide 2"),
    ],
    "office.odt": [
        ("http://bold.example/a", "content.xml"),
        ("http://shown.example/", "content.xml"),
        (TARGET, "content.xml / a"),
        ("http://after.example/", "content.xml"),
        ("http://footnote.example/", "content.xml"),
        ("http://endnote.example/", "content.xml"),
        ("http://comment.example/", "content.xml"),
        ("http://cell.example/", "content.xml"),
        ("http://box.example/", "content.xml"),
        ("http://item.example/", "content.xml"),
        ("http://header.example/", "styles.xml"),
        ("http://footer.example/", "styles.xml"),
        ("http://title.example/", "meta.xml"),
    ],
    "office.ods": [
        ("http://bold.example/a", "sheet 1!A1"),
        ("http://shown.example/", "sheet 1!D1"),
        (TARGET, "sheet 1!D1 / a"),
        ("http://formula.example/", "sheet 2!B7"),
        ("http://comment.example/", "sheet 2!C7"),
        ("http://title.example/", "meta.xml"),
    ],
    "office.odp": [
        ("http://slide.example/a", "slide 1"),
        ("http://shown.example/", "slide 2"),
        (TARGET, "slide 2 / a"),
        ("http://notes.example/", "slide 2 / notes"),
        ("http://title.example/", "meta.xml"),
    ],
    "python.epub": [
        ("urn:isbn:0395363411", "EPUB/content.opf"),
        ("http://source.example/", "EPUB/content.opf"),
        ("http://text3.example/", "chapter 1"),
        ("http://target3.example/", "chapter 1 / a@href"),
        ("http://text1.example/", "chapter 2"),
        ("http://target1.example/", "chapter 2 / a@href"),
        ("http://text2.example/", "chapter 3"),
        ("http://target2.example/", "chapter 3 / a@href"),
        ("http://style.example/", None),
        ("urn:isbn:0395363411", "meta@content"),  # of the navigation for readers of old
    ],
    "office.rtf": [
        ("http://title.example/", "title"),
        ("http://header.example/", "header"),
        ("http://footer.example/", "footer"),
        ("http://bold.example/a", None),
        ("http://shown.example/", None),
        (TARGET, "HYPERLINK"),
        ("http://after.example/", None),
        ("http://footnote.example/", "footnote"),
        ("http://endnote.example/", "footnote"),
        ("http://comment.example/", "annotation"),
        ("http://cell.example/", None),
        ("http://box.example/", "shptxt"),
        ("http://item.example/", None),
    ],
    "office.pdf": [
        *(
            (f"http://{place}.example/", "page 1")
            for place in "header bold shown after cell item footnote footer box".split()  # noqa: SIM905
        ),
        (TARGET, "page 1 / link"),
        ("http://endnote.example/", "page 2"),
        ("http://title.example/", "Title"),
    ],
    "python.pdf": [
        ("http://plain.example/a", "page 1"),
        ("http://hyphen.example/very-long/x", "page 1"),
        ("http://slash.example/y/z", "page 1"),
        ("http://shown.example/", "page 1"),
        (TARGET, "page 1 / link"),
        ("http://note.example/", "page 1 / note"),
        ("http://second.example/", "page 2"),
        ("http://title.example/", "Title"),
    ],
    "chromium.pdf": [
        ("http://page.example/a", "page 1"),
        ("http://shown.example/", "page 1"),
        (TARGET, "page 1 / link"),
        ("http://second.example/", "page 2"),
        ("http://title.example/", "Title"),
    ],
    "forms.pdf": [
        ("http://page.example/", "page 1"),
        *(
            (f"http://{field}", f"page {page} / field")
            for page in (1, 2)
            for field in (
                f"value{page}.example/?a=1&b=2",
                *("tip.example/", "line.example/", "two.example/", "one.example/"),
            )
        ),
    ],
    "areas.pdf": [
        ("http://value.example/", "page 1"),
        ("http://area.example/", "page 1"),
        *((f"http://{name}.example/", "page 1 / link") for name in ("picture", "button", "card", "lines")),
        *[("http://twice.example/", "page 1 / link")] * 2,
    ],
}
ROWS["office.pdf"][1] = ("http://bold.example/a", "page 1")


def found(path: Path | str, tally: Tally | None = None, **reading: object) -> list[tuple[str, str | None]]:
    records = extract_files([str(path)], tally=tally, reading=ReadingOptions(**reading))  # type: ignore[arg-type]
    return [(record.uri, record.field) for record in records if not (record.field or "").endswith("@epub:prefix")]


def _needs(name: str) -> None:
    if ".pdf" in name:
        pytest.importorskip("pypdfium2", reason="the extra pdf is not installed")


@pytest.mark.parametrize("name", ROWS)
def test_each_place_of_a_link(name: str) -> None:
    _needs(name)
    tally = Tally()
    assert found(DATA / name, tally) == ROWS[name]
    kind = name.rpartition(".")[2]
    assert (tally.kinds, tally.broken) == ({kind: 1}, {})


@pytest.mark.parametrize("name", [name for name in ROWS if name.rpartition(".")[2] in tuple(InputKind)])
def test_the_kind_is_named(name: str) -> None:
    _needs(name)
    kind = name.rpartition(".")[2]
    assert found(DATA / name, input=kind) == ROWS[name]
    if kind == "rtf":
        return
    tally = Tally()
    assert found(DATA / name, tally, input="csv") == []
    assert tally.skipped == {(kind, "another-kind"): 1}


@pytest.mark.parametrize("name", ["office.docx", "office.ods", "python.epub", "office.rtf", "python.pdf"])
def test_in_mail_archives_and_standard_input(name: str, tmp_path: Path) -> None:
    _needs(name)
    data = (DATA / name).read_bytes()
    mail = EmailMessage()
    mail["Subject"] = "invoice"
    mail.set_content("see")
    mail.add_attachment(data, maintype="application", subtype="octet-stream", filename=name)
    (tmp_path / "a.eml").write_bytes(bytes(mail))
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        member = tarfile.TarInfo(f"in/{name}")
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))
    (tmp_path / "a.tgz").write_bytes(gzip.compress(out.getvalue()))
    assert found(tmp_path / "a.eml") == ROWS[name]
    assert found(tmp_path / "a.tgz") == ROWS[name]
    records = list(extract_files([str(tmp_path)]))
    assert {(record.source or "").partition("a.")[2].partition("!")[:2] for record in records} == {
        ("eml", "!"),
        ("tgz", "!"),
    }
    assert {record.part for record in records if "eml" in (record.source or "")} == {"2"}
    ran = call("extract", "--format", "tsv", "--fields", "uri,field", "-", stdin=data)
    lines = [line for line in ran.lines[1:] if not line.endswith("@epub:prefix")]
    assert lines == [f"{uri}\t{field or ''}" for uri, field in ROWS[name]]


def test_text_that_differs_from_its_target_is_a_warning() -> None:
    for name in ("office.docx", "office.odt", "office.rtf", "python.pptx", "office.odp"):
        records = [one for one in extract_files([str(DATA / name)]) if one.uri == TARGET]
        assert [one.warnings for one in records] == [("text-differs-from-target",)]


def test_what_a_line_break_in_a_pdf_cuts() -> None:
    _needs("python.pdf")
    records = {record.uri: record for record in extract_files([str(DATA / "python.pdf")])}
    hyphen = records["http://hyphen.example/very-long/x"]
    assert (hyphen.warnings, hyphen.alternatives) == (
        ("whitespace-removed", "hyphen-at-line-break"),
        ("http://hyphen.example/verylong/x",),
    )
    assert records[TARGET].warnings == ("text-differs-from-target",)


def test_encrypted_ones_are_counted() -> None:
    _needs("locked.pdf")
    tally = Tally()
    assert found(DATA / "locked.pdf", tally) == []
    assert tally.skipped == {("pdf", "encrypted"): 1}


def test_an_encrypted_document_of_an_office_is_no_message(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(compound_file({"EncryptedPackage": b"x", "EncryptionInfo": b"x"}))
    tally = Tally()
    assert found(tmp_path / "a.docx", tally) == []
    assert (tally.skipped, tally.kinds, tally.broken) == ({("office", "encrypted"): 1}, {}, {})


OLD_TEXT = "see http://old.example/ and"


@pytest.mark.parametrize("name", ["WordDocument", "Workbook", "PowerPoint Document", "SummaryInformation"])
def test_compound_files_that_are_no_messages_are_read_if_all_binary_files_are(name: str, tmp_path: Path) -> None:
    data = compound_file({name: OLD_TEXT.encode("utf-16-le")})
    (tmp_path / "a.bin").write_bytes(data)
    mail = EmailMessage()
    mail.set_content("see")
    mail.add_attachment(data, maintype="application", subtype="msword", filename="a.doc")
    (tmp_path / "a.eml").write_bytes(bytes(mail))
    for path, read_as in ((tmp_path / "a.bin", {}), (tmp_path / "a.eml", {"mail": 1})):
        tally = Tally()
        assert found(path, tally) == []
        assert (tally.skipped, tally.broken, tally.kinds) == ({("office", "out-of-scope"): 1}, {}, read_as)
        assert found(path, binary="text") == [("http://old.example/", None)]
    ran = call("extract", "--read", "binary", "-", stdin=data)
    assert ran.lines == ["http://old.example/"]


def test_without_the_extra(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pypdfium2", None)
    ran = call("extract", "-v", str(DATA / "python.pdf"), str(DATA / "office.docx"))
    assert len(ran.lines) == len(ROWS["office.docx"])
    assert "as 1 docx; skipped: 1 pdf (needs the extra pdf)" in ran.err
    (tmp_path / "a.txt").write_text("http://a.example/")
    ran = call("extract", "--input", "pdf", str(tmp_path / "a.txt"))
    assert "skipped: 1 pdf (needs the extra pdf)" in ran.err
    for command in ("extract", "count", "dedupe", "stats"):
        ran = call(command, "--quiet", str(DATA / "python.pdf"))
        assert (ran.err, ran.status) == ("urisieve: skipped: 1 pdf (needs the extra pdf)\n", 1)


def test_what_is_no_pdf_is_counted_as_one_if_that_is_asked_for(tmp_path: Path) -> None:
    _needs("python.pdf")
    (tmp_path / "a.txt").write_text("http://a.example/")
    tally = Tally()
    assert found(tmp_path / "a.txt", tally, input="pdf") == []
    assert (tally.kinds, tally.broken) == ({"pdf": 1}, {("pdf", "corrupt"): 1})
