"""Columns of any Arrow type → the inner values of a field (see `understudy.schema._values`).

A cell is read as a value, as missing, or as wrong (not of the field's type). Work is done on whole arrays, but what a
cell is read as depends on that cell and the field alone, never on the other cells: the privacy proof rests on it
(`privacy/proof.md`, section 1). A quick way may be taken for the cells that have a certain shape, never for a batch
because all, or none, of its cells have it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field
from understudy.tables._moments import (
    clock_of_column,
    days_of_column,
    has_zone,
    is_moment,
    micros_of_column,
    moments_of_texts,
)
from understudy.tables._numbers import (
    Mask,
    bools,
    floats_of_column,
    floats_of_texts,
    is_number,
    wholes_of_column,
    wholes_of_texts,
)
from understudy.tables._texts import as_texts
from understudy.tables._zones import zone_known

_NO_NUMBER = "no number"


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """Inner values with what could not be read.

    `values` is a text array for strings, float64 for numbers, int64 for all other types.
    """

    values: Any
    missing: Mask
    wrong: Mask


def parse(column: pa.Array, field: Field) -> Parsed:
    """The inner values of a column.

    >>> from understudy.schema import Schema
    >>> age = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "categories": [1, 2]}]})["age"]
    >>> parsed = parse(pa.array(["1", "", "x"]), age)
    >>> parsed.missing.tolist(), parsed.wrong.tolist()
    ([False, True, False], [False, False, True])
    """
    if strange(column.type):
        return _none(column, field)
    column = _simple(column)
    if field.type == "string" or field.type == "boolean":
        texts, unreadable = as_texts(column, field)
        parsed = _parse_texts(texts, field)
        return Parsed(values=parsed.values, missing=parsed.missing & ~unreadable, wrong=parsed.wrong | unreadable)
    if pa.types.is_string(column.type):
        return _parse_texts(column, field)
    return _parse_typed(column, field)


def refusal(kind: pa.DataType, field: Field) -> str | None:
    """Why no cell of a column of this type can be read, if so, as the end of a sentence.

    >>> from understudy.schema import Schema
    >>> code = Schema.from_dict({"fields": [{"name": "code", "categories": ["1", "2"]}]})["code"]
    >>> refusal(pa.int64(), code), refusal(pa.duration("s"), code)
    (None, 'holds lengths of time; no field type does. Make it a number, such as of seconds.')
    """
    if field.type == "datetime" and has_zone(kind) and field.form.timezone is None:
        return (
            "holds moments with a time zone, and the field says nothing of one. Add timezone to the field: the IANA "
            "name of the zone whose clock counts, such as Europe/Paris or UTC."
        )
    return strange(kind)


def strange(kind: pa.DataType) -> str | None:
    """What a column of this type holds, if no field can hold it, as the end of a sentence.

    >>> strange(pa.list_(pa.int64()))
    'holds lists; a cell has to be one value. Flatten the column, or remove it from the table.'
    """
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    if pa.types.is_map(kind) or pa.types.is_struct(kind) or pa.types.is_union(kind):
        what = "structures"
    elif pa.types.is_nested(kind):
        what = "lists"
    elif pa.types.is_duration(kind) or pa.types.is_interval(kind):
        return "holds lengths of time; no field type does. Make it a number, such as of seconds."
    elif has_zone(kind) and not zone_known(kind.tz):
        return "holds moments of a time zone that is not known here. Convert them to UTC, or to a zone of the IANA's."
    else:
        return None
    return f"holds {what}; a cell has to be one value. Flatten the column, or remove it from the table."


def _none(column: pa.Array, field: Field) -> Parsed:
    """A column of which no cell can be read."""
    missing = bools(pc.is_null(column))
    values = pa.nulls(len(column), pa.string()) if field.type == "string" else np.zeros(len(column), dtype=np.int64)
    return Parsed(values=values, missing=missing, wrong=~missing)


def _simple(column: pa.Array) -> pa.Array:
    """The column in the plainest of the types that hold its values."""
    kind = column.type
    if pa.types.is_large_string(kind) or pa.types.is_string_view(kind) or pa.types.is_null(kind):
        return column.cast(pa.string())
    return column


def _parse_texts(column: pa.Array, field: Field) -> Parsed:
    missing = pc.fill_null(pc.is_in(column, value_set=pa.array(field.missing_texts, pa.string())), True)
    missing = pc.or_(missing, pc.is_null(column))
    empty = bools(missing)
    texts = pc.if_else(missing, pa.scalar(None, pa.string()), column) if empty.any() else column
    nan = np.zeros(len(column), dtype=bool)
    if field.type == "string":
        return Parsed(values=texts, missing=empty, wrong=nan)
    if field.type == "boolean":
        values, wrong = _booleans(texts, field)
    elif field.type in ("date", "datetime"):
        values, wrong = moments_of_texts(texts, field)
    elif field.type == "number":
        values, nan, wrong = floats_of_texts(_unmarked(texts, field))
    else:
        values, nan, wrong = wholes_of_texts(_unmarked(texts, field))
    return Parsed(values=values, missing=empty | nan, wrong=wrong)


def _unmarked(texts: pa.Array, field: Field) -> pa.Array:
    """Texts of numbers with no marks for thousands and a point for decimals.

    A mark elsewhere than before three digits would change the number if it were dropped: 1.5 is not 15. Such a cell is
    no number.
    """
    mark = field.form.group_char
    if mark:
        fits = pc.or_(pc.invert(pc.match_substring(texts, mark)), pc.match_substring_regex(texts, field.form.grouped))
        texts = pc.if_else(fits, pc.replace_substring(texts, mark, ""), _NO_NUMBER)
    if field.form.decimal_char != ".":
        texts = pc.replace_substring(texts, field.form.decimal_char, ".")
    return texts


def _micros(column: pa.Array, field: Field, missing: Mask) -> tuple[npt.NDArray[np.int64], Mask]:
    if not has_zone(column.type):
        return micros_of_column(column), np.zeros(len(column), dtype=bool)
    if field.form.timezone is None:
        return np.zeros(len(column), dtype=np.int64), ~missing
    return clock_of_column(column, field.form.timezone), np.zeros(len(column), dtype=bool)


def _booleans(texts: pa.Array, field: Field) -> tuple[npt.NDArray[Any], Mask]:
    true = bools(pc.is_in(texts, value_set=pa.array(field.form.true_values, pa.string())))
    false = bools(pc.is_in(texts, value_set=pa.array(field.form.false_values, pa.string())))
    return true.astype(np.int64), ~true & ~false & ~bools(pc.is_null(texts))


def _parse_typed(column: pa.Array, field: Field) -> Parsed:
    """A column that has a type of its own: numbers, dates and times."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    missing = bools(pc.is_null(column))
    nan = np.zeros(len(column), dtype=bool)
    values: npt.NDArray[Any]
    if field.type == "number" and is_number(column.type):
        values, nan, wrong = floats_of_column(column)
    elif field.type in ("integer", "year") and is_number(column.type):
        values, nan, wrong = wholes_of_column(column)
    elif field.type == "date" and is_moment(column.type):
        values, wrong = days_of_column(column)
    elif field.type == "datetime" and is_moment(column.type):
        values, wrong = _micros(column, field, missing)
    else:
        values, wrong = np.zeros(len(column), dtype=np.int64), ~missing
        if pa.types.is_floating(column.type):  # NaN is missing, whatever was expected
            nan = bools(pc.is_nan(pc.fill_null(column.cast(pa.float64()), 0.0)))
    missing = missing | nan
    return Parsed(values=values, missing=missing, wrong=wrong & ~missing)
