"""Keys of 10,000 identifiers as they were written: a key that changes breaks the stores of those who have it."""

from __future__ import annotations

from pathlib import Path

import pytest

from make_golden_keys import NUMBER, TARGET, changed_keys, main, written
from urisieve.dedupe.signature import CANONICAL_VERSION
from urisieve.types import SCHEMA_VERSION

_MEANING = (
    "A key that changes is a breaking change: stored keys and stores no longer meet it. If that is meant: raise "
    "CANONICAL_VERSION (urisieve.dedupe.signature) and SCHEMA_VERSION (urisieve.records.base), name the change in "
    "CHANGELOG.md and write the file anew by `python tools/make_golden_keys.py`."
)


def _lines() -> list[str]:
    return TARGET.read_text("utf-8").rstrip("\n").split("\n")


def test_no_key_has_changed() -> None:
    head, *lines = _lines()
    changed = changed_keys(lines)
    if changed:
        more = f"\n... and {len(changed) - 50} more" if len(changed) > 50 else ""
        pytest.fail(
            f"{len(changed)} of {len(lines)} keys have changed:\n" + "\n".join(changed[:50]) + f"{more}\n{_MEANING}"
        )
    versions = f"# canonical {CANONICAL_VERSION}, schema {SCHEMA_VERSION}"
    assert head == versions, (
        f"the file is of another version: write it anew by `python tools/make_golden_keys.py`. {head}"
    )


def test_what_the_file_holds() -> None:
    lines = _lines()[1:]
    texts = [line.partition("\t")[0] for line in lines]
    assert len(set(texts)) == len(texts) == NUMBER
    assert lines == sorted(lines)
    schemes = {text.partition(":")[0].lower() for text in texts}
    assert len(schemes) > 400
    assert sum(text.lower().startswith("urn:") for text in texts) > 1_000
    assert sum(not text.isascii() for text in texts) > 500
    assert sum("%" in text for text in texts) > 1_000
    assert len({line.partition("\t")[2] for line in lines}) < NUMBER - 1_000  # many have the key of another one


@pytest.mark.long
def test_the_script_writes_the_same_twice() -> None:
    assert written() == written()


@pytest.mark.long
def test_a_changed_key_is_named_and_not_written_over(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    head, first, *lines = _lines()
    text = first.partition("\t")[0]
    assert changed_keys([first, f"{text}\tx:y", "http://e.example:x/\tz"]) == [
        f"{text}  had x:y  has {first.partition(chr(9))[2]}",
        "http://e.example:x/  had z  has no key: it is not valid",
    ]
    target = tmp_path / "keys.tsv"
    target.write_text("\n".join([head, f"{text}\tx:y", *lines]) + "\n", "utf-8")
    monkeypatch.setattr("make_golden_keys.TARGET", target)
    before = target.read_text("utf-8")
    with pytest.raises(SystemExit, match="1 keys of version"):
        main([])
    assert target.read_text("utf-8") == before
    main(["--unreleased"])
    assert changed_keys(target.read_text("utf-8").rstrip("\n").split("\n")[1:]) == []
