"""The canonical forms and keys that the kernel proves of whole identifiers, under options that it knows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.merging import MergeStep, Profile
from urisieve.options import Charset, Level, Options, Repair, Spoofing, UrnSyntax, merging_of

# A program uses a few sets of options.
_FEW_OPTIONS: Final = 64


def kernel_merging(profile: Profile) -> kernel.Merging:
    """Return what the kernel has to know of a profile."""
    bits = sum(1 << number for number, step in enumerate(MergeStep) if step in profile.steps)
    return kernel.Merging(bits, list(map(str, profile.keep_params)), list(map(str, profile.drop_params)))


# Takes texts as `kernel.canonical_texts` does, and returns their canonical forms.
TextsProof = Callable[["bytes | memoryview", "bytes | memoryview", bool], tuple[bytes, bytes, bytes]]
# Takes texts, and returns the rows of those that are proved, and the indices of the others.
RowsProof = Callable[[list[str]], "tuple[kernel.Harvest, list[int]]"]


class Proofs(NamedTuple):
    """The functions that prove forms of whole texts.

    Attributes:
        canonical: returns the canonical form of a text, or None where the judge has to decide.
        key: returns the key of a text, likewise.
        texts: makes the canonical forms of many texts; None if nothing does, or if they are not the keys.
        rows: makes the rows of many texts; returns the indices of those where the judge has to decide, too. None
            likewise.
    """

    canonical: Callable[[str], str | None]
    key: Callable[[str], str | None]
    texts: TextsProof | None
    rows: RowsProof | None


def _unproved(_text: str) -> None:
    """Prove nothing: the judge has to decide."""


_NONE: Final = Proofs(_unproved, _unproved, None, None)


def _by_kernel(options: Options) -> Proofs:
    is_known = (
        options.level == Level.SCHEME
        and options.charset == Charset.UNICODE
        and options.repair == Repair.OFF
        and options.spoofing == Spoofing.OFF
        and not options.rules
        and not options.bare
    )
    if not is_known:
        return _NONE
    is_usual = options.urn_syntax == UrnSyntax.RFC2141  # as to the components of a URN
    profile = merging_of(options)
    if not profile:
        rows = partial(kernel.proved_rows, None) if is_usual else None
        return Proofs(kernel.canonical, kernel.canonical, kernel.canonical_texts, rows)
    merging = kernel_merging(profile)
    if MergeStep.ARCHIVE_KEY in profile.steps:
        return Proofs(merging.canonical, merging.key, None, None)
    rows = partial(kernel.proved_rows, merging) if is_usual else None
    return Proofs(merging.canonical, merging.key, merging.canonical_texts, rows)


def _in_python(_options: Options) -> Proofs:
    return _NONE


_proofs: Final = either(_by_kernel, _in_python)
# By the identity of options, which takes a hundredth of the time of their hash; an entry holds them, so that no others
# get their identity.
_KNOWN: Final[dict[int, tuple[Options, Proofs]]] = {}


def proofs_of(options: Options) -> Proofs:
    """Return what the kernel proves under some options."""
    known = _KNOWN.get(id(options))
    if known is None:
        known = (options, _proofs(options))
        if len(_KNOWN) >= _FEW_OPTIONS:
            _KNOWN.clear()
        _KNOWN[id(options)] = known
    return known[1]
