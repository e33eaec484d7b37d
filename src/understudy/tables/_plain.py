"""Arrow columns of rare types as columns of common ones that hold the same values."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc


def plain(column: pa.Array) -> pa.Array:
    """The column in a type that Arrow can compute with: many of its functions know the common types only.

    >>> plain(pa.array([1.5], pa.float16())).type, plain(pa.RunEndEncodedArray.from_arrays([2], ["a"])).to_pylist()
    (DataType(float), ['a', 'a'])
    """
    kind = column.type
    if isinstance(column, pa.ExtensionArray):
        return plain(column.storage)
    if pa.types.is_run_end_encoded(kind):
        values = plain(column.values)
        values = values.dictionary_decode() if pa.types.is_dictionary(values.type) else values
        # Decoded as places, for not every type can be.
        places = pa.array(range(len(values)), pa.int32())
        return values.take(pc.run_end_decode(_runs(column, places)))
    if pa.types.is_float16(kind):
        return column.cast(pa.float32())
    if pa.types.is_decimal32(kind) or pa.types.is_decimal64(kind):
        return column.cast(pa.decimal128(kind.precision, kind.scale))
    if pa.types.is_binary_view(kind):
        return column.cast(pa.large_binary())
    if pa.types.is_dictionary(kind) and (values := plain(column.dictionary)) is not column.dictionary:
        return pa.DictionaryArray.from_arrays(column.indices, values)
    return column


def _runs(column: pa.RunEndEncodedArray, values: pa.Array) -> pa.RunEndEncodedArray:
    """The same runs of other values."""
    whole = pa.RunEndEncodedArray.from_arrays(column.run_ends, values)
    return whole.slice(column.offset, len(column))
