"""Any column as texts, so that codes kept as numbers match categories kept as texts.

The text of a cell depends on its value alone: not on the other cells, nor on what they made of the column's type. So 1
reads `1` in a column of integers, of floats (where one cell was missing) and of decimals (where one had a fraction),
and midnight of a day reads like the day.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field
from understudy.tables._numbers import Mask, bools, whole_part

_ZONE = r"(Z|[+-][0-9:]+)?$"


def as_texts(column: pa.Array, field: Field) -> tuple[pa.Array, Mask]:
    """The texts, and which cells cannot be one (lists, structures, lengths of time, bytes that are not UTF-8).

    >>> from understudy.schema import Schema
    >>> code = Schema.from_dict({"fields": [{"name": "code", "categories": ["1", "2"]}]})["code"]
    >>> as_texts(pa.array([1.0, 1.5, None, float("nan")]), code)[0].to_pylist()
    ['1', '1.5', None, None]
    """
    kind = column.type
    fine = np.zeros(len(column), dtype=bool)
    if pa.types.is_string(kind):
        return column, fine
    if pa.types.is_boolean(kind):
        return pc.if_else(column, *_true_and_false_texts(field)), fine
    if pa.types.is_floating(kind):
        return _floats(column), fine
    if pa.types.is_decimal(kind):
        return _decimals(column), fine
    if pa.types.is_integer(kind):
        return column.cast(pa.string()), fine
    if pa.types.is_date(kind):
        return column.cast(pa.date32(), safe=False).cast(pa.string()), fine
    if pa.types.is_timestamp(kind) or pa.types.is_time(kind):
        return _clocks(column), fine
    return _rest(column)


def _true_and_false_texts(field: Field) -> tuple[str, str]:
    if field.type == "boolean":
        return field.form.true_values[0], field.form.false_values[0]
    return ("True", "False") if any(c.value == "True" for c in field.categories) else ("true", "false")


def _floats(column: pa.Array) -> pa.Array:
    column = column.cast(pa.float64())
    values = column.to_numpy(zero_copy_only=False)
    empty = np.isnan(values)
    whole = ~empty & (np.abs(values) < 2.0**63) & (values == np.floor(values))
    texts = pa.array(whole_part(np.where(whole, values, 0.0)), mask=~whole).cast(pa.string())
    if (whole | empty).all():
        return texts
    return pc.coalesce(texts, pa.array(values, mask=whole | empty).cast(pa.string()))


def _decimals(column: pa.Array) -> pa.Array:
    texts = column.cast(pa.string())
    short = bools(pc.fill_null(pc.match_substring(texts, "E"), False))
    if short.any():  # 1E-7, as Arrow writes the small ones
        written = [f"{cell:f}" for cell in column.filter(pa.array(short)).to_pylist()]
        texts = pc.replace_with_mask(texts, pa.array(short), pa.array(written, pa.string()))
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]*[1-9])0+$", r"\1")
    return pc.replace_substring_regex(texts, r"\.0*$", "")


def _clocks(column: pa.Array) -> pa.Array:
    texts = column.cast(pa.string())
    texts = pc.replace_substring_regex(texts, r"\.0+" + _ZONE, r"\1")
    texts = pc.replace_substring_regex(texts, r"(\.[0-9]*[1-9])0+" + _ZONE, r"\1\2")
    return pc.replace_substring_regex(texts, " 00:00:00$", "")


def _rest(column: pa.Array) -> tuple[pa.Array, Mask]:
    kind = column.type
    present = bools(pc.is_valid(column))
    if not (pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind)):
        return pa.nulls(len(column), pa.string()), present
    texts = [_decoded(cell) for cell in column.to_pylist()]
    return pa.array(texts, pa.string()), present & np.array([text is None for text in texts], dtype=bool)


def _decoded(cell: Any) -> str | None:
    try:
        return None if cell is None else bytes(cell).decode()
    except UnicodeDecodeError:
        return None
