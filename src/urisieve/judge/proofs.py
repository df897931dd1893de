"""The canonical forms and keys that the kernel proves of whole identifiers, under options that it knows.

It holds besides:

- `quick_judge`: the judge behind the kernel, which knows most faults of links, and hosts that were judged before.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from urisieve.codes import REASONS, Component, Reason
from urisieve.judge.judge import Judged, judge
from urisieve.judge.validate import Fault
from urisieve.kernel import either, kernel
from urisieve.lean import Final, NamedTuple
from urisieve.merging import MergeStep, Profile
from urisieve.options import Charset, Level, Options, Repair, Spoofing, UrnSyntax, merging_of
from urisieve.syntax.components import split
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded

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


# By the numbers of the kernel; see fault.h, where 0 is none, and components.h.
_REASONS: Final = (
    *(Reason.ILLEGAL_CHARACTER, Reason.BAD_PERCENT_ENCODING, Reason.BRACKET_OUTSIDE_HOST, Reason.SECOND_FRAGMENT),
    *(Reason.BAD_PORT, Reason.HOST_LABEL),
)
_COMPONENTS: Final = (
    *(Component.SCHEME, Component.USERINFO, Component.HOST, Component.PORT, Component.PATH, Component.QUERY),
    Component.FRAGMENT,
)
_UNREPAIRED: Final = Repair.OFF


def _judged_by_kernel(text: str, options: Options) -> Judged | Fault:
    found = kernel.fault(text) if options.repair is _UNREPAIRED else None
    if found is not None:
        number, component, offset = found
        reason = _REASONS[number - 1]
        return tuple.__new__(Fault, (reason, _COMPONENTS[component], offset, REASONS[reason].section))
    # Of an internationalized host it knows what was judged before; a user has a warning, which no proof tells.
    if (text.isascii() and "xn--" not in text) or "@" in text or text[:4].lower() != "http":
        return judge(text, options)
    proofs = proofs_of(options)
    form, key = proofs.canonical(text), proofs.key(text)
    if form is not None and key is not None:
        return tuple.__new__(Judged, (form, key, None, ()))
    judged = judge(text, options)
    if isinstance(judged, Judged):
        _learn(split(text).host or "")
    return judged


def _learn(host: str) -> None:
    """Let the kernel remember the canonical form of a host, if it has no warnings and no dot at its end."""
    if "%" not in host and (not host.isascii() or "xn--" in host):
        verdict = dns_host(encoded(host))
        if verdict.reason is None and not verdict.warnings and verdict.host[-1] != ".":
            kernel.learn_host(host, verdict.host)


quick_judge: Final = either(_judged_by_kernel, judge)
"""Judge the text of a candidate; see `judge`."""
