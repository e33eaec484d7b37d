"""Codes → values. Values inside a bin are drawn: possible ones only, evenly or as the bin's shape has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.randomness import Rng
from understudy.schema import Codes, Field, Schema
from understudy.tables._determined import draw_determined
from understudy.tables._inside import InOrderDraw, draw_points
from understudy.tables._numbers import bools, ints
from understudy.tables._zones import moments_at

_TYPES = {
    "string": pa.string(),
    "integer": pa.int64(),
    "year": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "datetime": pa.timestamp("us"),
}
_CODED = pa.dictionary(pa.int32(), pa.string())


def arrow_schema(schema: Schema, *, coded: bool = False) -> pa.Schema:
    """The types of decoded columns, in the schema's order; with `coded`, texts have a dictionary.

    >>> arrow_schema(Schema.from_dict({"fields": [{"name": "ok", "type": "boolean"}]})).field("ok").type
    DataType(bool)
    """
    return pa.schema(
        [pa.field(field.name, _CODED if coded and _is_coded(field) else _type(field)) for field in schema.fields]
    )


def decode_batch(
    schema: Schema, columns: Sequence[Codes], rng: Rng, *, coded: bool = False, in_order: InOrderDraw | None = None
) -> pa.RecordBatch:
    """Rows of values for columns of codes.

    A category or special value comes back as itself, missing as null. "Other" comes back as the text `other` in a
    column of texts and as null in the rest, since any value there would be invented. A bin gives a value drawn from
    those it may hold, evenly or as its shape has it: whole numbers, days, moments its format can show, numbers with the
    field's decimals. Reading the result with the same schema gives the same codes (but "other" reads as missing where
    both came back null). Columns that are declared to be in order come out in order, as far as their codes allow it
    (`in_order` has what is known of how far apart they lie), and a column that others determine has one value for each
    combination of their codes. With `coded`, columns of texts are codes with a dictionary, and no text is written out.

    >>> from understudy._core.randomness import streams
    >>> schema = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": 2,
    ...     "constraints": {"minimum": 0, "maximum": 9}}]})
    >>> batch = decode_batch(schema, [np.array([0, 0, 1])], streams(1).get("decode"))
    >>> [age // 5 for age in batch.column("age").to_pylist()]
    [0, 0, 1]
    """
    drawn = (in_order or InOrderDraw.of(schema)).values(columns, rng)
    drawn |= draw_determined(schema, columns, rng, drawn)
    arrays = [
        _coded(field, np.asarray(codes))
        if coded and _is_coded(field)
        else _decode(field, np.asarray(codes), _type(field), rng, drawn.get(a))
        for a, (field, codes) in enumerate(zip(schema.fields, columns, strict=True))
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=arrow_schema(schema, coded=coded))


def _type(field: Field) -> pa.DataType:
    return pa.timestamp("us", field.form.timezone) if field.form.timezone else _TYPES[field.type]


def _is_coded(field: Field) -> bool:
    return field.type == "string" and field.bins is None


def _coded(field: Field, codes: npt.NDArray[Any]) -> pa.Array:
    values = _own_values(field, pa.string())
    missing = codes == field.missing_code if field.missing_allowed else None
    return pa.DictionaryArray.from_arrays(pa.array(codes.astype(np.int32), mask=missing), values.drop_null())


def _decode(
    field: Field, codes: npt.NDArray[Any], kind: pa.DataType, rng: Rng, drawn: npt.NDArray[Any] | None
) -> pa.Array:
    if field.bins is None:
        values = _own_values(field, kind)
        if values.null_count or kind not in (pa.int64(), pa.float64()):
            return values.take(pa.array(codes))
        # The same numbers in NumPy's memory, which gives back and reuses small arrays where Arrow's keeps them.
        return pa.array(values.to_numpy()[codes])
    if drawn is None:
        drawn = field.bins.values(draw_points(field.bins, np.minimum(codes, field.n_main - 1), rng))
    special = np.array([c.value for c in field.special], dtype=drawn.dtype)
    place = codes.astype(np.int64) - field.n_main
    if len(special):
        drawn = np.where((place >= 0) & (place < len(special)), special[np.clip(place, 0, len(special) - 1)], drawn)
    empty = place >= len(special) if field.size > field.n_main + len(special) else None
    return _typed(drawn, kind, empty)


def _own_values(field: Field, kind: pa.DataType) -> pa.Array:
    values: list[Any] = [c.value for c in field.categories]
    if field.outside == "other":
        values.append(field.other_text if field.type == "string" else None)
    if field.missing_allowed:
        values.append(None)
    if field.type == "boolean":
        values = [None if v is None else bool(v) for v in values]
    if field.type == "date":
        return pa.array(values, pa.int32()).cast(kind)
    return _on_clock(pa.array(values, pa.int64()), kind) if field.type == "datetime" else pa.array(values, kind)


def _typed(values: npt.NDArray[Any], kind: pa.DataType, empty: npt.NDArray[np.bool_] | None) -> pa.Array:
    if pa.types.is_date32(kind):
        return pa.array(values.astype(np.int32), mask=empty).cast(kind)
    column = pa.array(values, mask=empty)
    return _on_clock(column, kind) if pa.types.is_timestamp(kind) else column.cast(kind)


def _on_clock(micros: pa.Array, kind: pa.DataType) -> pa.Array:
    """Moments that the clock of the type's zone shows at these microseconds.

    A time that the clock shows twice is the first of the two; one that it skips becomes one right after that exists.
    """
    if kind.tz is None:
        return micros.cast(kind)
    moments = moments_at(ints(micros), kind.tz)
    return pa.array(moments, mask=bools(micros.is_null())).cast(kind)
