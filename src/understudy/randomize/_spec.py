"""Matrices as a plan's file writes them: exact fractions, and no more than is needed to build them again."""

from __future__ import annotations

import reprlib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_number
from understudy.randomize._matrix import Matrix, Response, TransitionMatrix


def matrix_to_spec(matrix: TransitionMatrix) -> dict[str, Any]:
    """The matrix as plain values.

    >>> matrix_to_spec(Response(2, Fraction(3, 4)))
    {'form': 'response', 'keep': '3/4'}
    """
    if isinstance(matrix, Response):
        return {"form": "response", "keep": str(matrix.keep)} if matrix.keep != 1 else {"form": "none"}
    size = range(matrix.size)
    return {"form": "matrix", "rows": [[str(matrix.probability(row, to)) for to in size] for row in size]}


def matrix_from(spec: Mapping[str, Any], size: int, *, where: str) -> tuple[TransitionMatrix | None, str]:
    """The matrix of a spec for `size` values; None, and what it is to keep, if it is worked out later.

    >>> matrix_from({"form": "response", "keep": "3/4"}, 2, where="here")
    (Response(values=2, keep=Fraction(3, 4)), '')
    """
    form = spec.get("form")
    if form == "none":
        return Response(size, Fraction(1)), ""
    if form == "response":
        return Response(size, _probability(spec.get("keep"), where)), ""
    if form == "invariant":
        return None, str(_probability(spec.get("keep"), where))
    rows = spec.get("rows")
    if form != "matrix" or not _is_row(rows) or not all(_is_row(row) for row in rows or ()):
        raise OptionError(
            f"{where} has no matrix that can be read: its form is one of none, response, invariant, matrix."
        )
    if not rows or len(rows) != size or any(len(row) != size for row in rows):  # before any number is read
        raise OptionError(f"{where}: its matrix must have {size:,} rows of {size:,}, as its columns have values.")
    return Matrix(tuple(tuple(_probability(entry, where) for entry in row) for row in rows)), ""


def _is_row(row: object) -> bool:
    return isinstance(row, Sequence) and not isinstance(row, str)


def _probability(written: Any, where: str) -> Fraction:
    try:
        return exact_number(written)
    except ValueError:
        raise OptionError(f"{where}: {reprlib.repr(written)} is no probability. Write 0.25 or 1/4.") from None
