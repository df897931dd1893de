"""How values leave: without passwords (RFC 3986 3.2.1) and redacted parts, and as no links if that is wanted."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial

from urisieve.codes import Warn
from urisieve.errors import UsageError
from urisieve.kernel import bits, of_kernel
from urisieve.lean import TYPE_CHECKING, Any, Final, lazy_compile
from urisieve.records import masking
from urisieve.records.base import Context, Location
from urisieve.records.batch import Batch
from urisieve.records.harvested import FOUND_WARNINGS, KERNEL_WARNINGS
from urisieve.records.layouts import RowLocations
from urisieve.records.record import NO_PARTS
from urisieve.syntax.passwords import passwords, with_at_signs

if TYPE_CHECKING:
    from urisieve.records.batch import ByteSpans
    from urisieve.records.layouts import Harvest
    from urisieve.records.record import Record
    from urisieve.records.redacted import RedactedPart
    from urisieve.records.rejection import Rejection
    from urisieve.syntax.components import Memo


def shown_message(message: str, redact: Iterable[str]) -> str:
    """Return a message without what may be a password in it, and without parts of identifiers."""
    return Mask(_OF_NO_KEYS, redact=redact).name(message)


def drawn_mask(secret: bytes | None, *, redact: Iterable[str] = (), defang: bool = False) -> Mask:
    """Return a `Mask` that hides passwords by a secret; by a new one for None."""
    return Mask(masking.drawn(secret), redact=redact, defang=defang)


# The secret of a mask that is asked for no key.
_OF_NO_KEYS: Final = b"\0"
# What `password_token` returns.
_DIGEST: Final = lazy_compile("[0-9a-f]{16}")
# Warnings of identifiers whose text is not laid out as the canonical URI is.
_REWRITTEN: Final = frozenset((Warn.REFANGED, Warn.UNESCAPED, Warn.ESCAPES_REMOVED, Warn.REPAIRED, Warn.UNWRAPPED))
_FOUND_REWRITTEN: Final = _REWRITTEN.intersection(FOUND_WARNINGS)  # by the kernel


# The columns in which something may be hidden.
_TEXTS: Final = ("uri", "key", "raw")
_CHANGED: Final = (*_TEXTS, "alternatives")
# What the kernel is given to write a column alone: each visible character stands for itself, and no word is needed.
_PLAIN: Final = bytes(int(" " <= chr(number) <= "~") for number in range(128))
_NO_WORDS: Final = (b"",) * len(of_kernel("WORDS", ()))
_NO_WARNINGS: Final = (b"",) * len(KERNEL_WARNINGS)


class Mask:
    """Decides how values leave: every sink asks it, and none knows why a value looks as it does. It can be pickled.

    >>> mask = Mask(None, defang=True)
    >>> mask.value("uri", "http://a.example/"), mask.value("port", "80")
    ('hxxp://a[.]example/', '80')

    Args:
        secret: the secret by which a password in a key becomes a digest, so that two passwords stay two keys; None to
            leave passwords as they are.
        again: whether the records of the batches may have been masked before, when they were written.
        redact: parts of identifiers that are replaced; in a key each becomes a digest by the secret.
        defang: whether identifiers are written in a form that is not a link; see `defang`.

    Attributes:
        hides_passwords: whether passwords are hidden; if not, nothing is.
        hides_parts: whether parts are hidden that are not passwords.
        makes_values: whether values change that contain nothing to be hidden.
        changes_all: whether each row may change, and not only the few with passwords.

    Raises:
        UsageError: parts are redacted, and there is no secret; or there is no such part.
    """

    def __init__(
        self,
        secret: bytes | None,
        *,
        again: bool = False,
        redact: Iterable[RedactedPart | str] = (),
        defang: bool = False,
    ) -> None:
        self._again = again
        self._secret = secret
        self._token = None if secret is None else masking.password_token(secret)
        self._redact: frozenset[RedactedPart] = frozenset()
        self._redirectors: Memo[bool] | None = None
        if redact:
            from urisieve.records.redacted import checked_parts, redirectors

            self._redact = checked_parts(redact)
            self._redirectors = redirectors(self._redact)
            if secret is None:
                raise UsageError("redact does not go with passwords in clear: give a secret, as new_secret()")
        self.hides_passwords = secret is not None
        self.hides_parts = bool(self._redact)
        self.makes_values = defang
        self.changes_all = defang or self.hides_parts

    def of_keys(self) -> Mask:
        """Return the mask of what is compared: redacted parts count as they are, so that no result depends on them."""
        return Mask(self._secret, again=self._again)

    def __reduce__(self) -> tuple[Any, ...]:
        made = partial(Mask, again=self._again, redact=self._redact, defang=self.makes_values)
        return made, (self._secret,)

    def hides(self, raw: str) -> bool:
        """Report whether a raw text may contain something that is not to be shown."""
        return self.hides_parts or masking.hides_password(raw)

    def may_change(self, batch: Batch) -> bool:
        """Report whether `batch` may return other values than those of a batch, in names or identifiers."""
        if self._token is None:
            return False
        return self.hides_parts or self.changes_names(batch) or bool(self._indices(batch))

    def changes_names(self, batch: Batch) -> bool:
        """Report whether `batch` may return other names of sources, or of locations in them, than those of a batch."""
        return self._token is not None and _has_odd_names(batch)

    def of_kernel(self, harvest: Harvest) -> tuple[int, int, bool, bytes | None, bytes | None] | None:
        """Return how the kernel writes the values of a harvest (`Harvest.written`); None for as they are.

        It leaves rows with passwords, and whatever is rare, to `batch` and `values`.
        """
        if not self.changes_all:
            return None
        if not self._redact:
            return 0, 0, self.makes_values, None, None
        redirects = None if self._redirectors is None else bytes(self._redirectors.of(harvest.hosts()[0]))
        parts = bits("HIDDEN_PARTS", self._redact)
        return parts, bits("WARNINGS", _FOUND_REWRITTEN), self.makes_values, redirects, self._secret

    def batch(self, batch: Batch) -> Batch:
        """Return the batch with passwords masked, in `raw`, `uri`, `key`, `alternatives` and names of locations."""
        token = self._token
        if token is None or not len(batch):
            return batch
        if self.changes_names(batch):
            batch = self._named(batch)
        indices: Sequence[int] = range(len(batch)) if self._redact else self._indices(batch)
        if not indices:
            return batch
        names = [name for name in _CHANGED if name in batch.columns]
        if self._redact and batch.layout.by_kernel.issuperset(names):
            return self._by_kernel(batch, names)
        changed = self._in_python(batch, names, indices)
        # Components that do not follow from the URI, those of some URNs, would show what is hidden in it.
        return batch.replaced(changed, split=indices)

    def _in_python(self, batch: Batch, names: Sequence[str], indices: Sequence[int]) -> dict[str, list[Any]]:
        """Return columns of a batch without what is hidden in the rows at some indices."""
        changed = {name: list(batch.column(name)) for name in names}
        uris = changed["uri"]
        codes = batch.column("warnings") if "warnings" in batch.columns else None
        for index in indices:
            whole = uris[index]
            uri = uris[index] = self.uri(whole)
            for name, values in changed.items():
                if name == "raw":
                    values[index] = self._raw(values[index], whole, uri, () if codes is None else codes[index])
                elif name == "key":
                    values[index] = self.key(values[index])
                elif name == "alternatives":
                    values[index] = tuple(map(self.alternative, values[index]))
        return changed

    def _by_kernel(self, batch: Batch, names: Sequence[str]) -> Batch:
        """Return a batch with such columns of the kernel without what is hidden in all of its rows."""
        layout: Any = batch.layout
        harvest = layout.harvest
        how: Any = self.of_kernel(harvest)
        hiding = (*how[:2], False, *how[3:])  # `values` defangs
        wrappers = (b"",) * len(harvest.wrappers())
        left: dict[tuple[int, ...], dict[str, list[Any]]] = {}  # mostly the same rows in each column

        def others(name: str, indices: list[int]) -> list[bytes]:
            """Return a column of the rows that the kernel leaves."""
            rows = left.get(tuple(indices))
            if rows is None:
                rows = self._in_python(batch.select(indices), names, range(len(indices)))
                left[tuple(indices)] = rows
            return [text.encode("utf-8", "surrogatepass") for text in rows[name]]

        def texts(name: str) -> list[bytes]:
            if name not in names:
                return [b""] * len(batch)
            given = ((name,), (b"", b""), (b"", b""), _PLAIN, _NO_WORDS, wrappers, _NO_WARNINGS)
            made: list[bytes] = harvest.each(*given, batch.has_own_components, None, hiding, partial(others, name))
            return made

        readings = {index: tuple(map(self.alternative, several)) for index, several in batch.alternatives().items()}
        return batch._same(layout.worded(*map(texts, _TEXTS), readings), parts=NO_PARTS)

    def _indices(self, batch: Batch) -> Sequence[int]:
        """Return the indices of the rows with passwords, in the identifier, in one inside it, or in an alternative."""
        if not len(batch) or "uri" not in batch.columns:
            return ()
        others = [
            index
            for index, texts in batch.alternatives().items()
            if any(masking.masked_alternative(text) != text for text in texts)
        ]
        if not batch.layout.may_hold_passwords:
            return others
        uris = batch.column("uri")
        # A password that is in no user information, and in no link inside, has its warning.
        suspected = range(len(uris)) if self._again else with_at_signs(uris)
        found = {index for index in suspected if masking.hides_password(uris[index])}
        warned = batch.warned()
        if warned:
            codes = batch.layout.codes_at(warned)
            found.update(index for index, of in zip(warned, codes, strict=True) if Warn.PASSWORD_PRESENT in of)
        if self._again:
            found = {index for index in found if not _is_masked(uris[index])}
        return sorted({*found, *others})

    def alternative(self, text: str) -> str:
        """Return another reading of a text (`Record.alternatives`) without what is hidden, and rather too much."""
        return self.uri(text, masking.masked_alternative)

    def uri(self, uri: str, without_password: Callable[[str], str] = masking.masked_text) -> str:
        """Return a canonical URI without what is hidden."""
        return self._without_parts(without_password(uri))

    def _without_parts(self, text: str, *hidden: Callable[[str], str]) -> str:
        if not self._redact:
            return text
        from urisieve.records.redacted import redacted_text

        return redacted_text(text, self._redact, *hidden)

    def raw(self, raw: str, uri: str, codes: Iterable[Warn] = ()) -> str:
        """Return the raw text of a URI without what is hidden; `codes` are its warnings."""
        return self._raw(raw, uri, self.uri(uri), codes)

    def _raw(self, raw: str, whole: str, uri: str, codes: Iterable[Warn]) -> str:
        """Return a raw text without what is hidden; `whole` is the canonical URI, `uri` the same without it."""
        is_hiding = Warn.PASSWORD_PRESENT in codes or masking.hides_password(whole) or masking.hides_password(raw)
        masked = masking.masked_raw(raw, whole) if is_hiding else raw
        if not self._redact:
            return masked
        from urisieve.records.redacted import hides_all_secrets, redacted_raw

        is_alike = _REWRITTEN.isdisjoint(codes) and hides_all_secrets(masked, whole, self._redact)
        return redacted_raw(masked, uri, self._redact) if is_alike else uri

    def key(self, key: str) -> str:
        """Return a key without what is hidden: each password, and each redacted part, is a digest."""
        return key if self._token is None else self._without_parts(masking.masked_key(key, self._token), self._token)

    def name(self, name: str) -> str:
        """Return the name of a source, or of a location in it, without what is hidden in identifiers in it."""
        if self._token is None or not masking.may_hold_name(name):
            return name
        masked = masking.masked_name(name)
        if not self._redact:
            return masked
        from urisieve.records.redacted import redacted_name

        return redacted_name(masked, self._redact)

    def source(self, name: str) -> str:
        """Return the name of a source as users see it: an address in it as `text` returns it."""
        from urisieve.syntax.defanging import INNER_ADDRESS

        return INNER_ADDRESS.sub(lambda found: self.text(found[0]), name)

    def _named(self, batch: Batch) -> Batch:
        if "source" in batch.columns:
            batch = batch.replaced({"source": [source and self.name(source) for source in batch.column("source")]})
        if "location" in batch.columns:
            batch = batch.placed([location and self.location(location) for location in batch.column("location")])
        return batch

    def location(self, location: Location) -> Location:
        """Return a location without what is hidden in identifiers that its names contain."""
        number, message_id, part, field, row, context = location
        if context is not None:
            time, written, sender, to, subject = context
            context = Context(
                time,
                written and self.name(written),
                sender and self.name(sender),
                to and tuple(map(self.name, to)),
                subject and self.name(subject),
            )
        names = message_id and self.name(message_id), part and self.name(part), field and self.name(field)
        return Location(number, *names, row, context)

    def record(self, record: Record) -> Record:
        """Return a record with any password masked, and without the redacted parts."""
        if self._token is None:
            return record
        if not self._redact:
            return record.masked(self._token)
        batch = self.batch(Batch.of([record]))
        return batch[0]

    def rejection(self, rejection: Rejection) -> Rejection:
        """Return a rejection with any password masked; the same object if it has none."""
        if self._token is None:
            return rejection
        source, location = rejection.source, rejection._location
        if source is not None and masking.may_hold_name(source):
            rejection = _with(rejection, source=self.name(source))
        if location is not None and _may_hold_names((location,)):
            rejection = _with(rejection, location=self.location(location))
        raw, offset = self.hidden(rejection.raw, rejection.offset)
        return rejection if raw == rejection.raw else _with(rejection, raw=raw, offset=offset)

    def hidden(self, raw: str, offset: int) -> tuple[str, int]:
        """Return what is not valid without what may be a password or one of the parts, and an adjusted offset in it."""
        if not self._redact:
            return masking.masked_with_offset(raw, offset)
        from urisieve.records.redacted import redacted_with_offset

        return redacted_with_offset(raw, offset, self._redact)

    def found(self, found: Record | Rejection) -> Record | Rejection:
        """Return a record or rejection as `record` and `rejection` do."""
        from urisieve.records.record import Record

        return self.record(found) if isinstance(found, Record) else self.rejection(found)

    def values(self, name: str, values: Sequence[Any], uris: Sequence[str]) -> Sequence[Any]:
        """Return values of a field as they are written, of rows without what is hidden.

        Args:
            name: the name of the field.
            values: its values.
            uris: the canonical forms of the same rows.
        """
        if not self.makes_values:
            return values
        from urisieve.records.redacted import defanged_values

        return defanged_values(name, values, uris)

    def value(self, name: str, value: str, uri: str = "") -> str:
        """Return one value as `values` does."""
        shown: str = self.values(name, (value,), (uri,))[0]
        return shown

    def row(self, found: Record | Rejection, spans: ByteSpans | None = None, *, parts: bool = False) -> dict[str, Any]:
        """Return the fields of a record or rejection as they are written.

        Args:
            found: the record or rejection.
            spans: adds its byte offsets.
            parts: see `Record.as_dict`.
        """
        row = self.found(found).as_dict(parts=parts)
        if spans is not None:
            row["byte_start"], row["byte_end"] = spans.span(found.start, found.end)
        if not self.makes_values:
            return row
        from urisieve.records.redacted import defanged_row

        return defanged_row(row)

    def candidate(self, raw: str) -> str:
        """Return the text of a rejection, which `rejection` has returned, as it is written."""
        if not self.makes_values:
            return raw
        from urisieve.syntax.defanging import defanged_invalid

        return defanged_invalid(raw)

    def text(self, text: str) -> str:
        """Return a text of which it is not known whether it is an identifier, without what may be hidden in one."""
        if self._token is not None:
            text, _ = self.hidden(text, 0)
        if not self.makes_values:
            return text
        from urisieve.syntax.defanging import defanged_text

        return defanged_text(text)

    def explained(self, rejection: Rejection) -> str:
        """Return the lines of `Rejection.explain` as they are written, with the caret under the same character."""
        lines = self.rejection(rejection).explain()
        if not self.makes_values:
            return lines
        from urisieve.syntax.defanging import defanged_part

        shown, caret, reason = lines.split("\n")
        offset = len(defanged_part(shown[: len(caret) - 1]))
        return f"{defanged_part(shown)}\n{' ' * offset}^\n{reason}"


def _with(rejection: Rejection, **values: Any) -> Rejection:
    from urisieve.records.rejection import make_rejection

    return make_rejection(rejection._row._replace(**values))


# A time as it is written contains a colon, and perhaps slashes; without one of these no identifier with parts to hide.
_NOT_IN_TIMES: Final = lazy_compile("//|[@=%?#]")


def _may_hold_names(locations: Sequence[Location]) -> bool:
    """Report quickly whether a name in some locations may contain an identifier."""
    if not locations:
        return False
    _, ids, parts, fields, _, contexts = zip(*locations, strict=True)
    names = {*ids, *parts, *fields}
    known = [context for context in contexts if context is not None]
    if known:
        _, written, senders, to, subjects = zip(*known, strict=True)
        names.update(senders, subjects, *filter(None, to))
        if _NOT_IN_TIMES.search(" ".join(filter(None, written))) is not None:
            names.update(written)
    return any(masking.may_hold_name(name) for name in names if name is not None)


def _has_odd_names(batch: Batch) -> bool:
    """Report whether the name of a source, or of a location in it, may contain an identifier."""
    held = batch.columns
    if "source" in held:
        if batch.is_constant("source"):
            source = batch.constant("source")
            if source is not None and masking.may_hold_name(source):
                return True
        elif any(masking.may_hold_name(source) for source in set(batch.column("source")) if source is not None):
            return True
    if "location" not in held:
        return False
    shared = batch.layout.locations()
    if isinstance(shared, RowLocations):
        return any(masking.may_hold_name(name) for name in shared.fields.values if name is not None)
    return _may_hold_names([one for one in shared.values if one is not None])


def _is_masked(uri: str) -> bool:
    """Report whether each password is the digest in a key already; a mask is a placeholder."""
    return all(_DIGEST.fullmatch(uri, start, end) for start, end in passwords(uri))
