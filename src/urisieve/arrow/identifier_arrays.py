"""Columns of identifiers, a whole one in each row: canonical forms, keys, and digests of keys."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from urisieve.arrow.text_columns import decoded, is_wide, octets_of, offsets_of, text_column, text_parts
from urisieve.dedupe.keyset import DIGEST_SIZE, digests
from urisieve.errors import UsageError
from urisieve.identifiers import judge_whole
from urisieve.judge.judge import Judged
from urisieve.judge.proofs import TextsProof, proofs_of
from urisieve.judge.validate import Fault
from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final
from urisieve.options import Options, checked
from urisieve.records.mask import Mask
from urisieve.records.masking import masked_text
from urisieve.sinks.arrow_columns import arrow_array, pa, pc
from urisieve.syntax.components import split

_of_kernel: Final = either(lambda: kernel.components_of_texts, lambda: None)()
# The most bytes and rows that are taken at once.
_MOST_BYTES: Final = 16_777_216
_MOST_ROWS: Final = 1_048_576
# The most bytes that the kernel takes at once: it makes room for three times as many, with offsets of 32 bits. The
# judge decides about one text that is longer.
_MOST_PROVED: Final = 536_870_912
# The most bytes of one array of the type `string`.
_MOST_IN_ARRAY: Final = 2_147_483_647


def normalize_array(array: Any, *, options: Options | None = None) -> Any:
    """Return the canonical URI of each identifier of an array; null where there is none (RFC 3986 6.2).

    A whole text, without the white space around it, is one identifier, as for `normalize`; a null, and what is not
    valid, becomes null. A password becomes
    `***`, so that identifiers which differ in it alone look alike: deduplicate by `key_array` or `digest_array`.

    >>> import pyarrow as pa
    >>> from urisieve.arrow import normalize_array
    >>> normalize_array(pa.array(["http://EXAMPLE.com:80/%7ejoe", None, "http://a b/"])).to_pylist()
    ['http://example.com/~joe', None, None]

    Args:
        array: a `pyarrow.Array` or `ChunkedArray` of strings, or of bytes in UTF-8, in any layout; or an array of
            another library, with `__arrow_c_array__` or `__arrow_c_stream__`.
        options: how far to normalize.

    Returns:
        an array, or a chunked array, of the type `string`; chunked, too, where one array cannot hold it (2 GB).

    Raises:
        UsageError: pyarrow is not installed, or this is not an array of text.
    """
    return _each_chunk(array, lambda values: _forms(values, options, lambda judged: masked_text(judged.uri)))


def key_array(array: Any, *, secret: bytes | None = None, options: Options | None = None) -> Any:
    """Return the key of each identifier of an array; null where there is none. Equal keys mean equivalent identifiers.

    >>> import pyarrow as pa
    >>> from urisieve import new_secret
    >>> from urisieve.arrow import key_array
    >>> key_array(pa.array(["URN:ISBN:0-395-36341-1", "urn:isbn:0395363411"]), secret=new_secret()).to_pylist()
    ['urn:isbn:0395363411', 'urn:isbn:0395363411']

    Args:
        array: as for `normalize_array`.
        secret: a password in a key becomes a digest by this secret, which must be given. Keys that are compared need
            the same one: draw it once, by `new_secret`, and pass it to all workers.
        options: how far to normalize.

    Returns:
        an array, or a chunked array, of the type `string`; chunked, too, where one array cannot hold it (2 GB).

    Raises:
        UsageError: pyarrow is not installed, this is not an array of text, or there is no secret.
    """
    mask = Mask(secret)
    if not mask.hides_passwords:
        raise UsageError(
            "key_array needs secret=: draw one with urisieve.new_secret(), the same for all that you compare"
        )
    return masked_keys(array, mask, options)


def masked_keys(array: Any, mask: Mask, options: Options | None = None) -> Any:
    """Return the keys of identifiers as `key_array` does, with what a mask hides hidden in them."""
    return _each_chunk(array, lambda values: _forms(values, options, lambda judged: mask.key(judged.key)))


def digest_array(array: Any, *, options: Options | None = None) -> Any:
    """Return the digest of the key of each identifier of an array, as stores hold it; null where there is none.

    A digest takes 16 bytes in place of a key of any length and is the same in every process: it is what a cluster
    should shuffle. Among 10**10 distinct keys two share a digest with a probability of 1.5e-19. It is BLAKE2b without
    a secret, of the key with its password: who has the digest and the rest of the identifier can try passwords until
    one fits, so a weak one may be guessed. Where that matters, use `key_array`, whose digests need the secret.

    >>> import pyarrow as pa
    >>> from urisieve.arrow import digest_array
    >>> first, second = digest_array(pa.array(["http://EXAMPLE.com", "http://example.com:80/"])).to_pylist()
    >>> first == second, len(first)
    (True, 16)

    Args:
        array: as for `normalize_array`.
        options: how far to normalize.

    Returns:
        an array, or a chunked array, of the type `fixed_size_binary[16]`.

    Raises:
        UsageError: pyarrow is not installed, or this is not an array of text.
    """

    def of_keys(values: Any) -> Any:
        keys = _forms(values, options, lambda judged: judged.key).to_pylist()
        made = iter(digests(key for key in keys if key is not None))
        return pa.array([key if key is None else next(made) for key in keys], pa.binary(DIGEST_SIZE))

    return _each_chunk(array, of_keys)


def component_array(uris: Any, name: str) -> Any:
    """Return a component of each canonical URI of an array, as `normalize_array` returns it; null for an absent one.

    They are those of the generic grammar (RFC 3986 Appendix B).
    """
    return _each_chunk(uris, lambda values: _components(values, name))


def _components(values: Any, name: str) -> Any:
    found = _proved(values, lambda data, offsets, wide: _of_kernel(data, offsets, wide, name)) if _of_kernel else None
    if found is not None:
        return found
    return pa.array([uri and getattr(split(uri), name) for uri in values.to_pylist()], "string")


def _each_chunk(array: Any, made_of: Callable[[Any], Any]) -> Any:
    """Return what is made of an array, in stretches of bounded size, or of each chunk of a chunked one."""
    given = _as_array(array)
    if not isinstance(given, pa.ChunkedArray):
        parts = _parts(given, made_of)
        if len(parts) == 1:
            return parts[0]
        if sum(part.nbytes for part in parts) <= _MOST_IN_ARRAY:
            return pa.concat_arrays(parts)
        return pa.chunked_array(parts)
    chunks = [part for chunk in given.chunks for part in _parts(chunk, made_of)]
    return pa.chunked_array(chunks, None if chunks else made_of(pa.array([], pa.string())).type)


def _parts(values: Any, made_of: Callable[[Any], Any]) -> list[Any]:
    """Return what is made of the stretches of an array: at least one."""
    column = text_column(values, "array")
    empty = pa.array([], "string")
    return [made_of(part) for _, part in text_parts(column, _MOST_BYTES, _MOST_ROWS)] or [made_of(empty)]


def _as_array(given: Any) -> Any:
    """Return an array of Arrow, or one of another library as such.

    Raises:
        UsageError: it is not an array.
    """
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return given
    if not isinstance(given, (pa.RecordBatch, pa.Table)):
        if hasattr(given, "__arrow_c_array__"):
            return pa.array(given)
        if hasattr(given, "__arrow_c_stream__"):
            return pa.chunked_array(given)
    hint = "a pyarrow.Array or ChunkedArray, as a column of a table"
    if type(given).__module__.partition(".")[0] == "pandas":
        hint = "pyarrow.array(series, from_pandas=True)"
    raise UsageError(f"the array is {type(given).__name__}: give {hint}")


def _forms(values: Any, options: Options | None, form_of: Callable[[Judged], str]) -> Any:
    """Return a form of each identifier as an array of strings.

    It is that of `form_of`, or the canonical URI where the kernel proves that all forms are the same.
    """
    texts = decoded(values)
    chosen = checked(options)
    if texts is None:
        listed = [None if octets is None else octets.decode("utf-8", "surrogateescape") for octets in octets_of(values)]
        return arrow_array(_judged_forms(listed, chosen, form_of), pa.string())
    proof = proofs_of(chosen).texts
    proved = None if proof is None else _proved(texts, proof)
    if proved is None:
        return arrow_array(_judged_forms(texts.to_pylist(), chosen, form_of), pa.string())
    if not proved.null_count:
        return proved

    undecided = proved.is_null()
    listed = texts.filter(undecided).to_pylist()
    return pc.replace_with_mask(proved, undecided, arrow_array(_judged_forms(listed, chosen, form_of), pa.string()))


def _proved(texts: Any, proof: TextsProof) -> Any:
    """Return the canonical forms that are proved, nulls for the others; None if there is too much text."""
    if not len(texts):
        return None
    data = texts.buffers()[2]
    offsets = offsets_of(texts)[texts.offset : texts.offset + len(texts) + 1]
    if offsets[-1] - offsets[0] > _MOST_PROVED:
        return None
    buffers = proof(b"" if data is None else memoryview(data), offsets, is_wide(texts.type))
    return pa.Array.from_buffers(pa.string(), len(texts), list(map(pa.py_buffer, buffers)))


def _judged_forms(texts: Sequence[str | None], options: Options, form_of: Callable[[Judged], str]) -> list[str | None]:
    """Return a form of each text, judged once for equal ones; None for what is not valid."""
    forms: dict[str | None, str | None] = {None: None, "": None}
    for text in texts:
        if text not in forms and text is not None:
            judged = judge_whole(text, options)
            forms[text] = None if isinstance(judged, Fault) else form_of(judged)
    return list(map(forms.__getitem__, texts))
