"""What Spark's workers do with their part of the rows: read it, check it, count it with the memory engine's kernels."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy.counting._batch import Axes, Ints
from understudy.counting._bits import Bits
from understudy.counting._counter import Counts
from understudy.counting._marks import RowMarks
from understudy.counting._packing import pack_counts, pack_texts, unpack_weights
from understudy.counting._rows import Rows
from understudy.counting._tally import TablesTally
from understudy.counting._view import View
from understudy.schema import Codes, Domain, Marginal, Schema
from understudy.tables import (
    Column,
    DeclaredRows,
    FilePart,
    PartNote,
    PartReader,
    checked,
    code_type,
    read_parts,
    unit_texts,
)

_ROWS = 1 << 17
_SUPPOSED = 1 << 20  # rows of a part, for plans: nobody knows before they are read
_NOTHING = np.empty(0, dtype=np.uint8)


class Cells(Protocol):
    """Where a part's columns come from."""

    def batches(self, part: int, given: Iterator[pa.RecordBatch], wanted: Sequence[str]) -> Iterator[list[Column]]:
        """These columns of the part, in batches."""
        ...


@dataclass(frozen=True)
class FrameCells:
    """Columns of the DataFrame itself, in the order asked for; small batches are taken together."""

    def batches(self, part: int, given: Iterator[pa.RecordBatch], wanted: Sequence[str]) -> Iterator[list[Column]]:
        """All rows of the partition."""
        held: list[pa.RecordBatch] = []
        for batch in given:
            held.append(batch)
            if sum(one.num_rows for one in held) >= _ROWS:
                yield _together(held)
                held = []
        if held:
            yield _together(held)


def _together(batches: Sequence[pa.RecordBatch]) -> list[pa.Array]:
    [whole] = pa.Table.from_batches(batches).combine_chunks().to_batches() or [batches[0]]
    return checked(whole, whole.schema.names)


@dataclass(frozen=True)
class FileCells:
    """Files that the workers read by themselves: partition i has the i-th portion of them."""

    portions: tuple[tuple[FilePart, ...], ...]

    def batches(self, part: int, given: Iterator[pa.RecordBatch], wanted: Sequence[str]) -> Iterator[list[Column]]:
        """The rows of the portions whose numbers the partition holds."""
        pa.set_cpu_count(1)  # Spark counts cores by tasks, and gives others to other tasks
        for batch in given:
            for number in batch.column(0).to_pylist():
                yield from read_parts(self.portions[number], wanted, _ROWS)


@dataclass(frozen=True, kw_only=True)
class Checked:
    """What the first pass found in one part."""

    note: PartNote
    n: int
    """Rows that are left of it."""
    counts: bytes = b""
    units: bytes = b""
    """Whose rows they are, as texts; packed."""
    left: bytes = b""
    """Which rows are left; packed."""
    mark: bytes = b""
    """By which the units of the rows that are left, and their order, are known again."""
    columns: Mapping[int, bytes] = field(default_factory=dict)
    """By which each column of them is."""


@dataclass(frozen=True, kw_only=True)
class CheckPart:
    """The first pass: every cell is checked, and the rows counted unless they first have to be bounded by unit."""

    cells: Cells
    schema: Schema
    declared: DeclaredRows | None
    unit: str | None
    marginals: tuple[Marginal, ...]

    def __call__(self, part: int, given: Iterator[pa.RecordBatch]) -> Checked:
        """What is to be told of the part."""
        reader = PartReader(self.schema, declared=self.declared)
        marks = None if self.unit is None else RowMarks(self.unit, range(len(self.schema.fields)))
        tally = _tally(self.marginals, self.schema.domain, weighted=False) if self.unit is None else None
        units, left = [], []
        wanted = [*self.schema.names, *(() if self.unit is None else (self.unit,))]
        n = 0
        for columns in self.cells.batches(part, given, wanted):
            codes, flags = reader.take(columns)
            n += len(codes[0])
            if tally is not None:
                tally.add(Rows(tuple(codes), len(codes[0])))
            if self.unit is not None and marks is not None:
                units.append(unit_texts(columns[-1], self.unit))
                left.append(flags)
                marks.add(columns[-1], codes, flags)
        note = reader.note
        return Checked(
            note=note,
            n=n,
            counts=pack_counts(tally.finish()) if tally is not None and note.sound else b"",
            units=pack_texts(units),
            left=b"" if not left else np.packbits(np.concatenate(left)).tobytes(),
            mark=b"" if marks is None else marks.units,
            columns={} if marks is None else marks.columns,
        )


class PartRows(Protocol):
    """The rows of a part, as they count."""

    @property
    def weighted(self) -> bool:
        """Whether rows count for more than one each."""
        ...

    def batches(self, part: int, given: Iterator[pa.RecordBatch], attributes: Collection[int]) -> Iterator[Rows]:
        """All of them; columns that are not among these attributes may be empty."""
        ...


class Changed(Exception):
    """A part is not what it was in the first pass."""


@dataclass(frozen=True, kw_only=True)
class PartWeight:
    """What the rows of one part count, and by which they are known again."""

    n: int
    mark: bytes
    columns: Mapping[int, bytes]
    weights: bytes

    def fits(self, marks: RowMarks) -> bool:
        """Whether rows are those that the weights are for, in the same order."""
        return marks.units == self.mark and all(self.columns[a] == mark for a, mark in marks.columns.items())


@dataclass(frozen=True, kw_only=True)
class CellRows:
    """Rows that are read and encoded anew."""

    cells: Cells
    schema: Schema
    declared: DeclaredRows | None
    unit: str | None
    weights: dict[int, PartWeight] | None = field(default=None, repr=False)
    parts: int = 1

    @property
    def weighted(self) -> bool:
        """Whether rows count for more than one each."""
        return self.weights is not None and self.parts > 1

    def reads(self, attributes: Collection[int]) -> list[int]:
        """The attributes that are read where these are wanted: what is declared of rows may concern any."""
        every = range(len(self.schema.fields))
        return list(every) if self.declared is not None else sorted(attributes) or [0]

    def columns(self, attributes: Collection[int]) -> list[str]:
        """The columns that are read."""
        names = [self.schema.names[a] for a in self.reads(attributes)]
        return [*names, *(() if self.weights is None or self.unit is None else (self.unit,))]

    def batches(self, part: int, given: Iterator[pa.RecordBatch], attributes: Collection[int]) -> Iterator[Rows]:
        """All rows that count, with their weights.

        Raises:
            Changed: if a cell has no code, or rows are not those that weights were given to.
        """
        wanted = self.reads(attributes)
        reader, marks = PartReader(self.schema, wanted, self.declared), RowMarks(self.unit or "", wanted)
        known = None if self.weights is None else self.weights.get(part)
        weights = np.empty(0, dtype=np.uint32) if known is None else unpack_weights(known.weights)
        at = 0
        for columns in self.cells.batches(part, given, self.columns(attributes)):
            codes, left = reader.take(columns)
            n = len(codes[0])
            if self.weights is not None:
                marks.add(columns[-1], codes, left)
                if at + n > len(weights):
                    raise Changed
            yield self._placed(wanted, codes, n, weights[at : at + n])
            at += n
        moved = self.weights is not None and (at != len(weights) or (known is not None and not known.fits(marks)))
        if not reader.note.sound or moved:
            raise Changed

    def complete(self, parts: Collection[int]) -> bool:
        """Whether all parts whose rows have weights came."""
        return self.weights is None or all(part in parts or not known.n for part, known in self.weights.items())

    def _placed(self, wanted: Sequence[int], columns: Sequence[Codes], n: int, weights: npt.NDArray[Any]) -> Rows:
        counted = None
        if self.weights is not None:
            kept = weights > 0
            columns, n = [column[kept] for column in columns], int(kept.sum())
            counted = weights[kept] if self.weighted else None
        placed = [_NOTHING] * len(self.schema.fields)
        for a, column in zip(wanted, columns, strict=True):
            placed[a] = column
        return Rows(tuple(placed), n, counted)


@dataclass(frozen=True, kw_only=True)
class CodeRows:
    """Rows of codes that were encoded before: a column each, and their weights in the last one."""

    domain: Domain
    weighted: bool

    def complete(self, parts: Collection[int]) -> bool:
        """True: what rows count is in the rows themselves."""
        return True

    def batches(self, part: int, given: Iterator[pa.RecordBatch], attributes: Collection[int]) -> Iterator[Rows]:
        """All rows."""
        for batch in given:
            columns = [
                column.to_numpy(zero_copy_only=False).astype(code_type(attribute.size))
                for column, attribute in zip(batch.columns, self.domain, strict=False)
            ]
            weights = batch.column(len(columns)).to_numpy().astype(np.uint32) if self.weighted else None
            yield Rows(tuple(columns), batch.num_rows, weights)


@dataclass(frozen=True, kw_only=True)
class CountPart:
    """A later pass: tables, or pairs of two-valued attributes, of one part; None if the part changed."""

    rows: PartRows
    view: View
    marginals: tuple[Marginal, ...] = ()
    ones: Ints | None = None

    def __call__(self, part: int, given: Iterator[pa.RecordBatch]) -> bytes | None:
        """The counts, packed."""
        try:
            return pack_counts(self._tables(part, given) if self.ones is None else [self._ones(part, given)])
        except Changed:
            return None

    def _tables(self, part: int, given: Iterator[pa.RecordBatch]) -> list[Counts]:
        tally = _tally(self.marginals, self.view.domain, weighted=self.rows.weighted)
        for rows in self._seen(part, given, {a for marginal in self.marginals for a in marginal.attributes}):
            tally.add(rows)
        return tally.finish()

    def _ones(self, part: int, given: Iterator[pa.RecordBatch]) -> Counts:
        assert self.ones is not None
        axes = Axes.of(self.view.domain)
        asked = axes.first[self.ones]
        both, used = np.zeros((len(asked), len(asked)), dtype=np.int64), frozenset(asked.tolist())
        for rows in self._seen(part, given, set(self.ones.tolist())):
            both += Bits(rows, axes, used).together(asked, threads=1)
        return both

    def _seen(self, part: int, given: Iterator[pa.RecordBatch], attributes: set[int]) -> Iterator[Rows]:
        for rows in self.rows.batches(part, given, self.view.sources(attributes)):
            yield self.view.rows(rows)


def _tally(marginals: Sequence[Marginal], domain: Domain, *, weighted: bool) -> TablesTally:
    return TablesTally(marginals, Axes.of(domain), n_rows=_SUPPOSED, weighted=weighted, threads=1)
