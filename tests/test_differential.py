"""The package beside independent programs: whatever they answer otherwise is known, and has its reason."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from differential import tables
from differential.comparison import Comparison, Difference
from differential.generated_identifiers import kept_identifiers
from differential.peers import Peer, peers
from differential.trial import KNOWN, compared, trial

# rfc3986 warns of what it does itself.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

ROOT = Path(__file__).parent.parent
PEERS = peers()
PYTHON = ("urllib", "ipaddress", "rfc3986", "rfc3987", "uritools", "hyperlink", "yarl", "can-ada", "idna")
IDS = [f"{one.question} {one.name}" for one in KNOWN]


@pytest.fixture(scope="module")
def comparison() -> Comparison:
    return compared(PEERS)


def _asked(known: Difference) -> Iterator[Peer]:
    return (peer for peer in PEERS if peer.name in known.peers and known.question in peer.ask)


def test_packages_are_there() -> None:
    assert set(PYTHON) <= {peer.name for peer in PEERS}


def test_no_name_comes_twice() -> None:
    assert len(set(IDS)) == len(KNOWN)


@pytest.mark.parametrize("seed", [1, 2])
def test_each_disagreement_is_explained(comparison: Comparison, seed: int) -> None:
    texts = kept_identifiers(ROOT)[seed::40]
    assert list(trial(comparison, 200, seed, texts)) == []
    assert sum(comparison.disagreeing.values()) > 500  # or they are asked nothing


@pytest.mark.parametrize("known", KNOWN, ids=IDS)
def test_each_known_difference_is_there(comparison: Comparison, known: Difference) -> None:
    """Its example is explained by it alone, for one of its programs at least."""
    asked = list(_asked(known))
    if not asked:
        pytest.skip(f"{' and '.join(known.peers)}: not installed")
    causes = []
    for peer in asked:
        one = Comparison([peer], [known])
        assert list(one.ask(known.question, *known.example)) == [] or len(asked) > 1
        causes.append(one.explained[peer.name, known.question, known.name])
    assert any(causes)


def test_the_page_has_each_known_difference() -> None:
    page = (ROOT / "docs" / "explanation" / "differences.md").read_text("utf-8")
    written = page.partition(tables.START)[2].partition(tables.END)[0]
    assert [one.name for one in KNOWN if f"\n| {one.name} | " not in written] == []
