"""The options that the kernel knows, and the canonical forms and keys that it proves of whole identifiers under them.

With any other option that differs from its default, Python does all the work. This is the only place that decides by
options whether the kernel may search or judge; `urisieve.find.searches` decides which of its functions are used.

The module also defines which schemes some options want, wherever an identifier comes from: found, assumed, unwrapped,
nested, or given. A scheme counts as it is written, or as it is assumed, before any step of merging.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from functools import cached_property, partial
from itertools import accumulate, pairwise

from urisieve import finding_options
from urisieve.codes import Component, Reason
from urisieve.finding_options import Options
from urisieve.kernel import bits, either, kernel, of_kernel
from urisieve.lean import TYPE_CHECKING, Final, NamedTuple, field_names, replace
from urisieve.merging import MergeStep, Profile

if TYPE_CHECKING:
    from urisieve.judge.validate import Fault


# The schemes that are assumed of a name of a host and of a mail address.
_OF_NAMES: Final = "http"
_OF_ADDRESSES: Final = "mailto"
# Those of the kinds of bare identifiers; a shortDOI becomes a link.
_OF_KINDS: Final = {
    finding_options.Bare.DOI: ("doi", "https"),
    finding_options.Bare.ISBN: ("urn",),
    finding_options.Bare.ISSN: ("urn",),
    finding_options.Bare.ORCID: ("https",),
    finding_options.Bare.ARK: ("ark",),
    finding_options.Bare.HANDLE: ("hdl",),
    finding_options.Bare.PMID: ("https",),
    finding_options.Bare.PMCID: ("https",),
    finding_options.Bare.ARXIV: ("https",),
}


class SchemeChoice:
    """The schemes that one set of options wants.

    Attributes:
        listed: the only schemes that count; None without such a list.
        excluded: the schemes that do not count.
    """

    def __init__(self, options: Options) -> None:
        self._options = options
        self._registered = options.schemes == finding_options.SchemePolicy.REGISTERED
        self.listed = finding_options.listed_schemes(options)
        self.excluded = frozenset(options.exclude_schemes)

    @cached_property
    def _known(self) -> Collection[str]:
        from urisieve.rules.registry import registered_schemes

        more = frozenset(self._options.known_schemes) | (self.listed or frozenset())
        return registered_schemes().keys() | more if more else registered_schemes().keys()

    def holds(self, name: str) -> bool:
        """Report whether a scheme, in lower case, is wanted."""
        if name in self.excluded or (self._registered and name not in self._known):
            return False
        return self.listed is None or name in self.listed

    def fault(self, text: str) -> Fault | None:
        """Return the fault of a whole text whose scheme is not wanted; None for any other, and without a scheme."""
        if not text.isascii() and self._options.charset == finding_options.Charset.LEGACY:
            from unicodedata import normalize

            text = normalize("NFC", text)  # as the judge does: the Kelvin sign becomes a letter
        name, colon, _ = text.partition(":")
        if not colon or self.holds(name.lower()):
            return None
        from urisieve.judge.validate import fault
        from urisieve.syntax import grammar

        if not grammar.matches("scheme", name):
            return None
        return fault(Reason.SCHEME_NOT_WANTED, Component.SCHEME, 0)

    @cached_property
    def findable(self) -> Options:
        """The options without what they would find by assuming a scheme that is not wanted."""
        options = self._options
        if options.schemeless != finding_options.SchemelessFinding.OFF and not self.holds(_OF_NAMES):
            options = replace(options, schemeless=finding_options.SchemelessFinding.OFF)
        if options.email != finding_options.EmailFinding.OFF and not self.holds(_OF_ADDRESSES):
            options = replace(options, email=finding_options.EmailFinding.OFF)
        kinds: tuple[finding_options.Bare, ...] = tuple(options.bare)  # type: ignore[arg-type] # `Options` holds members
        bare = tuple(kind for kind in kinds if any(map(self.holds, _OF_KINDS[kind])))
        return options if bare == kinds else replace(options, bare=bare)


_choice_of: Final = finding_options.by_identity(SchemeChoice)


def wanted_by(options: Options) -> SchemeChoice | None:
    """Return the schemes that some options want; None if every scheme is wanted."""
    every = (finding_options.SchemePolicy.DEFAULT, finding_options.SchemePolicy.ANY)
    return None if options.schemes in every and not options.exclude_schemes else _choice_of(options)


def findable(options: Options) -> Options:
    """Return options without what they would find by assuming a scheme that they do not want."""
    wanted = wanted_by(options)
    return options if wanted is None else wanted.findable


def unwanted(text: str, options: Options) -> Fault | None:
    """Return the fault of a whole text that is too long, or of a scheme that is not wanted; None for any other."""
    if len(text) > options.max_length:
        from urisieve.judge.validate import fault

        return fault(Reason.TOO_LONG, Component.IDENTIFIER, options.max_length)
    wanted = wanted_by(options)
    return None if wanted is None else wanted.fault(text)


_STEPS: Final[tuple[str, ...]] = of_kernel("MERGE_STEPS", ())
_PIVOTS: Final[tuple[str, ...]] = of_kernel("PIVOTS", ())

KNOWN: Final[dict[str, Collection[str] | None]] = {
    "schemes": None,
    "exclude_schemes": None,
    "known_schemes": None,
    "rules": None,
    "urn_syntax": ("rfc2141", "rfc8141"),
    "level": ("none", "syntax", "scheme"),
    "merge": _STEPS,
    "repair": ("off", "encode"),
    "schemeless": ("off", "www", "names"),
    "email": ("off", "addresses"),
    "bare": _PIVOTS,
    "refang": ("off", "known-forms"),
    "nested": ("off", "report"),
    "unwrap": ("off", "known", "any"),
    "spoofing": ("off", "warn"),
    "protect": None,
    "charset": ("unicode", "legacy"),
    "positions": ("lines", "offsets"),
    "max_length": None,
}
"""The fields of `Options` that the search of the kernel honours, each with the values that it knows; None for all."""


def knows(options: Options) -> bool:
    """Report whether the search and the judge are those of Python under some options, with and without the kernel.

    >>> from urisieve import Options
    >>> knows(Options(level="syntax", email=True))
    True
    """
    if options is finding_options.DEFAULT_OPTIONS:
        return True
    kind = type(options)
    default = finding_options.DEFAULT_OPTIONS if kind is Options else kind()
    for name in field_names(kind):
        value = getattr(options, name)
        if value == getattr(default, name):
            continue
        values = KNOWN.get(name, ())
        if values is not None and any(one not in values for one in _named(value)):
            return False
    return True


def _named(value: object) -> Iterable[object]:
    """Return the names of which a value of an option is made."""
    if isinstance(value, Profile):
        return value.steps
    return value if isinstance(value, tuple) else (value,)


def kernel_merging(profile: Profile) -> kernel.Merging:
    """Return what the kernel has to know of a profile."""
    return kernel.Merging(
        bits("MERGE_STEPS", profile.steps), list(map(str, profile.keep_params)), list(map(str, profile.drop_params))
    )


# Takes texts as `kernel.canonical_texts` does, and returns their canonical forms.
TextsProof = Callable[["bytes | memoryview", "bytes | memoryview", bool], tuple[bytes, bytes, bytes]]
# Takes texts, and returns the rows of those that are proved, and the indices of the others.
RowsProof = Callable[[list[str]], "tuple[kernel.Harvest, list[int]]"]


class Proofs(NamedTuple):
    """The functions that prove forms of whole texts, and find faults.

    Attributes:
        canonical: returns the canonical form of a text, or None where the judge has to decide.
        key: returns the key of a text, likewise.
        texts: makes the canonical forms of many texts; None if nothing does, or if they are not the keys.
        rows: makes the rows of many texts; returns the indices of those where the judge has to decide, too. None
            likewise.
        fault: returns why a text is no identifier: a reason, a component and an offset; None where the judge decides.
    """

    canonical: Callable[[str], str | None]
    key: Callable[[str], str | None]
    texts: TextsProof | None
    rows: RowsProof | None
    fault: Callable[[str], tuple[str, str, int] | None]


def _unproved(_text: str) -> None:
    """Prove nothing: the judge has to decide."""


_NONE: Final = Proofs(_unproved, _unproved, None, None, _unproved)


def _by_kernel(options: Options) -> Proofs:
    if not knows(options) or options.repair != finding_options.Repair.OFF:
        return _NONE
    proves = (
        options.level == finding_options.Level.SCHEME
        and options.charset == finding_options.Charset.UNICODE
        and options.spoofing == finding_options.Spoofing.OFF
        and not options.rules
        and not options.bare
    )
    if not proves:
        return _NONE._replace(fault=kernel.fault)
    profile = finding_options.merging_of(options)
    is_usual = options.urn_syntax == finding_options.UrnSyntax.RFC2141  # as to the components of a URN
    if not profile:
        rows = partial(kernel.proved_rows, None) if is_usual else None
        return Proofs(kernel.canonical, kernel.canonical, kernel.canonical_texts, rows, kernel.fault)
    merging = kernel_merging(profile)
    forms = Proofs(merging.canonical, merging.key, None, None, kernel.fault)
    if MergeStep.ARCHIVE_KEY in profile.steps:
        return forms
    rows = partial(kernel.proved_rows, merging) if is_usual else None
    return forms._replace(texts=merging.canonical_texts, rows=rows)


_proofs: Final = either(_by_kernel, lambda _options: _NONE)


def _of_whole(options: Options) -> Proofs:
    """Return the proofs of whole texts: of those whose scheme and length are wanted, since the kernel asks for neither.

    It proves no text of more bytes than `DEFAULT_MAX_LENGTH`.
    """
    forms, wanted, limit = _proofs(options), wanted_by(options), options.max_length
    if forms.canonical is _unproved or (wanted is None and limit >= finding_options.DEFAULT_MAX_LENGTH):
        return forms
    of_texts, of_rows = forms.texts, forms.rows

    def takes(scheme: str, length: int) -> bool:
        return length <= limit and (wanted is None or wanted.holds(scheme.lower()))

    def wanted_alone(prove: Callable[[str], str | None]) -> Callable[[str], str | None]:
        def proved(text: str) -> str | None:
            form = prove(text)
            return form if form is not None and takes(text.partition(":")[0], len(text)) else None

        return proved

    def texts(data: bytes | memoryview, offsets: bytes | memoryview, is_wide: bool) -> tuple[bytes, bytes, bytes]:
        """Prove the texts with those in between left empty, which the kernel does not prove."""
        from array import array

        bounds = memoryview(offsets).cast("B").cast("q" if is_wide else "i")
        pieces = [bytes(data[start:end]) for start, end in pairwise(bounds)]
        kept = [one if takes(one.partition(b":")[0].decode("latin-1"), len(one)) else b"" for one in pieces]
        ends = array("q", accumulate(map(len, kept), initial=0))
        return of_texts(b"".join(kept), ends.tobytes(), True)  # type: ignore[misc] # it is not None

    def rows(given: list[str]) -> tuple[kernel.Harvest, list[int]]:
        """Prove those of the texts that are taken."""
        kept = [index for index, text in enumerate(given) if takes(text.partition(":")[0], len(text))]
        harvest, others = of_rows([given[index] for index in kept])  # type: ignore[misc] # it is not None
        proved = set(kept).difference(kept[index] for index in others)
        return harvest, [index for index in range(len(given)) if index not in proved]

    return Proofs(
        wanted_alone(forms.canonical), wanted_alone(forms.key), of_texts and texts, of_rows and rows, forms.fault
    )


proofs_of: Final = finding_options.by_identity(_of_whole)
"""Return what the kernel proves of whole texts under some options: valid, of a wanted scheme, and not too long."""
proofs_of_candidates: Final = finding_options.by_identity(_proofs)
"""Return what the kernel proves of texts whose scheme and length are known to be wanted."""
