"""The package beside independent programs: whatever they answer otherwise is known, and has its reason."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import differential.comparison
from differential import tables
from differential.comparison import Comparison, Difference
from differential.generated_identifiers import kept_identifiers
from differential.peers import Peer, peers
from differential.trial import KNOWN, compared, trial
from tests.helpers.folders import ROOT

# rfc3986 warns of what it does itself.
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")

PEERS = peers()
PYTHON = ("urllib", "ipaddress", "rfc3986", "rfc3987", "uritools", "hyperlink", "yarl", "can-ada", "idna")
PAGE = (ROOT / "docs" / "reference" / "differences.md").read_text("utf-8")
PROGRAMS = PAGE.partition("\nPrograms: ")[2].partition(".\n")[0].split(", ")
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


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", [1, 2, 3, 4])
def test_each_disagreement_is_explained(comparison: Comparison, seed: int) -> None:
    texts = kept_identifiers(ROOT)[seed::80]
    assert list(trial(comparison, 100, seed, texts)) == []
    assert sum(comparison.disagreeing.values()) > 250  # or they are asked nothing


@pytest.mark.parametrize("known", KNOWN, ids=IDS)
def test_each_known_difference_is_there(comparison: Comparison, known: Difference) -> None:
    """Its example is explained by it alone, for one of its programs at least, if all are installed."""
    asked = list(_asked(known))
    if not asked:
        pytest.skip(f"{' and '.join(known.peers)}: not installed")
    causes = []
    for peer in asked:
        one = Comparison([peer], [known])
        assert list(one.ask(known.question, *known.example)) == [] or len(asked) > 1
        causes.append(one.explained[peer.name, known.question, known.name])
    others = [f"{peer.name} {peer.version}" for peer in asked if f"{peer.name} {peer.version}" not in PROGRAMS]
    if not any(causes) and others:
        pytest.skip(f"{' and '.join(others)}: not the version that the page is of, and the difference is gone")
    assert any(causes) or len(asked) < len(known.peers)


def test_the_page_has_each_known_difference() -> None:
    written = PAGE.partition(tables.START)[2].partition(tables.END)[0]
    assert [one.name for one in KNOWN if f"\n| {one.name} | " not in written] == []


URLS = ("wss://?&%5B@c%c3z/b/b/A/.", "wss://?&%5B@c%c3z/b/b/A/")


def test_what_a_model_makes_may_be_refused(comparison: Comparison) -> None:
    """Its model does not apply then."""
    assert list(comparison.ask("same", *URLS)) == []


def test_an_exception_is_reported_and_explained_by_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*texts: str) -> bool:
        raise IndexError("of a peer")

    known = [one for one in KNOWN if one.when is not None and one.question == "same"]
    peer = Peer("can-ada", "0", {"same": fails})
    ((name, _, own, theirs),) = Comparison([peer], known).ask("same", "file:///a", "file:///a")
    assert (name, own, theirs) == ("can-ada", True, "raises IndexError('of a peer')")

    def faulty(answer: bool, texts: tuple[str, ...], asked: Peer) -> bool:
        raise IndexError("of a model")

    model = known[0]._replace(peers=("can-ada",), when=None, answer=faulty)
    peer = peer._replace(ask={"same": lambda *texts: False})
    ((_, _, own, theirs),) = Comparison([peer], [model, *known]).ask("same", "file:///a", "file:///a")
    assert "of a model" in own
    assert theirs is False

    monkeypatch.setattr(differential.comparison, "ours", fails)
    ((_, _, own, _),) = Comparison([peer], known).ask("same", "file:///a", "file:///a")
    assert own == "raises IndexError('of a peer')"
