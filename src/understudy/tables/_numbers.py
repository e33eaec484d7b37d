"""Numbers of a column, whatever they arrive as. Every cell is read on its own: no step asks about the others."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Mask: TypeAlias = npt.NDArray[np.bool_]

# Texts that Arrow reads exactly; it may refuse others, and a refusal would fall on the whole batch.
_PLAIN_WHOLE = r"^-?[0-9]{1,18}$"
_PLAIN_NUMBER = r"^-?[0-9]+(\.[0-9]+)?$"
_LONGEST_PLAIN = 300
_NUMBER = re.compile(r"[+-]?(([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?|(?i:inf|infinity|nan))")
# Whole numbers beyond 64 bits stand at the ends of these.
_LEAST, _MOST = -(2**63), 2**63 - 1


def is_number(kind: pa.DataType) -> bool:
    """Whether a column of this type holds numbers.

    >>> is_number(pa.decimal128(5, 2)), is_number(pa.bool_())
    (True, False)
    """
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_decimal(kind))


def wholes_of_texts(texts: pa.Array) -> tuple[npt.NDArray[np.int64], Mask, Mask]:
    """Whole numbers, which of them are NaN, and which texts are no whole numbers. Nulls come back as 0.

    >>> values, empty, wrong = wholes_of_texts(pa.array(["1000000000000000001", " +5.0", "1.5", "nan"]))
    >>> values.tolist(), empty.tolist(), wrong.tolist()
    ([1000000000000000001, 5, 0, 0], [False, False, False, True], [False, False, True, False])
    """
    plain = _matches(texts, _PLAIN_WHOLE)
    values = ints(_only(texts, plain).cast(pa.int64()))
    return _read_rest(values, texts, plain, _whole)


def floats_of_texts(texts: pa.Array) -> tuple[npt.NDArray[np.float64], Mask, Mask]:
    """Numbers, which of them are NaN, and which texts are no numbers. Nulls come back as 0.

    >>> values, empty, wrong = floats_of_texts(pa.array(["0.1", " 1e3 ", "x"]))
    >>> values.tolist(), wrong.tolist()
    ([0.1, 1000.0, 0.0], [False, False, True])
    """
    plain = _matches(texts, _PLAIN_NUMBER) & (ints(pc.binary_length(texts)) <= _LONGEST_PLAIN)
    cast = _only(texts, plain).cast(pa.float64())
    values = (pc.fill_null(cast, 0.0) if cast.null_count else cast).to_numpy(zero_copy_only=False)
    return _read_rest(values, texts, plain, _float)


def wholes_of_column(column: pa.Array) -> tuple[npt.NDArray[np.int64], Mask, Mask]:
    """Whole numbers of a column of numbers, which are NaN, and which have a fraction. Nulls come back as 0.

    >>> wholes_of_column(pa.array([2.0, 1.5]))[0].tolist(), wholes_of_column(pa.array([2.0, 1.5]))[2].tolist()
    ([2, 1], [False, True])
    """
    nothing = np.zeros(len(column), dtype=bool)
    if pa.types.is_decimal(column.type):
        return wholes_of_texts(column.cast(pa.string()))
    if column.type == pa.uint64():
        unsigned = pc.fill_null(column, 0).to_numpy(zero_copy_only=False)
        return np.minimum(unsigned, _MOST).astype(np.int64), nothing, nothing
    if pa.types.is_integer(column.type):
        return ints(column.cast(pa.int64())), nothing, nothing
    floats, empty = _floats(column)
    fractional = np.isfinite(floats) & (floats != np.floor(floats))
    return whole_part(floats), empty, fractional


def floats_of_column(column: pa.Array) -> tuple[npt.NDArray[np.float64], Mask, Mask]:
    """Numbers of a column of numbers, and which are NaN; none is wrong. Nulls come back as 0.

    >>> floats_of_column(pa.array([1, 2]))[0].tolist()
    [1.0, 2.0]
    """
    if pa.types.is_decimal(column.type):
        # Through texts: they round to the nearest float whatever the column's scale is.
        return floats_of_texts(column.cast(pa.string()))
    floats, empty = _floats(column)
    return floats, empty, np.zeros(len(column), dtype=bool)


def whole_part(floats: npt.NDArray[np.float64]) -> npt.NDArray[np.int64]:
    """Floats without their fraction; what is beyond 64 bits stands at their ends.

    >>> whole_part(np.array([2.5, np.inf])).tolist()
    [2, 9223372036854775807]
    """
    inside = (floats >= -(2.0**63)) & (floats < 2.0**63)
    near = np.where(inside, floats, 0.0).astype(np.int64)
    return np.where(inside, near, np.where(floats > 0, _MOST, _LEAST))


def ints(column: pa.Array) -> npt.NDArray[Any]:
    """An integer column as an array; nulls come back as 0.

    >>> ints(pa.array([1, None])).tolist()
    [1, 0]
    """
    filled = pc.fill_null(column, 0) if column.null_count else column
    values: npt.NDArray[Any] = filled.to_numpy(zero_copy_only=False)
    return values


def bools(column: pa.Array) -> Mask:
    """A boolean column without nulls as an array.

    >>> bools(pa.array([True])).tolist()
    [True]
    """
    values: Mask = column.to_numpy(zero_copy_only=False)
    return values


def _floats(column: pa.Array) -> tuple[npt.NDArray[np.float64], Mask]:
    wide = column.cast(pa.float64(), safe=False)
    values: npt.NDArray[np.float64] = wide.to_numpy(zero_copy_only=False)
    empty = np.isnan(values)
    return np.where(empty, 0.0, values) if empty.any() else values, empty


def _matches(texts: pa.Array, pattern: str) -> Mask:
    return bools(pc.fill_null(pc.match_substring_regex(texts, pattern), False))


def _only(texts: pa.Array, kept: Mask) -> pa.Array:
    return texts if kept.all() else pc.if_else(pa.array(kept), texts, pa.scalar(None, pa.string()))


def _read_rest(
    values: npt.NDArray[Any], texts: pa.Array, plain: Mask, read: Callable[[str], int | float | None]
) -> tuple[npt.NDArray[Any], Mask, Mask]:
    """Reads what is not plain, text by text."""
    empty, wrong = np.zeros(len(texts), dtype=bool), np.zeros(len(texts), dtype=bool)
    rest = np.flatnonzero(~plain & bools(pc.is_valid(texts)))
    if not len(rest):
        return values, empty, wrong
    values = values.copy()
    for row, text in zip(rest.tolist(), texts.take(pa.array(rest)).to_pylist(), strict=True):
        try:
            number = read(text)
        except ValueError:
            wrong[row] = True
            continue
        if number is None:
            empty[row] = True
        else:
            values[row] = number
    return values, empty, wrong


def _float(text: str) -> float | None:
    number = float(_checked(text))
    return None if number != number else number


def _whole(text: str) -> int | None:
    text = _checked(text)
    try:
        number = Decimal(text)
    except InvalidOperation:  # an exponent of twenty digits or more
        number = Decimal(float(text))
    if number.is_nan():
        return None
    if number.is_infinite() or (number and number.adjusted() > 18):
        return _MOST if number > 0 else _LEAST
    # Not to be written out: 1e-999999999 has a thousand million digits.
    if number and number.adjusted() < 0:
        raise ValueError
    whole = int(number) if number else 0
    if whole != number:
        raise ValueError
    return min(max(whole, _LEAST), _MOST)


def _checked(text: str) -> str:
    text = text.strip()
    if not _NUMBER.fullmatch(text):
        raise ValueError
    return text
