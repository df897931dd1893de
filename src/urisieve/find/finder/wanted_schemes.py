"""The schemes that one set of options looks for, and the scheme before a colon (RFC 3986 3.1)."""

from __future__ import annotations

import re
from collections.abc import Collection

from urisieve.find.delimited import after_escapes
from urisieve.find.pivots import SCHEME_CHARACTERS
from urisieve.lean import Final, lazy_compile
from urisieve.options import Options, SchemePolicy, listed_schemes
from urisieve.rules.registry import registered_schemes
from urisieve.rules.table import rules_of

# Schemes that are found at the end of a longer run of letters.
_WEB: Final = lazy_compile(r"(?:https?|ftp)\Z")
# What follows such a scheme; the slashes may be escaped.
_SLASHES: Final = ("://", ":\\")
# `%0Ahttp:`, and `=3Dhttp:` of quoted-printable.
_OCTET: Final = lazy_compile(r"[0-9A-F]{2}(https?|ftp)", re.IGNORECASE)
# The characters of an escape sequence that may precede characters of a scheme.
BEFORE_LETTERS: Final = frozenset("[;:?\x1b\x9b()*#$/")


class WantedSchemes:
    """The schemes that are looked for by one set of options.

    Attributes:
        any: whether any scheme counts, also without "//".
        listed: the only schemes that count; None without such a list.
        excluded: the schemes that do not count.
    """

    def __init__(self, options: Options) -> None:
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self.any = options.schemes == SchemePolicy.ANY
        self._registered = options.schemes == SchemePolicy.REGISTERED
        self.listed = listed_schemes(options)
        self.excluded = frozenset(options.exclude_schemes) | ({"url"} if self.any else frozenset())
        more = frozenset(options.known_schemes) | (self.listed or frozenset())
        self._plain: dict[str, tuple[str, bool]] = {}  # registered schemes in the spellings seen before
        self._known: Collection[str] = registered_schemes().keys() | more if more else registered_schemes().keys()

    def holds(self, name: str) -> bool:
        """Report whether a scheme, in lower case, counts."""
        if name in self.excluded or (self._registered and name not in self._known):
            return False
        return self.is_listed(name)

    def is_listed(self, name: str) -> bool:
        """Report whether a scheme is on the list, or there is no list."""
        return self.listed is None or name in self.listed

    def before(self, text: str, pivot: int, floor: int) -> tuple[str, bool] | None:
        """Return the scheme before a colon, if it is wanted, and whether it is cut from a run (RFC 3986 3.1)."""
        first = max(floor, pivot - self._limit)
        near = max(first, pivot - 64)
        run = text[near:pivot]
        kept = run.rstrip(SCHEME_CHARACTERS)
        if not kept and near > first:
            run = text[first:pivot]
            kept = run.rstrip(SCHEME_CHARACTERS)
        written = run[len(kept) :]
        is_cut = False
        last = kept[-1:]
        if last == "%" or last == "=":
            escaped = _OCTET.fullmatch(written)
            if escaped is not None:
                written, is_cut = escaped[1], True
        elif last in BEFORE_LETTERS and ("\x1b" in run or "\x9b" in run):
            written = run[max(len(kept), after_escapes(run)) :]
        plain = self._plain.get(written)
        if plain is not None and not is_cut:
            return plain
        scheme = written.lstrip("0123456789+-.")
        if not scheme:
            return None
        name = scheme.lower()
        known = self._known
        if name in known:
            if scheme == written and not is_cut and self.holds(name):
                plain = self._plain[written] = (scheme, False)
                return plain
        else:
            if len(name) == 1 and not self._rules.scheme(name).name:
                return None  # `%s://`, `C:`
            if "+" not in name:
                index = max(name.rfind("."), name.rfind("-")) + 1
                if not index or name[index:] not in known:
                    # A prefix of a name of the web belongs to the text, as the `n` of `\nhttps://`.
                    web = _WEB.search(name) if text.startswith(_SLASHES, pivot) else None
                    index = 0 if web is None or self._rules.scheme(name).name else web.start()
                    is_cut = index > 0
                scheme = scheme[index:]
                name = name[index:]
        return (scheme, is_cut) if self.holds(name) else None

    def begins(self, name: str, text: str, after: int) -> bool:
        """Report whether a text begins with an identifier of this scheme, as one in running text does."""
        if text.startswith("//", after):
            return len(text) > after + 2 and (len(name) > 1 or name in self._known)
        if len(text) == after:
            return False
        shape = self._rules.shape(name)
        return self.any or (shape.match(text, after) is not None if shape is not None else self.listed is not None)
