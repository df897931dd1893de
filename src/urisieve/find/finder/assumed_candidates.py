"""Candidates whose scheme is not in the text, or not as it is meant.

The former are names of hosts (RFC 3986 4.5) and mail addresses (RFC 5322 3.4.1). Nothing delimits them but their own
form and their neighbours. Text of another script may be directly before one, and what follows one is looked at by the
exit, as of any other. The latter are defanged: each is examined in the text without its marks, as any other.
"""

from __future__ import annotations

from collections.abc import Callable

from urisieve.codes import Warn
from urisieve.find.delimited import ends_escape
from urisieve.find.ends import candidates
from urisieve.find.ends.candidates import MAIL, WEB, Begun, Found, Judgements, Undecided, undecided
from urisieve.find.ends.exit import Ended
from urisieve.find.ends.extent import bare_end, syntax_of
from urisieve.find.finder import addresses, defanged, schemeless
from urisieve.find.finder.defanged import DefangedStart
from urisieve.find.finder.schemeless import BEYOND_NAME, NAME_LIMIT, name_end, name_limit
from urisieve.find.pivots import WantedSchemes
from urisieve.finding_options import Options, Refang
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Final, lazy_compile
from urisieve.syntax.characters import is_punctuation, is_text_before, script_change, trimmed_end

_MEANINGFUL: Final = lazy_compile(r"[%/?#\[\]&;=^`{|}]")
# The text to examine after a host name: a port and a slash, or `://`.
_AFTER_HOST: Final = 8
# What follows a name or an address is another reading if it is no longer: hundreds of them may be in one run.
_READ_AFTER: Final = 1_024
# Such classes are written as their complements: these compile in a hundredth of the time.
_INNER_DOT: Final = lazy_compile(r"(?<=[^\x00-/:-@\[-`{-\x7f])\.(?=[^\x00-@\[-`{-\x7f])")
_DIGITS: Final = frozenset("0123456789")
_ASSUMED: Final = (Warn.SCHEME_ASSUMED,)

# Finds the end of a candidate of which the beginning is known, with the warnings of that.
_End = Callable[[Begun, tuple[Warn, ...]], Ended | Undecided | None]


def encoded_local(local: str) -> str:
    """Return a local part as a URI has it: characters with a meaning there are encoded (RFC 6068 2)."""
    return _MEANINGFUL.sub(lambda match: f"%{ord(match[0]):02X}", local)


class AssumedCandidates:
    """Finds names of hosts and mail addresses without a scheme.

    Args:
        options: what to find and how far to normalize.
        wanted: the schemes that count.
        judgements: judges the candidates.
        end: finds the end of a candidate that goes on after its host.
    """

    def __init__(self, options: Options, wanted: WantedSchemes, judgements: Judgements, end: _End) -> None:
        self.options = options
        self._limit = options.max_length
        self.wanted = wanted
        self._generic = syntax_of("", options)
        self._refangs = options.refang == Refang.KNOWN_FORMS
        self.judged = judgements.judged
        self.end = end

    def www(self, text: str, pivot: int, floor: int, final: bool) -> Ended | Undecided | None:
        """Return a reference that begins with `www.` at a pivot, read as `http://`."""
        if text[pivot - 1 : pivot] == "m" and not ends_escape(text, pivot):
            return None
        limit = name_limit(text, pivot)
        if self._refangs and defanged.mark_follows(text, limit, final):
            return None  # the mark is a pivot too
        if limit == len(text) and not final:
            return undecided(text, pivot, pivot, BEYOND_NAME)
        stop = schemeless.name_stop(text, pivot + 3, limit)
        end = name_end(text, pivot, stop, 2)
        if end == pivot:
            return None
        found = self._host(Begun(text, pivot, pivot, pivot + 4, self._generic, None, final, WEB), stop, end)
        return self.with_text_before(text, found, pivot, schemeless.longer_name(text, pivot, floor), floor)

    def name(self, text: str, pivot: int, floor: int, final: bool) -> Ended | Undecided | None:
        """Return a host name with a top-level domain, read as `http://`; the pivot is its first dot."""
        longest = schemeless.name_start(text, pivot, floor)
        if longest < pivot and _INNER_DOT.search(text, longest, pivot):
            longest = schemeless.name_after(text, longest, pivot)
        if longest == pivot:
            return None  # its first dot has been examined already
        limit = name_limit(text, pivot)
        if limit == len(text) and not final:
            return undecided(text, pivot, longest, BEYOND_NAME)
        is_number = text[pivot + 1] in _DIGITS
        if len(text) - limit < (schemeless.PATH_LIMIT if is_number else _AFTER_HOST) and not final:
            return Undecided(pivot, longest, None)
        if is_number:
            start = script_change(text, longest, pivot)
            if not schemeless.is_numbered(text, start, limit, floor):
                return None
            found = self._host(Begun(text, pivot, start, start + 1, self._generic, None, final, WEB), limit, limit)
            return self.with_text_before(text, found, start, start, floor)
        stop = schemeless.name_stop(text, pivot, limit)
        starts = schemeless.name_starts(text, longest, pivot, stop)
        for start in starts:
            end = name_end(text, start, stop, 1)
            # Of a longer run the end is not known, but that before text is.
            is_whole = stop - start < NAME_LIMIT or (end < stop and text[end] > "\x7f")
            if end > start and is_whole and schemeless.is_name(text, start, end, floor):
                found = self._host(Begun(text, pivot, start, start + 1, self._generic, None, final, WEB), stop, end)
                return self.with_text_before(text, found, start, starts[0 if start == longest else -1], floor)
        return None

    def address(self, text: str, pivot: int, floor: int, final: bool) -> Ended | Undecided | None:
        """Return a bare mail address (RFC 5322 3.4.1, RFC 6531), read as `mailto:`; the pivot is its `@`."""
        local = addresses.local_part(text, pivot, floor, self.wanted.is_known)
        if local is None:
            return None
        limit = name_limit(text, pivot + 1)
        if limit == len(text) and not final:
            return undecided(text, pivot, local.longest, BEYOND_NAME)
        stop = addresses.before_link(text, pivot + 1, limit, self.wanted, final=final)
        if stop is None:
            return Undecided(pivot, local.longest, None)
        end = name_end(text, pivot + 1, stop, 1)
        if end == pivot + 1 or not addresses.is_host_of_address(text[pivot + 1 : end]):
            return None
        is_user = addresses.is_on_host(text, end, text[pivot + 1 : end], local.before, final=final)
        if is_user is None:
            return Undecided(pivot, local.longest, None)
        if is_user:
            return None
        first = addresses.address_start(text, local.start, pivot, end)
        found = self.mail(Begun(text, pivot, first, pivot + 1, self._generic, None, final, MAIL), pivot, end, ())
        if first > local.start and isinstance(found, Ended) and found.wrapper is None:
            whole = self.judged(encoded_local(text[local.start : pivot]) + text[pivot:end], MAIL)
            found = found._replace(alternatives=(whole.uri,)) if isinstance(whole, Judged) else found
        return self.with_text_before(text, found, local.start, local.longest, floor)

    def mail(self, begun: Begun, at: int, end: int, warnings: tuple[Warn, ...]) -> Ended | Undecided:
        """Return an address with its `@` at an offset, which ends at another; `warnings` are those of its beginning."""
        local = begun.text[begun.start : at]
        judged = self.judged(encoded_local(local) + begun.text[at:end], MAIL)
        told = () if local.isascii() else (Warn.INTERNATIONALIZED_ADDRESS,)
        return self._assumed(begun, end, judged, (*warnings, *_ASSUMED, *told))

    def with_text_before(
        self, text: str, found: Ended | Undecided | None, start: int, other: int, floor: int
    ) -> Ended | Undecided | None:
        """Say of a name or an address that text without a blank is directly before it, if any does.

        Args:
            text: the text around it.
            found: what was decided.
            start: where it begins.
            other: where another reading begins, which is named if it is an identifier; else `start`.
            floor: the end of the previous candidate.
        """
        if found is None or (other == start and not is_text_before(text, start, floor)):
            return found
        if isinstance(found, Undecided):
            return found._replace(start=min(found.start, other))
        if isinstance(found.judged, Fault):
            return found
        form = None if other == start else self._form(text[other : found.end])
        alternatives = found.alternatives if form is None else (*found.alternatives, form)
        return found._replace(warnings=(*found.warnings, Warn.TEXT_FOLLOWS), alternatives=alternatives)

    def _form(self, written: str) -> str | None:
        """Return the canonical form of a name or an address, if it is within the limits of its length."""
        local, at, host = written.rpartition("@")
        if not addresses.is_within_limit(local):
            return None
        judged = self.judged(f"{encoded_local(local)}{at}{host}", MAIL) if at else self.judged(host, WEB)
        if isinstance(judged, Fault) or Warn.HOST_TOO_LONG in judged.warnings:
            return None
        return judged.uri

    def _host(self, begun: Begun, limit: int, end: int) -> Ended | Undecided | None:
        """Return the candidate that begins with the name of a host up to `end`, in a run up to `limit`."""
        text = begun.text
        if end == limit and text[end : end + 1] in tuple(":/?#"):
            return self.end(begun, _ASSUMED)
        return self._assumed(begun, end, self.judged(text[begun.start : end], WEB), _ASSUMED)

    def _assumed(self, begun: Begun, end: int, judged: Judged | Fault, warnings: tuple[Warn, ...]) -> Ended | Undecided:
        """Return a name of a host or an address that ends at an offset; the rest of the run is another reading."""
        text, start = begun.text, begun.start
        wrapper = candidates.wrapper_around(text, start, end)
        if wrapper is not None:
            return Ended(begun, end, judged, wrapper, warnings)
        if is_punctuation(text[end : end + 1]):
            return Ended(begun, end, judged, None, warnings, stop=end)
        if name_limit(text, end) - start > NAME_LIMIT:  # no name is that long, with what follows
            return Ended(begun, end, judged, None, warnings, follows=True)
        limit = end + _READ_AFTER
        stop = bare_end(begun.syntax, text, end, min(len(text), limit, start + self._limit + 1))
        if stop == limit:
            return Ended(begun, end, judged, None, warnings, follows=True)
        if stop == len(text) and not begun.final:
            return begun.undecided(begun.syntax.beyond)
        follows = trimmed_end(text, end, stop, "") > end
        return Ended(begun, end, judged, None, warnings, stop=stop, others=(stop,) if follows else (), follows=follows)


# What is before a candidate and may belong to it: less than the context that a search keeps.
_BEFORE: Final = 96
_REFANGED: Final = (Warn.REFANGED,)
_NAMED: Final = (Warn.REFANGED, Warn.SCHEME_ASSUMED)


class DefangedCandidates:
    """Finds defanged candidates.

    Args:
        assumed: finds names and addresses.
        leave: returns a candidate with what its record states about its end.
    """

    def __init__(self, assumed: AssumedCandidates, leave: Callable[[Ended], Found | Undecided]) -> None:
        self._options = assumed.options
        self._limit = assumed.options.max_length
        self._generic = syntax_of("", assumed.options)
        self._wanted = assumed.wanted
        self._judged = assumed.judged
        self._assumed = assumed
        self._end = assumed.end
        self._leave = leave

    def find(self, text: str, pivot: int, floor: int, final: bool) -> Found | Undecided | None:
        """Return the defanged candidate of a pivot, judged in its original form, or None."""
        if text[pivot] == ".":
            return None
        if text[pivot] in "wW":
            follows = defanged.mark_follows(text, name_limit(text, pivot), final)
            return undecided(text, pivot, pivot, BEYOND_NAME) if follows is None else None
        begun = defanged.find_defanged(text, pivot, floor, final, self._options, self._wanted)
        if begun is None:
            return None
        if isinstance(begun, int):
            return self._undecided(text, pivot, begun)
        name = (begun.assumed or begun.head).partition(":")[0].lower()
        if not self._wanted.holds(name):
            return None
        return self._examined(text, pivot, floor, begun, final)

    def _examined(
        self, text: str, pivot: int, floor: int, begun: DefangedStart, final: bool
    ) -> Found | Undecided | None:
        """Examine a candidate in the text without its marks."""
        first = max(0, begun.longest - _BEFORE)

        def examined(stop: int, is_whole: bool) -> candidates.Examined:
            plain = defanged.refanged(
                text, first, begun, stop if is_whole else defanged.cut_mark(text, begun.body, stop)
            )
            ended = self._ended(plain.text, first, floor, begun, is_whole)
            return self._leave(ended) if isinstance(ended, Ended) else ended, plain

        looked, plain = candidates.grown(text, begun.body, begun.start + self._limit, final, examined)
        if isinstance(looked, Undecided):
            return self._undecided(text, pivot, max(0, begun.longest - 1))
        if looked is None:
            return None
        found = candidates.as_written(looked, plain, self._limit, self._generic)
        if not plain.is_changed(looked.end):  # it ends before its first mark
            others = tuple(code for code in found.warnings if code is not Warn.REFANGED)
            return found._replace(warnings=others) if begun.assumed else None
        if isinstance(found.judged, Fault):
            return found
        rest = defanged.after_mark(text, found.end, final=final)
        if rest is None:
            return self._undecided(text, pivot, max(0, begun.longest - 1))
        if not rest:
            return found
        whole = self._judged(plain.text[looked.start : looked.end] + rest, begun.assumed)
        alternatives = (*found.alternatives, whole.uri) if isinstance(whole, Judged) else found.alternatives
        return found._replace(warnings=(*found.warnings, Warn.STOPS_AT_EXCLUDED), alternatives=alternatives)

    def _ended(self, text: str, first: int, floor: int, begun: DefangedStart, final: bool) -> Ended | Undecided | None:
        """Find the end of a candidate in a text without its marks, of which the first character is at an offset."""
        start, longest = begun.start - first, begun.longest - first
        if not begun.assumed:
            colon = start + begun.head.index(":")
            return self._end(Begun(text, colon, start, colon + 3, self._generic, None, final), _REFANGED)
        found: Ended | Undecided | None
        if begun.assumed == MAIL:
            at = start + len(begun.head) - 1
            mail = Begun(text, at, start, at + 1, self._generic, None, final, MAIL)
            found = self._assumed.mail(mail, at, at + 1 + defanged.host_at(text, at + 1), _REFANGED)
        else:
            found = self._end(Begun(text, start, start, start + 1, self._generic, None, final, WEB), _NAMED)
        return self._assumed.with_text_before(text, found, start, longest, max(0, floor - first))

    def _undecided(self, text: str, pivot: int, start: int) -> Undecided:
        return undecided(text, pivot, start, self._generic.beyond)
