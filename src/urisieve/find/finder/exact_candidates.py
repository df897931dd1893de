"""Candidates that `<>` or `""` delimit exactly (RFC 3986 Appendix C).

Nothing is trimmed from them, and angle brackets may hold white space that does not count.
"""

from __future__ import annotations

from urisieve.codes import Warn
from urisieve.find.delimited import beyond_escape, beyond_tight, may_be_escaped, tight_end
from urisieve.find.finder.candidates import Begun, Found, Judgements, Undecided
from urisieve.find.finder.unspaced import LINE_BREAKS, another_in_authority
from urisieve.judge.judge import Judged
from urisieve.judge.validate import Fault
from urisieve.lean import Final, lazy_compile
from urisieve.options import EmbeddedSpace, Options, Repair
from urisieve.rules.table import rules_of
from urisieve.syntax.characters import WRAPPERS
from urisieve.syntax.components import SPACES, WHITE_SPACE

# The number of hyphens at line breaks whose alternatives are listed one by one; more have too many combinations.
_ALTERNATIVES: Final = 8
_SPACES: Final = lazy_compile(f"[{WHITE_SPACE}]+")
_HYPHEN_BREAK: Final = lazy_compile(f"-(?=[{WHITE_SPACE}]*[{LINE_BREAKS}])[{WHITE_SPACE}]+")
_PLAIN_BLANK: Final = lazy_compile(f"(?<![{WHITE_SPACE}])[^{LINE_BREAKS}\\S]+(?![{WHITE_SPACE}])")
_SECOND_SCHEME: Final = lazy_compile(f"[{WHITE_SPACE}]([A-Za-z][A-Za-z0-9+.\\-]*):")


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
        self._joined_in_angles = options.embedded_space != EmbeddedSpace.KEEP
        self._judgements = judgements

    def find(self, begun: Begun) -> Found | Undecided | None:
        """Return a candidate behind `<` or `"`, or None if no such wrapper delimits it."""
        text, opener, after, final = begun.text, begun.opener, begun.after, begun.final
        size = len(text)
        longest = begun.start + self._options.max_length
        limit = min(size, longest + 1)
        end = tight_end(text, opener, after, limit)
        closer = WRAPPERS[opener]
        if text[end : end + 1] != closer:
            awaited = beyond_tight(opener)
            is_spaced = self._joined_in_angles if opener == "<" else self._repair
            if is_spaced and end < limit:
                run = begun.syntax.spaced.match(text, after, limit)
                end = run.end() if run else after
                awaited = begun.syntax.beyond_spaced
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
        return self._filling(begun, end, opener + closer)

    def _filling(self, begun: Begun, end: int, wrapper: str) -> Found | None:
        """Return the candidate that fills its wrapper, or None if the content is not one identifier."""
        text, start, assumed = begun.text, begun.start, begun.assumed
        content = text[start:end].rstrip(SPACES)
        end = start + len(content)
        joined = content
        warnings: tuple[Warn, ...] = (Warn.SCHEME_ASSUMED,) if assumed else ()
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
                runs = _SPACES.findall(content)
                if self._options.embedded_space == EmbeddedSpace.LINE_BREAKS and not all(
                    any(character in run for character in LINE_BREAKS) for run in runs
                ):
                    return None
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
                return Found(start, start + label, None, (*warnings, Warn.STOPS_AT_EXCLUDED), (), judged)
        judged = judge(joined, assumed)
        if isinstance(judged, Fault):
            dns = begun.has_dns_host(self._rules)
            holds_several = spaces or (begun.host >= 0 and another_in_authority(text, begun.host, end, dns=dns))
            return None if holds_several else Found(start, end, wrapper, (), (), judged)
        if len(joined) < len(content):
            warnings += (Warn.WHITESPACE_REMOVED,)
            alternatives = self._without_hyphens(content, judged.uri)
            if alternatives:
                warnings += (Warn.HYPHEN_AT_LINE_BREAK,)
        return Found(start, end, wrapper, warnings, alternatives, judged)

    def holds_another(self, content: str) -> bool:
        """Report whether another identifier begins after white space: then the wrapper holds two and joins nothing."""
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
        found: dict[str, None] = {}
        for text in texts:
            judged = self._judgements.judged(_SPACES.sub("", text))
            if isinstance(judged, Judged) and judged.uri != uri:
                found[judged.uri] = None
        return tuple(found)
