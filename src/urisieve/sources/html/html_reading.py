"""The reading of a stretch of HTML: from its tokens to its running text and its links.

Most tokens do nothing, or end a line: what a tag does is looked up by the whole tag, and the text is put together from
lists. Only the tokens with links, raw content and comments are examined one by one.
"""

from __future__ import annotations

import re
from itertools import zip_longest
from typing import Final, cast

from urisieve.sources.html.html_gather import Cut, Gatherer, Stream
from urisieve.sources.html.html_links import BREAKING, RAW_ELEMENTS, RESOLVED_ELEMENTS, TELLING, may_be_visible
from urisieve.sources.html.html_stretch import Link, PlainComment, Stretch, Written, link_text, may_hold
from urisieve.sources.html.html_tokens import (
    attribute_values,
    comment_span,
    content_start,
    other_values,
    resolve,
    split_comment,
    split_page,
    tag_name,
)

# What a token does to the text: nothing, it ends the line, or it ends the text of a link.
_NOTHING: Final = 0
_BREAKS: Final = 1
_ENDS_LINK: Final = 2
# What it does that is not known from its text alone.
_EXAMINED: Final = 3
# What the tags met so far do, as pages repeat them. Longer ones are seldom repeated; when it is full, it is emptied.
_EFFECTS: Final[dict[str, int]] = {}
_EFFECTS_LIMIT: Final = 8_192
_LONGEST_REPEATED: Final = 64
# Every tag with an attribute that may hold a link has a match: the last letters of its name, or a blank, before `=`.
_LINK_SIGN: Final = re.compile(rf"=(?:(?<=(?i:{'|'.join(sorted({name[-3:] for name in TELLING}))})=)|(?<=\s=))")
# A start tag of `a` whose only attribute that may hold links or text is an `href`, in printable ASCII characters.
_OTHER: Final = rf"""(?>\s++(?!(?:{"|".join(sorted(TELLING))})=)[a-z_\-]++="[^":&]*+")*+"""
_SIMPLE_LINK: Final = re.compile(rf"""a{_OTHER}\s++href="([!#-~]*+)"{_OTHER}\s*+>""")


def _remember(token: str, effect: int) -> int:
    if len(token) <= _LONGEST_REPEATED:
        if len(_EFFECTS) >= _EFFECTS_LIMIT:
            _EFFECTS.clear()
        _EFFECTS[token] = effect
    return effect


def _is_comment(token: str) -> bool:
    """Report whether a token is a comment, a declaration or a bogus comment (13.2.5.6 and 13.2.5.7)."""
    return token[0] in "!?" or (token[0] == "/" and len(token) > 1 and not (token[1].isascii() and token[1].isalpha()))


class TokenReader:
    """Passes the text and links of a stretch of HTML on to a `Gatherer`.

    Args:
        gatherer: collects them.
        source: the HTML, from the beginning of a token on.
        start: its offset in the whole text, in characters.
    """

    def __init__(self, gatherer: Gatherer, source: str, start: int = 0) -> None:
        self.gatherer = gatherer
        self._source = source
        self._start = start
        self._looks_everywhere = gatherer.reading.maybe is not may_hold
        self._running = Stretch([""])
        self._effects: list[int | None] = []
        self._end = 0  # where the parts of the stretch end in the source
        self._begun: list[int] = []  # the tokens after which the text of a link begins
        self._ended: list[int] = []  # those before which it ends; the last one may be missing

    def read(self, *, final: bool, limit: int) -> int:
        """Read the tokens.

        Args:
            final: whether nothing follows the text. If something does, a token that may continue in it is left.
            limit: the longest token that is left, in characters. A longer one, or one that is incomplete at the end of
                the last text, is read as text.

        Returns:
            the offset of the token that was left, or the end of the text.
        """
        source = self._source
        split = split_page(source)
        end = len(source)
        left: str | None = None
        self._end = opened = end
        if len(split) > 1 and not split[-1]:
            last = split[-2]
            if last is None:
                del split[-2:]
                opened = sum(map(len, cast(list[str], split))) + len(split) // 2
                left = source[opened + 1 :]
            elif last[0] not in "/!?" and tag_name(last)[0] in RAW_ELEMENTS:  # its end tag is missing
                opened = end - len(last) - 1
                if not final and end - opened <= limit:
                    del split[-2:]
            if not final and end - opened <= limit:
                left = None
                end = opened
        self._end = opened if left is not None else end
        stretch = self._running = Stretch(cast(list[str], split), self._start)
        self._effects = self._read(stretch, self.gatherer.current, None)
        if left is not None:
            self._comment(left, Stretch([""], self._start + opened), 0, len(self._effects), complete=False)
        return end

    def _read(self, stretch: Stretch, stream: Stream, outer: int | None) -> list[int | None]:
        """Read the tokens of a stretch to a stream.

        Args:
            stretch: gets the texts and line breaks.
            stream: gets its pieces.
            outer: the index of the comment that the stretch is the content of, None if it is not one.

        Returns:
            the effects of the tokens.
        """
        parts, texts = stretch.parts, stretch.texts
        tokens = parts[1::2]
        breaks = stretch.breaks = [""] * len(tokens)
        written = parts[::2]
        for index, text in enumerate(texts):
            if "&" in text:
                texts[index] = resolve(text)
                stretch.written[index] = Written(text)
        effects = list(map(self._effect if self._looks_everywhere else _EFFECTS.get, tokens))
        broken = stream.broken
        begin = 0  # the first text since the last token that was examined
        for index in [index for index, effect in enumerate(effects) if effect != _NOTHING]:
            if broken and (written[index] or (begin < index and any(written[begin:index]))):
                broken = False
            begin = index + 1
            effect = effects[index]
            if effect is None:
                found = None if self._looks_everywhere else _SIMPLE_LINK.match(tokens[index])
                if found is not None:
                    if stream.anchor is not None:
                        self._end_link(stretch, stream, index)
                    text = value = found[1]
                    if "&" in value:
                        value = resolve(value, attribute=True)
                        text = link_text(value)
                    link = Link("a", "href", text, value, 0, -1, index if outer is None else outer, stretch, index)
                    self._begin_link(stream, self.gatherer.add(link), index)
                    effects[index] = _ENDS_LINK
                else:
                    breaks_line, effects[index] = self._examine(stretch, stream, index, outer, written)
                    if not breaks_line:
                        continue
            elif effect == _ENDS_LINK:
                if stream.anchor is None:
                    continue
                self._end_link(stretch, stream, index)
            if not broken:
                breaks[index] = "\n"
                broken = True
        if broken and any(written[begin:]):
            broken = False
        if not all(tokens[-1:]):  # a tag that is not complete leaves a text, be it empty
            broken = False
        stream.pieces += stretch.pieces()
        stream.broken = broken
        stream.stretches.append(stretch)
        stream.counts.append((0 if outer is None else outer, len(stream.pieces)))
        return effects

    def _examine(
        self, stretch: Stretch, stream: Stream, index: int, outer: int | None, written: list[str]
    ) -> tuple[bool, int]:
        """Read a token that was not met before; return whether it ends the line now, and its effect."""
        token = stretch.parts[2 * index + 1]
        if not token:
            return False, _NOTHING
        if _is_comment(token):
            self._comment(token, stretch, 2 * index + 1, index)
            return False, _EXAMINED
        name, name_end = tag_name(token)
        breaks = name in BREAKING
        if token[0] == "/":
            if name == "a":
                _remember(token, _ENDS_LINK)
                ends = stream.anchor is not None
                if ends:
                    self._end_link(stretch, stream, index)
                return ends, _ENDS_LINK
            return breaks, _remember(token, _BREAKS if breaks else _NOTHING)
        is_raw = name in RAW_ELEMENTS
        tag = token[: content_start(token)] if is_raw else token
        number = index if outer is None else outer
        has_texts = False
        if "=" in tag and (self._looks_everywhere or ":" in tag or "&" in tag):
            others = other_values(tag, name_end, TELLING)
            has_texts = self.gatherer.add_texts(name, others, number, stretch, index)
        if _LINK_SIGN.search(tag) is not None:
            values = attribute_values(tag, name_end, TELLING)
            if name == "a" and "href" in values:
                if stream.anchor is not None:
                    self._end_link(stretch, stream, index)
                breaks = True
            anchor = self.gatherer.add_links(name, values, number, stretch, index)
            if anchor is not None:
                self._begin_link(stream, anchor, index)
        elif not is_raw and not has_texts:
            effect = _BREAKS if breaks else _NOTHING
            return breaks, effect if self._looks_everywhere else _remember(token, effect)
        if is_raw and outer is None:
            content = token[len(tag) :]
            if content:
                written[index + 1] = content
                self._put_content(stretch, index, name, content)
        return breaks, _EXAMINED

    def _effect(self, token: str) -> int | None:
        """Return what a token does that was met before; in a tag with attributes each value is looked at."""
        return None if "=" in token else _EFFECTS.get(token)

    def _put_content(self, stretch: Stretch, index: int, name: str, content: str) -> None:
        """Add the content of an element that holds no tags."""
        resolves = name in RESOLVED_ELEMENTS
        stretch.texts[index + 1] = resolve(content) if resolves and "&" in content else content
        stretch.written[index + 1] = Written(content, len(content), resolves)
        if name == "style":
            self.gatherer.style(content, index, stretch)

    def _begin_link(self, stream: Stream, link: int, index: int) -> None:
        """Begin the text of a link after a token."""
        stream.anchor = link
        stream.anchor_text = len(stream.pieces) + 2 * index + 2
        if stream is self.gatherer.running:
            self._begun.append(index)

    def _end_link(self, stretch: Stretch, stream: Stream, index: int) -> None:
        """End the text of a link before a token."""
        anchor = stream.anchor
        assert anchor is not None
        stream.anchor = None
        if stream is self.gatherer.running:
            self._ended.append(index)
        first = (stream.anchor_text - len(stream.pieces)) // 2
        before = ""
        if first < 0:  # it began before this stretch
            before = "".join(stream.pieces[stream.anchor_text :])
            first = 0
        texts = stretch.texts
        if may_be_visible(before or texts[first]):
            pieces = [
                piece for pair in zip(texts[first:index], stretch.breaks[first:index], strict=True) for piece in pair
            ]
            self.gatherer.compare(anchor, "".join((before, *pieces, texts[index])))

    def _comment(self, token: str, stretch: Stretch, part: int, index: int, *, complete: bool = True) -> None:
        """Read a comment, or a token that is not complete, whose links are read as text."""
        gatherer = self.gatherer
        lead = gatherer.open_comment()
        if not complete and not (token and _is_comment(token)):
            first, parts = -1, ["", "", token]
        else:
            first, last = comment_span(token, complete=complete)
            if token.find("<", first, last) < 0:
                self._plain_comment(PlainComment(token[first:last], first + 1, stretch, part, lead), index)
                return
            parts = _comment_parts(token[first:last], at_end=not complete)
        inner = Stretch(parts, first + 1, (stretch, part), lead=lead)
        self._read(inner, gatherer.current, index)
        gatherer.close_comment()

    def _plain_comment(self, comment: PlainComment, index: int) -> None:
        """Add a comment without tokens."""
        gatherer = self.gatherer
        stream = gatherer.current
        content = comment.content
        if content:
            stream.put(resolve(content) if "&" in content else content)
        stream.stretches.append(comment)
        stream.counts.append((index, len(stream.pieces)))
        gatherer.close_comment()

    def last_break(self) -> Cut | None:
        """Return the last token in the last quarter that ends a line outside of links; None if there is none."""
        parts = self._running.parts
        offset = self._end - len(parts[-1])
        lowest = len(self._source) * 3 // 4
        links = zip_longest(self._begun, self._ended, fillvalue=len(parts))
        inside = reversed(list(links))
        first, last = next(inside, (-1, -1))
        for index in range(len(self._effects) - 1, -1, -1):
            token = parts[2 * index + 1]
            offset -= len(token) + 1
            if offset <= lowest:
                return None
            while index <= first:
                first, last = next(inside, (-1, -1))
            effect = self._effects[index]
            if index >= last and (effect == _BREAKS or (effect == _EXAMINED and tag_name(token)[0] in BREAKING)):
                return Cut(self._start + offset, index, 2 * index + 2)
            offset -= len(parts[2 * index])
        return None

    def last_blank(self) -> Cut | None:
        """Return the last blank of the running text in the last quarter; None if there is none."""
        stretch = self._running
        lowest = len(self._source) * 3 // 4
        for index in range(len(stretch.texts) - 1, -1, -1):
            written = stretch.written.get(index)
            text, back, resolves = (stretch.parts[2 * index], 0, False) if written is None else written
            start = stretch.offset(2 * index) - self._start - back
            if back and not resolves:  # script or style
                continue
            end = len(text)
            while end > 0:
                if start + end <= lowest:
                    return None
                first = 0 if back else text.rfind("<", 0, end) + 1
                blank = max(text.rfind("\n", first, end), text.rfind(" ", first, end))
                if blank > first:
                    rest = resolve(text[:blank]) if resolves else text[:blank]
                    return Cut(self._start + start + blank, index, 2 * index, rest)
                end = first - 1
        return None


def _comment_parts(content: str, *, at_end: bool) -> list[str]:
    """Split the content of a comment; behind a tag that is not complete it is text."""
    split = split_comment(content, at_end=at_end)
    if len(split) > 1 and split[-2] is None:
        opened = sum(map(len, cast(list[str], split[:-2]))) + len(split) // 2 - 1
        split[-2:] = ["", content[opened + 1 :]]
    return cast(list[str], split)
