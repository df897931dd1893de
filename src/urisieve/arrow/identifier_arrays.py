"""Columns of identifiers, a whole one in each row: canonical forms, keys, and digests of keys.

A column of any library comes back as the kind that was given: a Series of pandas keeps its index and name, one of
Polars its name; a list gives a list. No library is imported for it: callers that give a Series have loaded theirs.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from itertools import islice
from urllib.parse import unquote_plus

from urisieve.arrow.text_columns import decoded, is_wide, octets_of, offsets_of, text_column, text_parts
from urisieve.dedupe.keyset import DIGEST_SIZE, digests
from urisieve.errors import UsageError
from urisieve.finding_options import Options, checked
from urisieve.identifiers import judge_whole
from urisieve.judge.judge import Judged
from urisieve.judge.proofs import TextsProof, proofs_of
from urisieve.judge.validate import Fault
from urisieve.kernel import either, kernel
from urisieve.lean import Any, Final
from urisieve.records.field_table import arrow_array, pa, pc
from urisieve.records.mask import Mask
from urisieve.records.masking import masked_text
from urisieve.shapes import is_frame, is_null
from urisieve.syntax.components import parameters, split


def in_kind(given: Any, made_of: Callable[[Any], Any]) -> Any:
    """Return what a function makes of a column, as the kind of column that was given.

    Args:
        given: an array or chunked array of Arrow; a Series or an Index of pandas; a Series of Polars; an array of NumPy
            of one dimension; a list or a tuple; or an array of another library with `__arrow_c_array__` or
            `__arrow_c_stream__`. None, NaN and NA are nulls.
        made_of: takes an array or a chunked array of Arrow and returns one with as many values, strings or bytes.

    Returns:
        an array or a chunked array of Arrow for those and for other libraries; else as given, with None or what the
        type of the column has in its place for a null.

    Raises:
        UsageError: pyarrow is not installed, or this is not a column of text.
    """
    if isinstance(given, (pa.Array, pa.ChunkedArray)):
        return made_of(given)
    if is_frame(given):
        raise UsageError(f"the column is a table, {type(given).__name__}: give one column of it, as df['url']")
    if isinstance(given, (list, tuple)):
        listed = made_of(_array_of(given)).to_pylist()
        return listed if isinstance(given, list) else tuple(listed)
    if _is_one(given, "pandas", "Series"):
        values, kind = _as_pandas(made_of(_array_of(given)), given.dtype)
        return sys.modules["pandas"].Series(values, index=given.index, name=given.name, dtype=kind)
    if _is_one(given, "pandas", "Index"):
        values, kind = _as_pandas(made_of(_array_of(given)), given.dtype)
        return sys.modules["pandas"].Index(values, name=given.name, dtype=kind)
    if _is_one(given, "numpy", "ndarray"):
        return _objects(made_of(_array_of(given)))
    if _is_one(given, "polars", "Series"):
        if str(given.dtype) == "Object":  # in Arrow these are numbers of bytes
            raise UsageError("the column is a Series of Python objects: give one of strings")
        return sys.modules["polars"].Series(given.name, made_of(pa.chunked_array(given)))
    if not isinstance(given, (pa.RecordBatch, pa.Table)):
        if hasattr(given, "__arrow_c_array__"):
            return made_of(pa.array(given))
        if hasattr(given, "__arrow_c_stream__"):
            return made_of(pa.chunked_array(given))
    raise UsageError(
        f"the column is {type(given).__name__}: give a list, a Series of pandas or Polars, or an array, as one column"
        " of a table"
    )


def _is_one(given: Any, package: str, name: str) -> bool:
    """Report whether a value is of a class of a package, which is not imported for that."""
    module = sys.modules.get(package)
    kind = getattr(module, name, None)
    return isinstance(kind, type) and isinstance(given, kind)


def _array_of(values: Any) -> Any:
    """Return values of Python, NumPy or pandas as an Arrow array.

    Raises:
        UsageError: some are not texts.
    """
    try:
        made = pa.array(values, from_pandas=True)
    except UnicodeEncodeError:  # a lone surrogate: such a text is no identifier
        each = [one.encode("utf-8", "surrogatepass") if isinstance(one, str) else one for one in values]
        return _array_of(each)
    except (pa.ArrowException, TypeError, ValueError) as error:
        wrong = (index for index, one in enumerate(values) if not (isinstance(one, (str, bytes)) or is_null(one)))
        at = "".join(f"; the first is that of index {index}" for index in islice(wrong, 1))
        raise UsageError(f"the column has values that are not text: {error}{at}") from error
    # A column without any value has the type of numbers in pandas.
    return pa.nulls(len(made), pa.string()) if made.null_count == len(made) else made


def _as_pandas(made: Any, given: Any) -> tuple[Any, Any]:
    """Return values for pandas, and their type: that of the column given if it has one for texts, else `object`."""
    pandas = sys.modules["pandas"]
    kind = given.categories.dtype if isinstance(given, pandas.CategoricalDtype) else given
    if isinstance(kind, pandas.ArrowDtype):
        return pandas.arrays.ArrowExtensionArray(made), pandas.ArrowDtype(made.type)
    is_text = isinstance(kind, pandas.StringDtype) and pa.types.is_string(made.type)
    return _objects(made), kind if is_text else object


def _objects(made: Any) -> Any:
    """Return an array of Arrow as one of NumPy, of objects."""
    import numpy

    return numpy.asarray(made, dtype=object)


_components_of: Final = either(lambda: kernel.components_of_texts, lambda: None)()
_parameters_of: Final = either(lambda: kernel.parameters_of_texts, lambda: None)()
# The most bytes and rows that are taken at once.
_MOST_BYTES: Final = 16_777_216
_MOST_ROWS: Final = 1_048_576
# The most bytes that the kernel takes at once: it makes room for three times as many, with offsets of 32 bits. The
# judge decides about one text that is longer.
_MOST_PROVED: Final = 536_870_912
# The most bytes of one array of the type `string`.
_MOST_IN_ARRAY: Final = 2_147_483_647


def normalize_array(array: Any, *, options: Options | None = None) -> Any:
    """Return the canonical URI of each identifier of a column; null where there is none (RFC 3986 6.2).

    A whole text, without the white space around it, is one identifier, as for `normalize`; a null, and what is not
    valid, becomes null. A password becomes `***`, so that identifiers which differ in it alone look alike: deduplicate
    by `key_array` or `digest_array`. The result is of the kind that was given, row by row.

    >>> from urisieve.arrow import normalize_array
    >>> normalize_array(["http://EXAMPLE.com:80/%7ejoe", None, "http://a b/"])
    ['http://example.com/~joe', None, None]

    Args:
        array: strings, or bytes in UTF-8: a Series or an Index of pandas, a Series of Polars, an array of NumPy, a list
            or a tuple, in which None, NaN and NA are nulls; a `pyarrow.Array` or `ChunkedArray` in any layout, or what
            has `__arrow_c_array__` or `__arrow_c_stream__`.
        options: how far to normalize.

    Returns:
        the same kind: a Series with the same index and name, a list for a list. Of Arrow, and of what only gives its
        arrays, an array or a chunked array of the type `string`; chunked, too, where one array cannot hold it (2 GB).

    Raises:
        UsageError: pyarrow is not installed, or this is not a column of text.
    """
    return _each_chunk(array, lambda values: _forms(values, options, lambda judged: masked_text(judged.uri)))


def key_array(array: Any, *, secret: bytes | None = None, options: Options | None = None) -> Any:
    """Return the key of each identifier of a column; null where there is none. Equal keys mean equivalent identifiers.

    >>> from urisieve import new_secret
    >>> from urisieve.arrow import key_array
    >>> key_array(["URN:ISBN:0-395-36341-1", "urn:isbn:0395363411"], secret=new_secret())
    ['urn:isbn:0395363411', 'urn:isbn:0395363411']

    Args:
        array: as for `normalize_array`.
        secret: a password in a key becomes a digest by this secret, which must be given. Keys that are compared need
            the same one: draw it once, by `new_secret`, and pass it to all workers.
        options: how far to normalize.

    Returns:
        as for `normalize_array`.

    Raises:
        UsageError: pyarrow is not installed, this is not a column of text, or there is no secret.
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
    """Return the digest of the key of each identifier of a column, as stores keep it; null where there is none.

    A digest takes 16 bytes in place of a key of any length and is the same in every process: it is what a cluster
    should shuffle. Among 10**10 distinct keys two share a digest with a probability of 1.5e-19. It is BLAKE2b without
    a secret, of the key with its password: who has the digest and the rest of the identifier can try passwords until
    one fits, so a weak one may be guessed. Where that matters, use `key_array`, whose digests need the secret.

    >>> from urisieve.arrow import digest_array
    >>> first, second = digest_array(["http://EXAMPLE.com", "http://example.com:80/"])
    >>> first == second, len(first)
    (True, 16)

    Args:
        array: as for `normalize_array`.
        options: how far to normalize.

    Returns:
        the same kind, of bytes; of Arrow an array, or a chunked array, of the type `fixed_size_binary[16]`.

    Raises:
        UsageError: pyarrow is not installed, or this is not a column of text.
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
    found = _named(values, _components_of, name)
    if found is not None:
        return found
    return pa.array([uri and getattr(split(uri), name) for uri in values.to_pylist()], "string")


def _named(values: Any, of_kernel: Any, name: str) -> Any:
    """Return what the kernel gives of texts for a name; None without the kernel, or if there is too much text."""
    return of_kernel and _proved(values, lambda data, offsets, wide: of_kernel(data, offsets, wide, name))


def parameter_array(queries: Any, name: str) -> Any:
    """Return the first value of a parameter in each query of an array; null where the query has none of this name.

    Names and values are decoded as forms are (WHATWG URL 5.1): `+` is a blank, triplets are UTF-8, and U+FFFD replaces
    what is not.
    """
    return _each_chunk(queries, lambda values: _parameters(values, name))


def _parameters(values: Any, name: str) -> Any:
    # What is not UTF-8 in a query is U+FFFD, which only Python makes.
    found = _named(values, _parameters_of, name) if name.isascii() else None
    if found is None:
        found_each = [None if query is None else parameters(query).get(name) for query in values.to_pylist()]
        return pa.array(found_each, pa.string())
    coded = pc.fill_null(pc.match_substring_regex(found, "[+%]"), fill_value=False)
    return pc.replace_with_mask(found, coded, pa.array(map(unquote_plus, found.filter(coded).to_pylist()), pa.string()))


def _each_chunk(array: Any, made_of: Callable[[Any], Any]) -> Any:
    """Return what is made of a column, in its kind: of an array in parts of bounded size, or of each chunk."""
    return in_kind(array, lambda given: _of_array(given, made_of))


def _of_array(given: Any, made_of: Callable[[Any], Any]) -> Any:
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
    """Return what is made of the chunks of an array: at least one."""
    column = text_column(values, "array")
    empty = pa.array([], "string")
    return [made_of(part) for _, part in text_parts(column, _MOST_BYTES, _MOST_ROWS)] or [made_of(empty)]


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
