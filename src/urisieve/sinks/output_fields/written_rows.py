"""Single records and rejections as rows of JSON."""

from __future__ import annotations

from urisieve.lean.hints import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from urisieve.records.record import Record
    from urisieve.records.rejection import Rejection

__all__ = ["written_row"]


def written_row(value: Record | Rejection, *, parts: bool, defang: bool) -> dict[str, Any]:
    """Return the fields of a record or rejection as they are written; its password is masked already.

    Args:
        value: the record or rejection.
        parts: see `Record.as_dict`.
        defang: whether identifiers are in a form that is not a link.
    """
    row = value.as_dict(parts=parts)
    if not defang:
        return row
    from urisieve.sinks.output_fields.defanged_values import defanged_row

    return defanged_row(row)
