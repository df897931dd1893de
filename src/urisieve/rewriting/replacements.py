"""Replacements of identifiers: by a function, by a template, or one of the usual ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial

from urisieve import shapes
from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.lean import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias
from urisieve.records.batch import Batch
from urisieve.records.field_table import columns_of, field_values
from urisieve.records.layouts import COLUMNS
from urisieve.records.mask import Mask
from urisieve.records.redacted import defanged_values
from urisieve.records.rejection import Rejection
from urisieve.syntax.defanging import defang, defanged_invalid

if TYPE_CHECKING:
    from urisieve.dedupe.known import Known
    from urisieve.records.record import Record
    from urisieve.sinks.notations import RowNotation

_OF_NO_KEYS: Final = b"\0"  # the secret of masks that are asked for no key
_MASK: Final = Mask(_OF_NO_KEYS)


class Replacement(NamedTuple):
    """How identifiers are replaced; `rewrite` takes one.

    Attributes:
        columns: the columns of a batch that `texts` needs.
        texts: returns the new text of each row of a batch, None for one that stays.
        rejection: returns the new text of a candidate that is not valid, None for one that stays; None if all stay.
        is_link: whether the new texts are links. A slash is not added to an authority then where what comes next would
            be part of the link after it, as in Japanese.
    """

    columns: frozenset[str]
    texts: Callable[[Batch], Sequence[str | None]]
    rejection: Callable[[Rejection], str | None] | None = None
    is_link: bool = False


# What returns the new text of a record, and if that is asked for of a rejection; a template of fields; a replacement.
Replace: TypeAlias = Callable[[Any], str | None] | str | Replacement


def replacement_of(replace: Replace, *, rejected: bool = False) -> Replacement:
    """Return a function or a template as a replacement; `rejected` is whether rejections are replaced, too.

    Raises:
        UsageError: it is nothing of these, or a template is to replace rejections.
    """
    if isinstance(replace, Replacement):
        return replace if rejected else replace._replace(rejection=None)
    if callable(replace):
        one = partial(checked_text, replace)
        return Replacement(frozenset(COLUMNS), lambda batch: list(map(one, batch.records())), one if rejected else None)
    if not isinstance(replace, str):
        raise shapes.wrong("replace", replace, "a function of a Record, or a template such as '<{uri}>'")
    if rejected:
        raise UsageError("rejected=True needs a function: a rejection has no fields for the template")
    from urisieve.sinks.notations import replacing_template

    notation = replacing_template(replace)
    return Replacement(columns_of(notation.names), partial(_by_template, notation))


def checked_text(replace: Callable[[Record | Rejection], object], found: Record | Rejection) -> str | None:
    """Return what a function returns for a record or a rejection.

    Raises:
        UsageError: it is neither a string nor None.
    """
    new = replace(found)
    if new is not None and not isinstance(new, str):
        raise shapes.wrong("what replace returns", new, "a string, or None to leave the text as it is")
    return new


def _by_template(notation: RowNotation, batch: Batch) -> list[str]:
    lines = notation.lines([field_values(batch, name) for name in notation.names])
    return [line[:-1] for line in lines]  # without the end of the line


# ---------------------------------------------------------------- the usual ways


@cache
def _mask_of_secrets() -> Mask:
    return Mask(_OF_NO_KEYS, redact=("secrets",))


def without_passwords(found: Record | Rejection) -> str:
    """Return the raw text of a record or a rejection without its passwords."""
    return _MASK.found(found).raw


def without_secrets(found: Record | Rejection) -> str:
    """Return the raw text of a record or a rejection without passwords and secrets."""
    if isinstance(found, Rejection):
        return _mask_of_secrets().rejection(found).raw
    if Warn.SECRET_PRESENT not in found.warnings:
        return without_passwords(found)
    return _mask_of_secrets().raw(found.raw, found.uri, found.warnings)


def masked(*, secrets: bool = True) -> Replacement:
    """Return the replacement that hides passwords and secrets, and keeps the links.

    Args:
        secrets: whether tokens, keys and the like are hidden, and not passwords alone.
    """
    if secrets:
        return Replacement(frozenset(("warnings",)), _hidden, without_secrets)
    return Replacement(frozenset(("warnings",)), lambda batch: _MASK.batch(batch).column("raw"), without_passwords)


def _hidden(batch: Batch) -> Sequence[str]:
    shown = _MASK.batch(batch).column("raw")
    codes = batch.column("warnings") if batch.warned() else ()
    having = [index for index in batch.warned() if Warn.SECRET_PRESENT in codes[index]]
    if not having:
        return shown
    raws, uris, made = batch.column("raw"), batch.column("uri"), list(shown)
    for index in having:
        made[index] = _mask_of_secrets().raw(raws[index], uris[index], codes[index])
    return made


def defanged() -> Replacement:
    """Return the replacement by which identifiers are no links any more; see `defang`."""
    return Replacement(frozenset(("warnings",)), _defanged, _defanged_invalid)


def _defanged(batch: Batch) -> list[str | None]:
    raws, uris = batch.column("raw"), batch.column("uri")
    made: list[str | None] = []
    for raw, uri, shown in zip(raws, uris, defanged_values("raw", raws, uris), strict=True):
        made.append(defang(uri) if shown == raw and ":" not in raw else shown)  # a relative reference
    return made


def _defanged_invalid(found: Rejection) -> str:
    return defanged_invalid(found.raw)


def refanged() -> Replacement:
    """Return the replacement of defanged identifiers by their canonical form; `Options.refang` finds them."""
    return Replacement(frozenset(("warnings",)), _refanged, is_link=True)


def _refanged(batch: Batch) -> list[str | None]:
    pairs = zip(batch.column("uri"), batch.column("warnings"), strict=True)
    return [uri if Warn.REFANGED in codes else None for uri, codes in pairs]


def canonical() -> Replacement:
    """Return the replacement by the canonical form."""
    return Replacement(frozenset(), lambda batch: batch.column("uri"), is_link=True)


def merged() -> Replacement:
    """Return the replacement by the key, which `Options.merge` makes shorter."""
    return Replacement(frozenset(), lambda batch: batch.column("key"), is_link=True)


def inert(known: Known, text: str | None = None) -> Replacement:
    """Return the replacement of all identifiers that are not in a list.

    Args:
        known: the list.
        text: what stands for each; None for the identifier, defanged.
    """

    def texts(batch: Batch) -> list[str | None]:
        made = _defanged(batch) if text is None else [text] * len(batch)
        return [None if is_held else new for is_held, new in zip(known.held(batch), made, strict=True)]

    def rejection(found: Rejection) -> str:
        return _defanged_invalid(found) if text is None else text

    return Replacement(frozenset(("warnings",)), texts, rejection)
