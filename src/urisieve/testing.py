"""`check_row` tests a row of a scheme or namespace as urisieve tests its own; for the tests of those who write rows."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from urisieve.codes import Notice, Warn
from urisieve.find.scanner import Scanner
from urisieve.identifiers import check, key, normalize, parse
from urisieve.options import Level, Options
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.rules import scheme_table as schemes
from urisieve.rules.namespace_table import is_built_in, namespace_fault
from urisieve.rules.scheme import Authority, Scheme
from urisieve.rules.scheme_table import scheme_fault

if TYPE_CHECKING:
    from urisieve.rules.namespace import Namespace

__all__ = ["check_row"]

_PART_NAME: Final = re.compile("[a-z0-9_]+")
# What is put into examples to see whether the functions of a row do with all that the grammar allows.
_DISTURBANCES: Final = ("%2f", "%C3%BC", ":", ";", "=", "-", "A", "0", "//", "@", "?a", "#a")


class _Expect:
    """Raises where something does not hold for a row."""

    def __init__(self, row: str) -> None:
        self._row = row

    def __call__(self, holds: bool, what: str) -> None:
        if not holds:
            raise self.failed(what)

    def failed(self, what: str) -> AssertionError:
        return AssertionError(f"{self._row}: {what}")


def check_row(row: Scheme | Namespace) -> None:
    """Check a row: its fields, its examples, and its functions on the examples and on much that is near them.

    - The fields hold what they should; the patterns compile; the name is that of a scheme or namespace that urisieve
      has no other row for. There are a title, a reference and examples of both kinds.
    - Each example is valid and of that scheme or namespace; those of `same` have one key, those of `different` two.
    - The canonical form is valid, stays as it is, and has the key of what it was made from.
    - A namespace keeps equal what the base rule of URNs calls equal.
    - Parts have names in lower_snake_case and are texts that are not empty; no function raises.
    - A scheme with a shape is found in text, the same however the text is cut.

    Linear time cannot be seen from examples: `docs/plugins.md` says how patterns keep it.

    Args:
        row: a row of your own, or one of those that are built in.

    Raises:
        AssertionError: something is not so; the message says what, and for which text.
    """
    is_scheme = isinstance(row, Scheme)
    name = row.name if isinstance(row, Scheme) else row.nid
    kind = "scheme" if is_scheme else "namespace"

    expect = _Expect(f"{kind} {name!r}")
    built_in = schemes.is_built_in(name) if is_scheme else is_built_in(name)
    if not built_in:
        wrong = scheme_fault(row) if isinstance(row, Scheme) else namespace_fault(row)
        expect(wrong is None, str(wrong))
    expect(bool(row.title and row.reference), "a title and a reference say what it is")
    expect(bool(row.same and row.different), "examples show what is the same and what is different")
    if isinstance(row, Scheme):
        changes = row.form is not None or row.compared is not None
        expect(not changes or bool(row.equivalence or row.case), "`equivalence` or `case` says what its functions do")
        hosted = row.dns or row.root
        expect(not (row.authority is Authority.FORBIDDEN and hosted), "without an authority, dns and root mean nothing")
    else:
        expect(bool(row.equivalence) is (row.form is not None), "`equivalence` says what `form` does")
    options = Options() if built_in else Options(rules=(row,))

    def of_row(text: str) -> bool:
        found = parse(text, options=options)
        return (found.scheme if is_scheme else found.nid) == name

    for pairs, same in ((row.same, True), (row.different, False)):
        for pair in pairs:
            found = [check(text, options=options) for text in pair]
            for text, one in zip(pair, found, strict=True):
                if isinstance(one, Rejection):
                    raise expect.failed(f"the example {text!r} is not valid: {one.explain()}")
            # Of two that are different one may be of another kind, which shows that they are not mixed up; of two that
            # are the same, where the key is made of less than the whole, such as a digest that two schemes can hold.
            one_will_do = not same or (isinstance(row, Scheme) and row.compared is not None)
            expect((any if one_will_do else all)(map(of_row, pair)), f"the examples {pair} are of something else")
            expect((key(pair[0], options=options) == key(pair[1], options=options)) is same, f"the keys of {pair}")
    examples = sorted({text for pair in (*row.same, *row.different) for text in pair if of_row(text)})
    for text in examples:
        for near in (text, *_near(text)):
            _check_text(near, options, expect)
    if isinstance(row, Scheme):
        if row.shape is not None:
            found_in_text = [_is_found(text, options, expect) for text in examples]
            expect(any(found_in_text), "its shape finds no example in text")
    else:
        for text in examples:
            _check_base_rule(text, options, expect)
            _check_syntax(row, text.split(":", 2)[2], same=any(text in pair for pair in row.same), expect=expect)


def _near(text: str) -> Iterator[str]:
    """Texts near an example: something left out, put in, or in another case behind the scheme."""
    first = text.index(":") + 1
    yield text[:first] + text[first:].swapcase()
    for place in range(first, len(text) + 1):
        yield text[:place] + text[place + 1 :]
        yield text[:place] + _DISTURBANCES[place % len(_DISTURBANCES)] + text[place:]


def _check_text(text: str, options: Options, expect: _Expect) -> None:
    found = check(text, options=options)
    if isinstance(found, Rejection):
        return
    again = check(found.uri, options=options)
    if isinstance(again, Rejection):
        raise expect.failed(f"the canonical form {found.uri!r} of {text!r} is not valid: {again.explain()}")
    expect(again.uri == found.uri, f"{text!r} becomes {found.uri!r}, and that becomes {again.uri!r}")
    expect(again.key == found.key, f"{text!r} and its canonical form {found.uri!r} have two keys")
    expect(again.components == found.components, f"the components of {found.uri!r} are not those of {text!r}")
    for level in (Level.NONE, Level.SYNTAX):
        lower = normalize(text, level, options=options)
        expect(normalize(lower, level, options=options) == lower, f"{text!r} does not stay at level {level}")
        expect(key(lower, options=options) == found.key, f"{text!r} loses its key at level {level}")
        _check_values(parse(lower, options=options), expect)
    _check_values(found, expect)


def _check_values(found: Record, expect: _Expect) -> None:
    for name, value in found.parts.items():
        expect(_PART_NAME.fullmatch(name) is not None, f"a part of {found.raw!r} has the name {name!r}")
        expect(isinstance(value, str), f"the part {name} of {found.raw!r} is {value!r}")
    expect(found.inner is None or isinstance(found.inner, str), f"`inner` of {found.raw!r} is {found.inner!r}")
    notices = found.notices
    expect(all(isinstance(one, Notice) for one in notices), f"`check` of {found.raw!r} gives {notices}")
    expect(list(dict.fromkeys(one.warn for one in notices)) == list(found.warnings), f"the notices of {found.raw!r}")


def _check_base_rule(text: str, options: Options, expect: _Expect) -> None:
    """RFC 2141 5: a namespace adds equalities, and takes none away."""
    _, nid, nss = text.split(":", 2)
    first, *triplets = nss.split("%")
    lower = first + "".join(f"%{triplet[:2].lower()}{triplet[2:]}" for triplet in triplets)
    same = f"URN:{nid.upper()}:{lower}"
    expect(key(same, options=options) == key(text, options=options), f"{same!r} and {text!r} are the same by RFC 2141")


def _check_syntax(row: Namespace, nss: str, *, same: bool, expect: _Expect) -> None:
    warned = {notice.warn for notice in row.notices(nss)}
    if same:
        wrong = warned & {Warn.NSS_SYNTAX, Warn.WRONG_CHECK_DIGIT}
        expect(not wrong, f"{nss!r}, an example of what is the same, has a warning")
        expect(row.syntax is None or bool(row.parts(nss)), f"{nss!r} has no parts")
    if Warn.NSS_SYNTAX not in warned:
        formed = row.canonical(nss)
        expect(
            Warn.NSS_SYNTAX not in {one.warn for one in row.notices(formed)}, f"the form of {nss!r} leaves the syntax"
        )


def _is_found(text: str, options: Options, expect: _Expect) -> bool:
    """Whether a text is found among others; it must not matter how the text is cut."""
    around = f"so <{text}>, ({text}). {text}\n"
    whole = Scanner(options)
    found = [*whole.feed(around), *whole.close()]
    pieces = Scanner(options)
    cut = [one for character in around for one in pieces.feed(character)] + pieces.close()
    expect([_place(one) for one in found] == [_place(one) for one in cut], f"{text!r} is found by how the text is cut")
    return any(isinstance(one, Record) and one.raw == text for one in found)


def _place(found: Record | Rejection) -> tuple[str, int, int]:
    return found.uri if isinstance(found, Record) else found.reason, found.start, found.end
