"""Inner values → codes, and a record of every cell that has none."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from understudy.schema import Codes, Field
from understudy.tables._nearly import nearly
from understudy.tables._objects import Column, Mixed, texts_for_people
from understudy.tables._parse import Parsed, parse, refusal
from understudy.tables._quick import QuickCodes
from understudy.tables._table import code_type

Trouble: TypeAlias = Literal["wrong type", "outside", "missing"]
MARKS: dict[int, Trouble] = {-1: "wrong type", -2: "outside", -3: "missing"}
_WRONG, _OUTSIDE, MISSING = MARKS
_SHOWN = 5


@dataclass(frozen=True, kw_only=True)
class Problem:
    """One kind of trouble in one column. Private: it tells of rows of the table."""

    trouble: Trouble
    count: int
    rows: tuple[int, ...]
    values: tuple[str, ...] = ()
    near: int = 0

    def __add__(self, later: Problem) -> Problem:
        return replace(
            self,
            count=self.count + later.count,
            rows=(self.rows + later.rows)[:_SHOWN],
            values=tuple(dict.fromkeys(self.values + later.values))[:_SHOWN],
            near=self.near + later.near,
        )


@dataclass
class ColumnEncoder:
    """Encodes one column batch by batch and collects its problems; a cell without a code gets 0 for the time being."""

    schema_field: Field
    show_values: bool = False
    problems: dict[Trouble, Problem] = field(default_factory=dict)
    refusal: str | None = None
    rows: int = 0

    def encode(self, column: Column) -> Codes:
        """The codes of the next batch."""
        if isinstance(column, Mixed) or (found := self._quick.encode(column)) is None:
            marks, indices = self.marks(column)
            narrow = np.maximum(marks, 0).astype(code_type(self.schema_field.size))
            return narrow if indices is None else narrow[indices]
        codes, odd = found
        if len(odd):
            cells = column.take(pa.array(odd))
            marks = self._slowly(cells)
            codes[odd] = np.maximum(marks, 0)
            self._note(marks, cells, odd)
        self.refusal = self.refusal or refusal(column.type, self.schema_field)
        self.rows += len(column)
        return codes

    def encode_loosely(self, column: Column) -> Codes:
        """The codes of the next batch; a cell without one gets the field's size if it is missing, else one more."""
        size = self.schema_field.size
        if isinstance(column, Mixed) or (found := self._quick.encode(column)) is None:
            marks, indices = self.marks(column)
            narrow = _loosened(marks, size)
            return narrow if indices is None else narrow[indices]
        codes, odd = found[0].astype(code_type(size + 2), copy=False), found[1]
        if len(odd):
            cells = column.take(pa.array(odd))
            marks = self._slowly(cells)
            codes[odd] = _loosened(marks, size)
            self._note(marks, cells, odd)
        self.refusal = self.refusal or refusal(column.type, self.schema_field)
        self.rows += len(column)
        return codes

    def marks(self, column: Column) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64] | None]:
        """Codes and marks of the next batch: one per row, or one per distinct value and where each row finds its."""
        for kind in [cells.type for _, cells in column.parts] if isinstance(column, Mixed) else [column.type]:
            self.refusal = self.refusal or refusal(kind, self.schema_field)
        indices: npt.NDArray[np.int64] | None = None
        if isinstance(column, Mixed):
            marks = self._mixed_marks(column)
        else:
            uniques, indices = _factored(column)
            marks = self._read(uniques)
        if (marks < 0).any():
            self._note(marks if indices is None else marks[indices], column)
        self.rows += len(column)
        return marks, indices

    @cached_property
    def _quick(self) -> QuickCodes:
        return QuickCodes(self.schema_field, self._read)

    def _read(self, values: pa.Array) -> npt.NDArray[np.int64]:
        return encode_values(parse(values, self.schema_field), self.schema_field)

    def _slowly(self, column: pa.Array) -> npt.NDArray[np.int64]:
        uniques, indices = _factored(column)
        marks = self._read(uniques)
        return marks if indices is None else marks[indices]

    def _mixed_marks(self, column: Mixed) -> npt.NDArray[np.int64]:
        """Each type of cell as a column of that type would be read."""
        marks = np.full(len(column), self._read(pa.nulls(1, pa.string()))[0])
        for rows, cells in column.parts:
            marks[rows] = self._slowly(cells)
        return marks

    def _note(self, marks: npt.NDArray[np.int64], column: Column, places: npt.NDArray[np.int64] | None = None) -> None:
        """Remember the cells without a code; `places` are their rows of the batch, if they are not all of them."""
        for mark, trouble in MARKS.items():
            found = np.flatnonzero(marks == mark)
            if not len(found):
                continue
            problem = Problem(
                trouble=trouble,
                count=len(found),
                rows=tuple(((found if places is None else places[found])[:_SHOWN] + self.rows + 1).tolist()),
                values=_values(column, found) if self.show_values and trouble != "missing" else (),
                near=self._near(column, found) if trouble != "missing" else 0,
            )
            earlier = self.problems.get(trouble)
            self.problems[trouble] = earlier + problem if earlier else problem

    def _near(self, column: Column, found: npt.NDArray[np.int64]) -> int:
        """How many of the cells would be categories but for spaces or capitals, or nearly can be read."""
        if not isinstance(column, Mixed) and not _textual(column.type):
            return 0
        cells = _cells(column, found)
        known = {str(c.value).strip().casefold() for c in self.schema_field.categories}
        textual = self.schema_field.type == "string"
        counts = pc.value_counts(cells)
        return sum(
            count
            for text, count in zip(counts.field("values").to_pylist(), counts.field("counts").to_pylist(), strict=True)
            if text is not None and (text.strip().casefold() in known if textual else nearly(text, self.schema_field))
        )


def _loosened(marks: npt.NDArray[np.int64], size: int) -> Codes:
    loose = np.where(marks >= 0, marks, np.where(marks == MISSING, size, size + 1))
    codes: Codes = loose.astype(code_type(size + 2))
    return codes


def _cells(column: Column, rows: npt.NDArray[np.int64]) -> pa.Array:
    column = column.texts() if isinstance(column, Mixed) else column
    if pa.types.is_string_view(column.type):
        column = column.cast(pa.string())  # no rows can be taken of views
    cells = column.take(pa.array(rows))
    return cells.dictionary_decode() if pa.types.is_dictionary(cells.type) else cells


def _textual(kind: pa.DataType) -> bool:
    kind = kind.value_type if pa.types.is_dictionary(kind) else kind
    return any(is_one(kind) for is_one in (pa.types.is_string, pa.types.is_large_string, pa.types.is_string_view))


def _values(column: Column, rows: npt.NDArray[np.int64]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(map(str, texts_for_people(_cells(column, rows[: 20 * _SHOWN])))))[:_SHOWN]


def encode_values(parsed: Parsed, schema_field: Field) -> npt.NDArray[np.int64]:
    """A code for each value, or a negative mark for one that has none.

    >>> from understudy.schema import Schema
    >>> sex = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})["sex"]
    >>> encode_values(parse(pa.array(["M", "F", "X", ""]), sex), sex).tolist()
    [1, 0, -2, -3]
    """
    codes = _text_codes(parsed.values, schema_field) if schema_field.type == "string" else _codes(parsed, schema_field)
    other = schema_field.other_code
    codes[codes < 0] = _OUTSIDE if other is None else other
    codes[parsed.wrong] = _WRONG
    missing = schema_field.missing_code
    if missing is None and other is not None and not schema_field.required:
        missing = other  # "other" takes every value the domain does not name
    codes[parsed.missing] = MISSING if missing is None else missing
    return codes


def _text_codes(texts: pa.Array, schema_field: Field) -> npt.NDArray[np.int64]:
    known = pa.array([str(c.value) for c in schema_field.categories], pa.string())
    found = pc.fill_null(pc.index_in(texts, value_set=known), -1)
    codes: npt.NDArray[np.int64] = found.to_numpy(zero_copy_only=False).astype(np.int64)
    return codes


def _codes(parsed: Parsed, schema_field: Field) -> npt.NDArray[np.int64]:
    values: npt.NDArray[Any] = parsed.values
    codes = np.full(len(values), -1, dtype=np.int64)
    if schema_field.bins:
        bins = schema_field.bins
        inside = (values >= bins.minimum) & (values <= bins.maximum)
        if schema_field.outside == "clip":
            inside = ~parsed.missing
        codes[inside] = bins.codes(values[inside])
    own = [c.value for c in (*schema_field.categories, *schema_field.special)]
    if own:
        start = 0 if schema_field.categories else schema_field.n_main
        known = np.array(own, dtype=np.float64 if schema_field.type == "number" else np.int64)
        order = np.argsort(known, kind="stable")
        place = np.minimum(np.searchsorted(known[order], values), len(known) - 1)
        found = known[order][place] == values
        codes[found] = start + order[place[found]]
    return codes


def _factored(column: pa.Array) -> tuple[pa.Array, npt.NDArray[np.int64] | None]:
    """Distinct values and where each row finds its own; None where it does not pay to look for repeats."""
    if pa.types.is_dictionary(column.type):
        indices = column.indices
        values = column.dictionary
        if indices.null_count or values.null_count:
            indices = pc.fill_null(indices.cast(pa.int64()), len(values))
            values = pa.concat_arrays([values, pa.nulls(1, values.type)])
        return values, indices.cast(pa.int64()).to_numpy(zero_copy_only=False)
    textual = pa.types.is_string(column.type) or pa.types.is_large_string(column.type)
    if not textual:
        return column, None
    encoded = pc.dictionary_encode(column, null_encoding="encode")
    return encoded.dictionary, encoded.indices.to_numpy(zero_copy_only=False)
