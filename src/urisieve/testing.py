"""`check_row`: the tests that urisieve runs on its own rows of schemes and namespaces, for authors of other rows."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from urisieve import shapes
from urisieve.codes import Notice, Warn
from urisieve.find.searches import Scanner
from urisieve.finding_options import Level, Options
from urisieve.identifiers import check, key, normalize, parse
from urisieve.lean import lazy_compile
from urisieve.records.record import Record
from urisieve.records.rejection import Rejection
from urisieve.rules import scheme_table as schemes
from urisieve.rules.scheme_table import Authority, Namespace, Scheme, scheme_fault
from urisieve.rules.table import is_built_in, namespace_fault

__all__ = ["check_row"]

_PART_NAME: Final = lazy_compile("[a-z0-9_]+")
# These are inserted into examples, to test that the functions of a row accept all that the grammar allows.
_DISTURBANCES: Final = ("%2f", "%C3%BC", ":", ";", "=", "-", "A", "0", "//", "@", "?a", "#a")


class _Expect:
    """Raises an `AssertionError` that names the row if a condition is not met."""

    def __init__(self, row: str) -> None:
        self._row = row

    def __call__(self, holds: bool, what: str) -> None:
        if not holds:
            raise self.failed(what)

    def failed(self, what: str) -> AssertionError:
        return AssertionError(f"{self._row}: {what}")


def check_row(row: Scheme | Namespace) -> None:
    """Check a row: its fields, its examples, and its functions on the examples and on many texts similar to them.

    - The fields have the right types, and the patterns compile. urisieve has no other row of that name. There are a
      title, a reference, and examples in `same` and in `different`.
    - Each example is valid and of that scheme or namespace; a pair of `same` has one key, a pair of `different` two.
    - The canonical form is valid, is its own canonical form, and has the same key.
    - URNs that are equivalent by the base rule (RFC 2141 5) have one key.
    - The names of parts are in lower_snake_case, and their values are strings; no function raises.
    - A scheme with a shape is found in text, and however the text is split into pieces.

    Examples cannot prove linear time; `docs/plugins.md` describes how patterns keep it.

    >>> from urisieve import Scheme
    >>> from urisieve.types import Authority
    >>> from urisieve.testing import check_row
    >>> check_row(
    ...     Scheme(
    ...         name="crate",
    ...         title="a crate in a store",
    ...         reference="the handbook of the store",
    ...         authority=Authority.FORBIDDEN,
    ...         same=(("crate:ab1", "CRATE:ab1"),),
    ...         different=(("crate:ab1", "crate:AB1"),),
    ...     )
    ... )

    Args:
        row: a row of your own, or a built-in one.

    Raises:
        AssertionError: a check fails; the message names the check and the text.
    """
    if not isinstance(row, (Scheme, Namespace)):
        raise shapes.wrong("row", row, "a Scheme or a Namespace")
    is_scheme = isinstance(row, Scheme)
    name = row.name
    kind = "scheme" if is_scheme else "namespace"

    expect = _Expect(f"{kind} {name!r}")
    built_in = schemes.is_built_in(name) if is_scheme else is_built_in(name)
    if not built_in:
        wrong = scheme_fault(row) if isinstance(row, Scheme) else namespace_fault(row)
        expect(wrong is None, str(wrong))
    expect(bool(row.title and row.reference), "`title` and `reference` say what it is: give both")
    expect(bool(row.same and row.different), "`same` and `different` need a pair of examples each")
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
            # One of a pair of `different` may be of another scheme or namespace, to show that the two are not merged.
            # One of a pair of `same` may be if `compared` leaves out parts, such as for a digest that two schemes have.
            one_will_do = not same or (isinstance(row, Scheme) and row.compared is not None)
            expect(
                (any if one_will_do else all)(map(of_row, pair)),
                f"the examples {pair} are not of this scheme or namespace",
            )
            expect((key(pair[0], options=options) == key(pair[1], options=options)) is same, f"the keys of {pair}")
    examples = sorted({text for pair in (*row.same, *row.different) for text in pair if of_row(text)})
    for text in examples:
        for near in (text, *_near(text)):
            _check_text(near, options, expect)
    if isinstance(row, Scheme):
        if row.shape is not None:
            found_in_text = [_is_found(text, options, expect) for text in examples]
            expect(any(found_in_text), "its shape finds none of the examples in text")
    else:
        for text in examples:
            _check_base_rule(text, options, expect)
            _check_syntax(row, text.split(":", 2)[2], same=any(text in pair for pair in row.same), expect=expect)


def _near(text: str) -> Iterator[str]:
    """Yield texts similar to an example: after the scheme, a character left out, some inserted, or the case swapped."""
    first = text.index(":") + 1
    yield text[:first] + text[first:].swapcase()
    for offset in range(first, len(text) + 1):
        yield text[:offset] + text[offset + 1 :]
        yield text[:offset] + _DISTURBANCES[offset % len(_DISTURBANCES)] + text[offset:]


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
    expect(all(isinstance(one, Notice) for one in notices), f"`check` of {found.raw!r} returns {notices}")
    expect(list(dict.fromkeys(one.warn for one in notices)) == list(found.warnings), f"the notices of {found.raw!r}")


def _check_base_rule(text: str, options: Options, expect: _Expect) -> None:
    """Check that URNs which are equivalent by the base rule have one key (RFC 2141 5)."""
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
            Warn.NSS_SYNTAX not in {one.warn for one in row.notices(formed)},
            f"the form of {nss!r} does not follow the syntax",
        )


def _is_found(text: str, options: Options, expect: _Expect) -> bool:
    """Report whether an identifier is found in running text; check that cutting the text changes nothing."""
    around = f"so <{text}>, ({text}). {text}\n"
    whole = Scanner(options)
    found = [*whole.feed(around), *whole.close()]
    pieces = Scanner(options)
    cut = [one for character in around for one in pieces.feed(character)] + pieces.close()
    expect(
        [_brief(one) for one in found] == [_brief(one) for one in cut],
        f"{text!r} is found or not, depending on where the text is cut",
    )
    # In angle brackets the grammar of the scheme is enough.
    return any(isinstance(one, Record) and one.raw == text and one.wrapper != "<>" for one in found)


def _brief(found: Record | Rejection) -> tuple[str, int, int]:
    return found.uri if isinstance(found, Record) else found.reason, found.start, found.end
