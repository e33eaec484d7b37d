"""Columns of any Arrow type → the inner values of a field (see `understudy.schema._values`).

Everything is done on whole arrays. A cell is read as a value, as missing, or as wrong (not of the field's type).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Field
from understudy.schema._values import directives

_WHOLE = r"^[+-]?[0-9]{1,18}$"
_NUMBER = r"^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?$|^[+-]?(?i:inf|infinity|nan)$"
_FAR = 2**62  # stands for a whole number beyond every declared range
_QUICK_DIRECTIVES = frozenset("YmdHMS")


@dataclass(frozen=True, kw_only=True)
class Parsed:
    """Inner values with what could not be read. `values` is a text array for strings, else int64 or float64."""

    values: Any
    missing: npt.NDArray[np.bool_]
    wrong: npt.NDArray[np.bool_]


def parse(column: pa.Array, field: Field) -> Parsed:
    """The inner values of a column.

    >>> from understudy.schema import Schema
    >>> age = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "categories": [1, 2]}]})["age"]
    >>> parsed = parse(pa.array(["1", "", "x"]), age)
    >>> parsed.missing.tolist(), parsed.wrong.tolist()
    ([False, True, False], [False, False, True])
    """
    if pa.types.is_string_view(column.type) or pa.types.is_large_string(column.type):
        column = column.cast(pa.string())
    if pa.types.is_null(column.type):
        column = column.cast(pa.string())
    if field.type == "string" or field.type == "boolean":
        try:
            column = _as_text(column, field)
        except (pa.ArrowInvalid, pa.ArrowNotImplementedError):  # lists, structures, bytes that are no text
            empty = _bools(pc.is_null(column))
            return Parsed(values=pa.nulls(len(column), pa.string()), missing=empty, wrong=~empty)
    if pa.types.is_string(column.type):
        return _parse_text(column, field)
    return _parse_typed(column, field)


def _parse_text(column: pa.Array, field: Field) -> Parsed:
    missing = pc.fill_null(pc.is_in(column, value_set=pa.array(field.missing_texts, pa.string())), True)
    missing = pc.or_(missing, pc.is_null(column))
    texts = pc.if_else(missing, pa.scalar(None, pa.string()), column)
    nothing = np.zeros(len(column), dtype=bool)
    if field.type == "string":
        return Parsed(values=texts, missing=_bools(missing), wrong=nothing)
    if field.type == "boolean":
        values, wrong = _booleans(texts, field)
    elif field.type in ("date", "datetime"):
        values, wrong = _moments(texts, field)
    else:
        values, wrong = _numbers(texts, field)
    unread = _bools(missing)
    if values.dtype.kind == "f":
        unread = unread | (np.isnan(values) & ~wrong)
    return Parsed(values=values, missing=unread, wrong=wrong & ~unread)


def _numbers(texts: pa.Array, field: Field) -> tuple[npt.NDArray[Any], npt.NDArray[np.bool_]]:
    whole = field.type != "number"
    if field.form.group_char:
        texts = pc.replace_substring(texts, field.form.group_char, "")
    if field.form.decimal_char != ".":
        texts = pc.replace_substring(texts, field.form.decimal_char, ".")
    try:  # nearly always every text is a plain number
        if whole and not pc.any(pc.match_substring_regex(texts, "[xX]")).as_py():
            return _ints(texts.cast(pa.int64())), np.zeros(len(texts), dtype=bool)
        if not whole:
            return _floats(texts.cast(pa.float64())), np.zeros(len(texts), dtype=bool)
    except pa.ArrowInvalid:
        pass
    texts = pc.utf8_trim_whitespace(texts)
    readable = pc.fill_null(pc.match_substring_regex(texts, _NUMBER), False)
    null = pa.scalar(None, pa.string())
    floats = _floats(_cast_floats(pc.if_else(readable, texts, null)))
    wrong = ~_bools(readable) & ~_bools(pc.is_null(texts))
    if not whole:
        return floats, wrong
    plain = pc.fill_null(pc.match_substring_regex(texts, _WHOLE), False)
    exact = pc.if_else(plain, pc.replace_substring(texts, "+", ""), null).cast(pa.int64())
    values, fractional = _wholes(floats)
    missing = np.isnan(floats) & ~wrong & ~_bools(pc.is_null(texts))
    values = np.where(_bools(plain), _ints(exact), values)
    return _with_nan(values, missing), wrong | fractional


def _with_nan(values: npt.NDArray[np.int64], missing: npt.NDArray[np.bool_]) -> npt.NDArray[Any]:
    """Whole numbers among which the text NaN was found: floats, so that it is seen as missing."""
    return np.where(missing, np.nan, values.astype(np.float64)) if missing.any() else values


def _cast_floats(texts: pa.Array) -> pa.Array:
    return pc.replace_substring_regex(texts, r"^\+", "").cast(pa.float64())


def _wholes(floats: npt.NDArray[np.float64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    """Floats as whole numbers, and which of them are fractions; what is too large stands at ±2^62."""
    with np.errstate(invalid="ignore"):
        fractional = np.isfinite(floats) & (floats != np.floor(floats))
        near = np.clip(np.nan_to_num(floats, nan=0.0, posinf=_FAR, neginf=-_FAR), -_FAR, _FAR)
    return near.astype(np.int64), fractional


def _booleans(texts: pa.Array, field: Field) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    true = _bools(pc.is_in(texts, value_set=pa.array(field.form.true_values, pa.string())))
    false = _bools(pc.is_in(texts, value_set=pa.array(field.form.false_values, pa.string())))
    return true.astype(np.int64), ~true & ~false & ~_bools(pc.is_null(texts))


def _moments(texts: pa.Array, field: Field) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
    pattern = field.form.format
    try:
        if pattern is None:
            cast = texts.cast(pa.date32()) if field.type == "date" else texts.cast(pa.timestamp("us"))
            return _since_1970(cast, field), np.zeros(len(texts), dtype=bool)
        if set(directives(pattern)) <= _QUICK_DIRECTIVES:
            cast = pc.strptime(texts, format=pattern, unit="us", error_is_null=True)
            if cast.null_count == texts.null_count:
                return _since_1970(cast, field), np.zeros(len(texts), dtype=bool)
    except pa.ArrowInvalid:
        pass
    values, wrong = np.zeros(len(texts), dtype=np.int64), np.zeros(len(texts), dtype=bool)
    for i, text in enumerate(texts.to_pylist()):
        try:
            values[i] = 0 if text is None else field.form.parse(text)
        except (ValueError, OverflowError):
            wrong[i] = True
    return values, wrong


def _since_1970(moments: pa.Array, field: Field) -> npt.NDArray[np.int64]:
    if field.type == "date":
        return _ints(moments.cast(pa.date32(), safe=False).cast(pa.int32()).cast(pa.int64()))
    return _ints(moments.cast(pa.timestamp("us"), safe=False).cast(pa.int64()))


def _parse_typed(column: pa.Array, field: Field) -> Parsed:
    """A column that has a type of its own: numbers, dates and times."""
    if pa.types.is_boolean(column.type):
        column = column.cast(pa.int8())
    missing = _bools(pc.is_null(column))
    wrong = np.zeros(len(column), dtype=bool)
    kind = column.type
    number = pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind)
    moment = pa.types.is_date(kind) or pa.types.is_timestamp(kind)
    if field.type in ("integer", "year", "number") and number:
        if field.type != "number" and pa.types.is_integer(kind) and kind != pa.uint64():
            return Parsed(values=_ints(column.cast(pa.int64())), missing=missing, wrong=wrong)
        floats = _floats(column.cast(pa.float64(), safe=False))
        missing = missing | np.isnan(floats)
        if field.type == "number":
            return Parsed(values=floats, missing=missing, wrong=wrong)
        values, fractional = _wholes(floats)
        return Parsed(values=values, missing=missing, wrong=fractional & ~missing)
    if field.type in ("date", "datetime") and moment:
        if field.type == "date" and getattr(kind, "tz", None):
            column = pc.local_timestamp(column)  # the day where it was recorded, not the day in Greenwich
        values = _since_1970(column, field)
        if field.type == "date" and pa.types.is_timestamp(kind):
            day = 24 * 3600 * 10**6
            wrong = _ints(column.cast(pa.timestamp("us"), safe=False).cast(pa.int64())) % day != 0
        return Parsed(values=values, missing=missing, wrong=wrong & ~missing)
    return Parsed(values=np.zeros(len(column), dtype=np.int64), missing=missing, wrong=~missing)


def _as_text(column: pa.Array, field: Field) -> pa.Array:
    """Any column as the texts a CSV file would hold, so that codes kept as numbers match categories kept as texts."""
    kind = column.type
    if pa.types.is_string(kind):
        return column
    if pa.types.is_floating(kind):
        floats = pc.if_else(pc.is_nan(column), pa.scalar(None, kind), column)
        if pc.all(pc.equal(floats, pc.floor(floats))).as_py() is not False and _fits(floats):
            return floats.cast(pa.int64()).cast(pa.string())
        return floats.cast(pa.string())
    if pa.types.is_boolean(kind):
        words = ("True", "False") if any(c.value == "True" for c in field.categories) else ("true", "false")
        if field.type == "boolean":
            words = (field.form.true_values[0], field.form.false_values[0])
        return pc.if_else(column, *words)
    return column.cast(pa.string())


def _fits(floats: pa.Array) -> bool:
    largest = pc.max(pc.abs(floats)).as_py()
    return largest is None or largest < 2**53


def _ints(column: pa.Array) -> npt.NDArray[np.int64]:
    filled = pc.fill_null(column, 0) if column.null_count else column
    values: npt.NDArray[np.int64] = filled.to_numpy(zero_copy_only=False)
    return values


def _floats(column: pa.Array) -> npt.NDArray[np.float64]:
    values: npt.NDArray[np.float64] = column.to_numpy(zero_copy_only=False)
    return values


def _bools(column: pa.Array) -> npt.NDArray[np.bool_]:
    values: npt.NDArray[np.bool_] = column.to_numpy(zero_copy_only=False)
    return values
