"""Candidates that their own characters delimit, or a wrapper other than `<>` and `""` (RFC 3986 Appendix C).

The run of a candidate goes over all characters that it may contain. It ends earlier at the closer of its wrapper, or
before prose; then the punctuation of the sentence is trimmed from it. What a reader may take otherwise is stated.
"""

from __future__ import annotations

from collections.abc import Iterable

from urisieve.codes import Component, Reason, Warn
from urisieve.find.ends import unspaced
from urisieve.find.ends.candidates import LATER, Begun, Judgements, Undecided
from urisieve.find.ends.exit import Ended, Following, following
from urisieve.find.ends.extent import CUT_MARK_LIMIT, Syntax, bare_end, is_cut, quoted_end
from urisieve.find.ends.unspaced import LINE_BREAKS, Prose
from urisieve.finding_options import Options
from urisieve.judge.validate import Fault, fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import BRACKETS, CLOSERS, WRAPPERS, is_symbol, trimmed_end
from urisieve.syntax.components import SPACES
from urisieve.syntax.host import dns_host
from urisieve.syntax.iri import encoded, sici_is_cut

# Characters that are in a row after a host more often than in one.
_RULE: Final = "-_*~=$&+"
_PORT: Final = lazy_compile(":[0-9]*\\Z")
_BRACKETS: Final = frozenset(BRACKETS) | frozenset(CLOSERS)
# What joins and varies symbols: U+200D, variation selectors, skin tones, the enclosing keycap, tags.
_WITH_SYMBOLS: Final = lazy_compile("[\u200d\ufe0e\ufe0f\u20e3\U0001f3fb-\U0001f3ff\U000e0020-\U000e007f]")
# The first window, in characters, in which to look for a closer that a candidate may contain.
_WINDOW: Final = 256
EMPHASIS: Final = "*_~"
_APOSTROPHE: Final = "'"
# One before a letter or digit, but not before another link.
_IN_WORD: Final = lazy_compile(r"'(?!\w{1,64}+:)[^\W_]")
# Closers that a candidate may contain, so that the candidate has to be searched for them.
INNER_CLOSERS: Final = {opener: closers for opener, closers in WRAPPERS.items() if opener in "'“‘«‹„‚»›"}
# Character references of HTML that represent a wrapper: the closing one of each, and what both represent.
_REFERENCES: Final = {
    **{name: (name, '""') for name in ("&quot;", "&#34;", "&#034;", "&#x22;")},
    **{name: (name, "''") for name in ("&apos;", "&#39;", "&#039;", "&#x27;")},
    **{
        f"&{one};": (f"&{two};", "<>")
        for one, two in (("lt", "gt"), ("#60", "#62"), ("#x3c", "#x3e"), ("#x3C", "#x3E"))
    },
}
_REFERENCE_LIMIT: Final = 6


class _BareRun(NamedTuple):
    """The run of a candidate.

    Attributes:
        end: where it ends.
        closer: the closer of its wrapper that ends it, or "".
        prose: the prose at its end.
        syntax: the classes of characters of which it is made.
    """

    end: int
    closer: str
    prose: Prose
    syntax: Syntax


class _Trimmed(NamedTuple):
    """The end of a candidate without the punctuation around it.

    Attributes:
        end: where it ends.
        emphasis: the mark of the emphasis around it, or "".
        whole: the end of the reading with the symbols or the row of marks that were cut; -1 if none were.
    """

    end: int
    emphasis: str
    whole: int = -1


class BareCandidates:
    """Finds the end of bare candidates, and judges them.

    Args:
        options: what to find and how far to normalize.
        judgements: judges the candidates.
    """

    def __init__(self, options: Options, judgements: Judgements) -> None:
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self._judged = judgements.judged

    def find(self, begun: Begun, warnings: tuple[Warn, ...] = ()) -> Ended | Undecided | None:
        """Find the end of a candidate, and judge it; `warnings` are those of its beginning."""
        text, start, opener, final = begun.text, begun.start, begun.opener, begun.final
        size = len(text)
        run = self._run(begun, begun.syntax)
        if not final and sici_is_cut(text, run.end, begun.after):
            return begun.undecided(None)
        known = self._after_hidden(begun, run)
        if isinstance(known, Undecided):
            return known
        end, closer, prose, _ = run = known
        if closer == _APOSTROPHE and end + 1 == size and not final:
            return begun.undecided(None)
        if not final and _may_be_note(begun, end):
            return begun.undecided(begun.syntax.beyond)
        if prose.end < end and trimmed_end(text, begun.body, end, "") > prose.end:
            return self._before_prose(begun, run, warnings)
        wrapper = None
        if closer:
            wrapper = _referenced(closer) if opener == ";" else opener + closer
        elif end > start + self._limit:
            too_long = fault(Reason.TOO_LONG, Component.IDENTIFIER, self._limit)
            return Ended(begun, start + self._limit, too_long, passing=begun.syntax.wide)
        elif end == size:
            if not final:
                return begun.undecided(begun.syntax.beyond)
        elif text[end] in WRAPPERS.get(opener, "") and opener != "<" and opener != '"':
            wrapper = opener + text[end]
        stop = end if wrapper is None else -1
        others = (prose.other,) if prose.end == end != prose.other else ()
        if not closer and text.find("'", begun.body, end) >= 0:
            end = unspaced.before_second_link(text, begun.body, end)
        is_exact = closer != "" and opener == ";" and wrapper != "''"
        return self._judge(begun, end, stop, wrapper, others, warnings, is_exact=is_exact)

    def _before_prose(self, begun: Begun, run: _BareRun, warnings: tuple[Warn, ...]) -> Ended | Undecided | None:
        """Return the candidate that ends before prose; the whole run is another reading, if it is not too long."""
        text, size, (end, other) = begun.text, len(begun.text), run.prose
        if other == end:
            return self._judge(begun, end, -1, None, (), warnings, follows=True)
        near = min(size, begun.start + self._limit + 1, end + LATER)
        whole = run.end if run.closer else bare_end(run.syntax, text, begun.after, near)
        if whole == size and not begun.final:
            return begun.undecided(begun.syntax.beyond)
        others = (whole,) if whole < near or near == size else ()
        return self._judge(begun, end, -1, None, others, warnings, follows=True)

    def _judge(
        self,
        begun: Begun,
        end: int,
        stop: int,
        wrapper: str | None,
        others: tuple[int, ...],
        warnings: tuple[Warn, ...],
        *,
        follows: bool = False,
        is_exact: bool = False,
    ) -> Ended | Undecided | None:
        """Trim a candidate and judge it; None if nothing is left, or if it has not the shape of its scheme."""
        trimmed = _Trimmed(end, "") if is_exact else self._trimmed(begun, end)
        if trimmed is None:
            return begun.undecided(None)
        end, emphasis, whole = trimmed
        if not begun.has_shape(end):
            return None
        if whole >= 0:
            others, follows = (*others, whole), True
        judged = self._judged(begun.text[begun.start : end], begun.assumed)
        if isinstance(judged, Fault):
            found = self._before_wide(begun, end, warnings)
            return found or Ended(begun, end, judged, wrapper, warnings)
        return Ended(begun, end, judged, wrapper, warnings, (), stop, others, follows, emphasis)

    def _after_hidden(self, begun: Begun, run: _BareRun) -> _BareRun | Undecided:
        """Return the run of a candidate that goes on in its host after a character that is not visible."""
        end, closer, prose, _ = run
        if begun.host < 0 or closer or prose.end < end or end == len(begun.text) or begun.text[end] < "\x80":
            return run
        next_text = following(begun, end)
        if next_text is Following.NOTHING:
            return run
        limit = min(len(begun.text), begun.start + self._limit + 1)
        hidden = unspaced.hidden_in_host(begun, end, limit)
        if hidden is None:
            return run
        if hidden == unspaced.UNKNOWN_LIMIT or next_text is Following.UNKNOWN:
            return begun.undecided(begun.syntax.beyond if next_text is Following.TEXT else None)
        return self._run(begun, begun.syntax.unseen, hidden)

    def _run(self, begun: Begun, syntax: Syntax, limit: int | None = None) -> _BareRun:
        """Return the run of a candidate up to a limit, searched in growing windows for what ends it earlier.

        In this way a row of candidates costs each its own length, even if all of them together are one run.
        """
        text, body, host = begun.text, begun.body, begun.host
        limit = min(len(text), begun.start + self._limit + 1) if limit is None else limit
        closers = (
            _closing_reference(text, begun.outside) if begun.opener == ";" else INNER_CLOSERS.get(begun.opener, "")
        )
        dns = begun.has_dns_host(self._rules)
        window = _WINDOW
        while True:
            edge = min(limit, body + window)
            end = bare_end(syntax, text, begun.after, edge)
            if syntax.braces:
                is_last = edge == limit and (begun.final or limit < len(text))
                quoted = quoted_end(syntax, text, begun.after, end, edge, is_last=is_last)
                if quoted > end and quoted == edge and not is_last:  # it may balance in the text to come
                    if edge == limit:
                        return _BareRun(edge, "", Prose(edge, edge), syntax)
                    window *= 16
                    continue
                end = quoted
            is_whole = end < body + window or end == limit
            offset, closer = _first_closer(text, body, end, closers)
            if offset < 0 and _APOSTROPHE in closers and (is_whole or end - body >= LATER):
                # No apostrophe is the end of a word: the first one closes, once the end of the run is known.
                offset = text.find(_APOSTROPHE, body, end) if begun.final or end < len(text) else -1
                closer = _APOSTROPHE if offset >= 0 else ""
            if offset >= 0:
                end = offset
                is_whole = True
            if closer and begun.opener == ";":
                prose = Prose(end, end)
            else:
                prose = unspaced.before_prose(text, body, end, host=host, dns=dns, is_whole=is_whole)
            if is_whole or prose.end < end:
                return _BareRun(end, closer, prose, syntax)
            window *= 16

    def _trimmed(self, begun: Begun, end: int) -> _Trimmed | None:
        """Trim the end of a candidate; None if that is undecided."""
        text, body = begun.text, begun.body
        emphasis = begun.opener if begun.opener in EMPHASIS else ""
        last = text[end - 1]
        if last.isalnum() or last == "/":
            return _Trimmed(end, emphasis)
        end = trimmed_end(text, body, end, emphasis)
        if end > body and not emphasis:
            emphasis = unspaced.open_emphasis(text, begun.start, end)
            if emphasis:
                end = trimmed_end(text, body, end, emphasis)
        if end == body:
            return _Trimmed(end, emphasis)
        last = text[end - 1]
        if last > "\x7f" and not last.isalnum():
            before = before_symbols(text, body, end)
            return _Trimmed(before, emphasis, end) if before < end else _Trimmed(end, emphasis)
        rule = "-" if begun.assumed else _RULE
        is_of_dns = begun.host >= 0 and begun.has_dns_host(self._rules)  # no final hyphen (RFC 952, RFC 1123 2.1)
        if last not in rule or not is_of_dns or not unspaced.ends_in_host(begun, end):
            return _Trimmed(end, emphasis)
        return self._without_rule(begun, end, emphasis, rule)

    @staticmethod
    def _without_rule(begun: Begun, end: int, emphasis: str, rule: str) -> _Trimmed | None:
        """Trim marks in a row after a host that is valid without them; None if that is undecided.

        Args:
            begun: the beginning of the candidate.
            end: where it ends, after some of the marks.
            emphasis: the mark of the emphasis around it, or "".
            rule: the marks.
        """
        text, body = begun.text, begun.body
        # A line that ends with a hyphen, or with `=` in quoted-printable, goes on with the rest of the host.
        if text[end - 1] in "-=" and text[end - 2] != text[end - 1]:
            after = text[end : end + 2]
            if not begun.final and (after == "" or (len(after) == 1 and after not in LINE_BREAKS)):
                return None
            if after[:1] in LINE_BREAKS or (after[:1] in SPACES and after[1:].strip() == ""):
                return _Trimmed(end, emphasis)
        before = trimmed_end(text, body, body + len(text[body:end].rstrip(rule)), emphasis)
        host = text.rfind("@", body, before) + 1 or body
        if dns_host(encoded(_PORT.sub("", text[host:before]))).reason is not None:
            return _Trimmed(end, emphasis)
        return _Trimmed(before, emphasis, end)

    def _before_wide(self, begun: Begun, end: int, warnings: tuple[Warn, ...]) -> Ended | None:
        """Return what is valid before a character beyond ASCII, where a scheme without authority allows none."""
        text = begun.text[begun.start : end]
        if begun.host >= 0 or not begun.syntax.sections or text.isascii():
            return None
        size = next(index for index, character in enumerate(text) if character > "\x7f")
        size = trimmed_end(text, begun.body - begun.start, size, "")
        if not begun.has_shape(begun.start + size):
            return None
        judged = self._judged(text[:size], begun.assumed)
        if isinstance(judged, Fault):
            return None
        return Ended(begun, begun.start + size, judged, warnings=warnings, follows=True)


def before_symbols(text: str, floor: int, end: int) -> int:
    """Return the end of a candidate before the symbols at its end, if they are directly after a letter or digit.

    >>> before_symbols("t.me/x/41130👍", 0, 13), before_symbols("e.example/♨", 0, 11)
    (12, 11)
    """
    start = end
    is_one = False
    while start > floor and text[start - 1] > "\x7f":
        has_symbol = is_symbol(text[start - 1]) and text[start - 1] not in _BRACKETS
        if not has_symbol and _WITH_SYMBOLS.match(text, start - 1) is None:
            break
        is_one = is_one or has_symbol
        start -= 1
    return start if is_one and start > floor and text[start - 1].isalnum() else end


def _may_be_note(begun: Begun, end: int) -> bool:
    """Report whether a bracket where a candidate stops, or in it, may turn out to be a note: `http://e.example[^1`."""
    text = begun.text
    is_at_end = end < len(text) and text[end] in "[]"
    bracket = end if is_at_end else text.rfind("[", max(begun.body, len(text) - CUT_MARK_LIMIT), end)
    return bracket >= 0 and is_cut(text, bracket)


def _closing_reference(text: str, offset: int) -> tuple[str, ...]:
    """Return the twin of the character reference of an opener that ends at an offset, if one does."""
    before = text[max(0, offset - _REFERENCE_LIMIT) : offset]
    return _REFERENCES.get(before[before.rfind("&") :], ())[:1]


def _referenced(closer: str) -> str:
    """Return the wrapper for which a closing character reference and its twin are."""
    return next(wrapper for twin, wrapper in _REFERENCES.values() if twin == closer)


def _first_closer(text: str, start: int, end: int, closers: Iterable[str]) -> tuple[int, str]:
    """Return the offset of the first of some closers, and that closer; -1 and "" if there is none."""
    found = -1, ""
    for closer in closers:
        offset = text.find(closer, start, end)
        # An apostrophe in a word closes nothing: `'http://e.example/Earth's'`.
        while offset >= 0 and closer == _APOSTROPHE and _IN_WORD.match(text, offset) is not None:
            offset = text.find(closer, offset + 1, end)
        if offset >= 0 and not 0 <= found[0] < offset:
            found = offset, closer
    return found
