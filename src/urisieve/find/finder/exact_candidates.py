"""Candidates that `<>` or `""` delimit exactly (RFC 3986 Appendix C).

Nothing is trimmed from them, and angle brackets may contain white space that does not count.

In running text the shape of a scheme tells an identifier from other text with a colon. Where a wrapper or a carrier
states the limits, and no white space is between, the grammar of a listed scheme is enough (`Stated`). What breaks that
grammar is rejected only after a scheme whose name means nothing else: tags, permissions, templates and much of the text
of programs have the form `name:text`, too.
"""

from __future__ import annotations

import re
from functools import cache

from urisieve.codes import Reason, Warn
from urisieve.find.delimited import beyond_escape, beyond_tight, may_be_escaped, tight_end
from urisieve.find.ends.candidates import Begun, Judgements, Undecided
from urisieve.find.ends.cut_passwords import outside_passwords
from urisieve.find.ends.exit import Ended
from urisieve.find.ends.unspaced import LINE_BREAKS, another_in_authority
from urisieve.find.line_prefixes import LineBefore, ends_literal, is_numbered_alike, line_of, next_line
from urisieve.finding_options import Options, Repair
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Final, NamedTuple, lazy_compile
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import WRAPPERS
from urisieve.syntax.components import SPACES, WHITE_SPACE
from urisieve.syntax.iri import sici_end, sici_is_cut

# The number of hyphens at line breaks whose alternatives are listed one by one; more have too many combinations.
_ALTERNATIVES: Final = 8
_SPACES: Final = lazy_compile(f"[{WHITE_SPACE}]+")
_HYPHEN_BREAK: Final = lazy_compile(f"-(?=[{WHITE_SPACE}]*[{LINE_BREAKS}])[{WHITE_SPACE}]+")
_PLAIN_BLANK: Final = lazy_compile(f"(?<![{WHITE_SPACE}])[^{LINE_BREAKS}\\S]+(?![{WHITE_SPACE}])")
_SECOND_SCHEME: Final = lazy_compile(f"[{WHITE_SPACE}]([A-Za-z][A-Za-z0-9+.\\-]*):")
_BREAK: Final = lazy_compile(f"[{LINE_BREAKS}]")


class _Lines(NamedTuple):
    """The lines of a candidate in angle brackets.

    Attributes:
        pieces: the parts of the text that are left without prefixes; empty if it has none.
        end: where the last one ends.
        line_end: how much of their text another reading has, which ends with its line; -1 if there is none.
        kept: the parts of another reading, in which marks are data that may be prefixes; empty if there is none.
    """

    pieces: tuple[tuple[int, int], ...]
    end: int
    line_end: int
    kept: tuple[tuple[int, int], ...] = ()


class ExactCandidates:
    """Finds the end of candidates in exact wrappers, and judges them.

    Args:
        options: what to find and how far to normalize.
        judgements: judges the candidates.
    """

    def __init__(self, options: Options, judgements: Judgements) -> None:
        self._options = options
        self._rules = rules_of(options.rules)
        self._repair = options.repair == Repair.ENCODE
        self._judgements = judgements

    def find(self, begun: Begun, warnings: tuple[Warn, ...] = ()) -> Ended | Undecided | None:
        """Return a candidate after `<` or `"`, or None if no such wrapper delimits it.

        Args:
            begun: its beginning.
            warnings: what is known of that.
        """
        text, opener, after, final = begun.text, begun.opener, begun.after, begun.final
        size = len(text)
        longest = begun.start + self._options.max_length
        limit = min(size, longest + 1)
        end = tight_end(text, opener, after, limit)
        lines = _Lines((), end, -1)
        if not final and opener == "<" and sici_is_cut(text, end, after):
            return begun.undecided(None)
        closer = WRAPPERS[opener]
        if text[end : end + 1] != closer:
            awaited = beyond_tight(opener)
            if (opener == "<" or self._repair) and end < limit:
                spaced_end = self._spaced_end(begun, after, limit)
                if not final and sici_is_cut(text, spaced_end, after, is_spaced=True):
                    return begun.undecided(None)
                found = self._lines(begun, end, spaced_end, limit)
                if not isinstance(found, _Lines):
                    return found
                lines, end, awaited = found, found.end, begun.syntax.beyond_spaced
            if end == size and not final and end <= longest:
                return begun.undecided(awaited)
            if text[end : end + 1] != closer:
                return None
        elif not final and may_be_escaped(text, after, end):
            return begun.undecided(beyond_escape())
        if end >= limit:
            return None
        # `\\"http://e.example\\"`: the quotation marks of a string in a string are escaped, both of them.
        if text[begun.outside - 2 : begun.outside - 1] == "\\":
            end = begun.start + len(text[begun.start : end].rstrip("\\"))
        pieces = lines.pieces or ((begun.start, end),)
        content = "".join(text[one:two] for one, two in pieces).rstrip(SPACES)
        last, two = next((one, two) for one, two in reversed(pieces) if text[one:two].strip(SPACES))
        return self._filling(begun, last + len(text[last:two].rstrip(SPACES)), content, lines, warnings)

    def _spaced_end(self, begun: Begun, start: int, limit: int) -> int:
        """Return where the content of a wrapper ends from an offset on, which may contain white space and a SICI."""
        text, end = begun.text, start
        while True:
            run = begun.syntax.spaced.match(text, end, limit)
            end = run.end() if run else end
            behind = sici_end(text, end, begun.after, is_spaced=True) if begun.opener == "<" and end < limit else end
            if behind == end:
                return end
            end = min(behind, limit)

    def _lines(self, begun: Begun, end: int, run_end: int, limit: int) -> _Lines | Undecided | None:
        """Return the lines of a candidate with white space in it, without their prefixes.

        Args:
            begun: its beginning.
            end: the offset of the first white space in it.
            run_end: where its content ends, with white space in it.
            limit: the last possible end.

        Returns:
            None if the candidate ends with its line: the next one begins with another prefix, or a literal ends there.
        """
        text, final = begun.text, begun.final
        at, line_end, first, size = end, -1, begun.start, 0
        pieces: list[tuple[int, int]] = []
        kept: list[tuple[int, int]] = []
        line: LineBefore | None = None
        while (found := _BREAK.search(text, at, run_end)) is not None:
            at = _SPACES.match(text, found.start(), limit).end()  # type: ignore[union-attr]
            if at == limit:
                break
            if line is None:
                line = line_of(text, begun.outside - 1, begun.start)
            behind = next_line(text, line, at, final=final)
            if behind is None:
                return begun.undecided(None)
            if ends_literal(text, first, found.start(), at):
                return None
            if behind.other >= 0:
                if behind.closer < 0:
                    return None
                tight = tight_end(text, "<", behind.other, limit)
                if tight == len(text) and not final:
                    return begun.undecided(None)
                if tight > behind.other and text[tight : tight + 1] == ">":
                    return None
                pieces.append((first, at))
                first = run_end = behind.closer
                break
            if line_end < 0 and (not behind.is_same or is_numbered_alike(line, text, behind.start)):
                line_end = size + found.start() - first
            if behind.start > at:
                pieces.append((first, at))
                if behind.may_be_data:
                    kept.append((at, behind.start))
                size += at - first
                first = at = behind.start
                if at > run_end:
                    run_end = self._spaced_end(begun, at, limit)
        if not pieces:
            return _Lines((), run_end, line_end)
        pieces.append((first, run_end))
        return _Lines(tuple(pieces), run_end, line_end, tuple(sorted((*pieces, *kept))) if kept else ())

    def _filling(self, begun: Begun, end: int, content: str, lines: _Lines, warnings: tuple[Warn, ...]) -> Ended | None:
        """Return the candidate that fills its wrapper, or None if the content is not one identifier.

        Args:
            begun: its beginning.
            end: where it ends in the text.
            content: its text without prefixes of lines.
            lines: its lines.
            warnings: what is known of its beginning.
        """
        text, start, assumed = begun.text, begun.start, begun.assumed
        wrapper = begun.opener + WRAPPERS[begun.opener]
        joined = content
        alternatives: tuple[str, ...] = ()
        spaces = _SPACES.search(content) is not None
        if spaces:
            if self.holds_another(content):
                return None
            if self._repair and (wrapper == '""' or _PLAIN_BLANK.search(content)):
                if wrapper == '""' and any(character in content for character in LINE_BREAKS):
                    return None
                joined = _SPACES.sub(lambda run: "" if any(c in run[0] for c in LINE_BREAKS) else run[0], content)
            else:
                joined = _SPACES.sub("", content)
        shape = begun.shape
        if start + len(joined) <= begun.body or (shape is not None and not shape.match(joined, joined.index(":") + 1)):
            return None
        judge = self._judgements.judged
        label = -1 if self._repair or spaces or wrapper != "<>" else content.find("|")
        if label > 0:
            # `<link|label>`, the form in which chat services write a link with its label.
            judged = judge(content[:label], assumed)
            if isinstance(judged, Judged):
                warnings = (*warnings, Warn.STOPS_AT_EXCLUDED)
                return Ended(begun, start + label, judged, None, warnings, is_exact=True)
        judged = judge(joined, assumed)
        if isinstance(judged, Fault):
            dns = begun.has_dns_host(self._rules)
            holds_several = spaces or (begun.host >= 0 and another_in_authority(text, begun.host, end, dns=dns))
            return None if holds_several else Ended(begun, end, judged, wrapper, is_exact=True)
        if len(joined) < len(content):
            warnings += (Warn.WHITESPACE_REMOVED,)
            alternatives = self._without_hyphens(content, judged.uri)
            if alternatives:
                warnings += (Warn.HYPHEN_AT_LINE_BREAK,)
            for reading in self._other_lines(text, content, lines):
                other = judge(reading, assumed)
                if isinstance(other, Judged) and other.uri != judged.uri:
                    alternatives += (other.uri,)
        return Ended(begun, end, judged, wrapper, warnings, alternatives, is_exact=True)

    def _other_lines(self, text: str, content: str, lines: _Lines) -> list[str]:
        """Return the texts of other readings by lines: none ends in a password, of which it would show a part."""
        found = [_SPACES.sub("", "".join(text[one:two] for one, two in lines.kept))] if lines.kept else []
        if lines.line_end >= 0:
            whole, shorter = _SPACES.sub("", content), _SPACES.sub("", content[: lines.line_end])
            if outside_passwords(whole, 0, len(whole), [(0, len(shorter))]):
                found.append(shorter)
        return found

    def holds_another(self, content: str) -> bool:
        """Report whether another identifier begins after white space: then nothing in the wrapper is joined."""
        for match in _SECOND_SCHEME.finditer(content):
            shape = self._rules.shape(match[1].lower())
            if content.startswith("//", match.end()) or (shape is not None and shape.match(content, match.end())):
                return True
        return False

    def _without_hyphens(self, content: str, uri: str) -> tuple[str, ...]:
        """Return the readings without hyphens right before line breaks, which were perhaps added there (Appendix C)."""
        breaks = [match.start() for match in _HYPHEN_BREAK.finditer(content)]
        if not breaks:
            return ()
        texts = [content[:index] + content[index + 1 :] for index in breaks[:_ALTERNATIVES]]
        if len(breaks) > 1:
            texts.append(_HYPHEN_BREAK.sub("", content))
        judged = (self._judgements.judged(_SPACES.sub("", text)) for text in texts)
        return tuple(dict.fromkeys(one.uri for one in judged if isinstance(one, Judged) and one.uri != uri))


# After a colon in angle brackets the name of an element of XML, whose prefix is no scheme; elsewhere a tag, a
# permission or a port: `dns:read`, `news:title`, `sip:5060`.
_ELEMENT: Final = lazy_compile(r"[A-Za-z_][A-Za-z0-9_\-]*+/?")
_WORD: Final = lazy_compile(r"[A-Za-z0-9_\-]*+")
# The same with dots, and what ends with a colon, as the beginning of a longer one: no rejection.
_NAME: Final = lazy_compile(r"[A-Za-z0-9_.\-]*+|.*:", re.DOTALL)
# The schemes whose names mean nothing else, so that what breaks their grammar is a fault.
UNMISTAKABLE: Final = frozenset(
    ("acct", "bitcoin", "doi", "magnet", "mailto", "opaquelocktoken", "sips", "stuns", "tel", "turns", "urn")
)
# Those of them before which even a single word is one.
NEVER_PREFIX: Final = frozenset(("magnet", "mailto"))
# A colon before an at-sign, where no shape tells a name from a user with a password.
_MAY_HOLD_PASSWORD: Final = lazy_compile("[^:@]*:[^@]*@")
_OWN_FAULTS: Final = (Reason.SCHEME_SYNTAX, Reason.BAD_NID)


@cache
def _filled(opener: str) -> re.Pattern[str]:
    """Return the pattern of what fills a wrapper, with its closer: neither white space nor escapes of a terminal."""
    return re.compile(rf"([^\x1b\x9b{opener}{WRAPPERS[opener]}{WHITE_SPACE}]++){WRAPPERS[opener]}")


class Stated:
    """Tells what is an identifier, or a faulty one, because something states where it begins and ends.

    Args:
        options: what to find and how far to normalize.
        judgements: judges the candidates.
    """

    def __init__(self, options: Options, judgements: Judgements) -> None:
        self._rules = rules_of(options.rules)
        self._limit = options.max_length
        self._judged = judgements.judged

    def fills(self, text: str, start: int, after: int, opener: str) -> bool | None:
        """Report whether what begins at `start`, with a scheme that ends at `after`, is one and fills its wrapper.

        Returns:
            None if the wrapper is not closed in the text so far, or white space is in it.
        """
        match = _filled(opener).match(text, after, min(len(text), start + self._limit + 1))
        if match is None:
            return None
        rest = match[1].rstrip("\\") if opener == '"' else match[1]  # as in a string in a string
        if opener == "<" and _ELEMENT.fullmatch(rest) is not None:
            return False
        return self._is_one(text[start : after - 1].lower(), text[start:after] + rest, after - start, opener)

    def is_value(self, name: str, content: str, after: int) -> bool:
        """Report whether the whole of a value is one; its scheme in lower case ends at `after`."""
        return (
            len(content) <= self._limit and _SPACES.search(content) is None and self._is_one(name, content, after, "")
        )

    def _is_one(self, name: str, content: str, after: int, opener: str) -> bool:
        rule = self._rules.scheme(name)
        if rule.shape is None or after == len(content) or content.startswith("//", after):
            return False
        if _MAY_HOLD_PASSWORD.match(content, after) is not None:
            return False
        is_word = opener != "<" and _WORD.fullmatch(content, after) is not None
        if is_word and name not in NEVER_PREFIX:
            return False
        judged = self._judged(content)
        if isinstance(judged, Judged):
            has_grammar = rule.syntax is not None or rule.expected is not None
            return has_grammar and not is_word and Warn.SCHEME_SYNTAX not in judged.warnings
        if name not in UNMISTAKABLE or judged.reason not in _OWN_FAULTS:
            return False
        return name in NEVER_PREFIX or _NAME.fullmatch(content, after) is None
