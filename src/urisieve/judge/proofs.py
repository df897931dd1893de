"""What the kernel proves of whole identifiers: their canonical form, under options that it knows."""

from __future__ import annotations

from collections.abc import Callable

from urisieve.kernel import either, kernel
from urisieve.lean import Final
from urisieve.merging import MergeStep, Profile
from urisieve.options import Charset, Level, Options, Repair, Spoofing, merging_of

# The steps that only the judge knows, since they lead to another identifier.
_JUDGED: Final = frozenset((MergeStep.RESOLVER_LINKS, MergeStep.ARCHIVE_KEY))
# A program uses a few sets of options.
_FEW_OPTIONS: Final = 64


def kernel_merging(profile: Profile) -> kernel.Merging | None:
    """Return what the kernel has to know of a profile; None if it does not know all of its steps."""
    if not _JUDGED.isdisjoint(profile.steps):
        return None
    bits = sum(1 << number for number, step in enumerate(MergeStep) if step in profile.steps)
    return kernel.Merging(bits, list(map(str, profile.keep_params)), list(map(str, profile.drop_params)))


def unproved(_text: str) -> None:
    """Prove nothing: the judge has to decide."""


# Takes texts as `kernel.canonical_texts` does, and returns their canonical forms.
TextsProof = Callable[["bytes | memoryview", "bytes | memoryview", bool], tuple[bytes, bytes, bytes]]


_Proofs = tuple[Callable[[str], str | None], TextsProof]


def _proofs_of_kernel(options: Options) -> _Proofs | None:
    is_known = (
        options.level == Level.SCHEME
        and options.charset == Charset.UNICODE
        and options.repair == Repair.OFF
        and options.spoofing == Spoofing.OFF
        and not options.rules
        and not options.bare
    )
    if not is_known:
        return None
    profile = merging_of(options)
    if not profile:
        return kernel.canonical, kernel.canonical_texts
    merging = kernel_merging(profile)
    return None if merging is None else (merging.canonical, merging.canonical_texts)


def _no_proofs(_options: Options) -> None:
    return None


_kernel_proofs: Final[Callable[[Options], _Proofs | None]] = either(_proofs_of_kernel, _no_proofs)


def texts_proof_of(options: Options) -> TextsProof | None:
    """Return what proves the canonical forms of many texts, which are their keys, too; None if the judge has to."""
    proofs = _kernel_proofs(options)
    return None if proofs is None else proofs[1]


# By the identity of options, which takes a hundredth of the time of their hash; an entry holds them, so that no others
# get their identity.
_PROOFS: Final[dict[int, tuple[Options, Callable[[str], str | None]]]] = {}


def proof_of(options: Options) -> Callable[[str], str | None]:
    """Return what proves the canonical form of a text, which is its key, too; None is left to the judge."""
    known = _PROOFS.get(id(options))
    if known is None:
        proofs = _kernel_proofs(options)
        known = (options, unproved if proofs is None else proofs[0])
        if len(_PROOFS) >= _FEW_OPTIONS:
            _PROOFS.clear()
        _PROOFS[id(options)] = known
    return known[1]
