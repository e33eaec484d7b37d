"""A part of a table as codes, wherever that part lies; and what was found in all parts, put together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import TableError
from understudy.schema import Codes, Schema
from understudy.tables._broken import DeclaredRows, Sieve, SieveNote
from understudy.tables._encode import ColumnEncoder, Problem
from understudy.tables._objects import Column
from understudy.tables._read import sentences
from understudy.tables._units import UnitReader, unit_texts

Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, kw_only=True)
class PartNote:
    """What was found in a part of a table: bounded, and without a value of any cell. Private all the same."""

    n: int
    """Rows of the part, before any is left out."""
    refusals: tuple[str | None, ...]
    problems: tuple[tuple[Problem, ...], ...]
    """For each column that was read."""
    sieved: SieveNote | None = None

    @property
    def sound(self) -> bool:
        """Whether every cell has a code."""
        return not any(self.problems)


class PartReader:
    """Reads the columns of a part of a table, batch by batch, and notes what is wrong with them.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> reader = PartReader(schema)
    >>> codes, left = reader.take([pa.array(["M", "X"])])
    >>> codes[0].tolist(), reader.note.n, reader.note.sound
    ([1, 0], 2, False)
    """

    def __init__(
        self, schema: Schema, attributes: Sequence[int] | None = None, declared: DeclaredRows | None = None
    ) -> None:
        fields = schema.fields if attributes is None else [schema.fields[a] for a in attributes]
        self._encoders = [ColumnEncoder(field) for field in fields]
        self._sieve = None if declared is None else declared.sieve()
        self._n = 0

    def take(self, columns: Sequence[Column]) -> tuple[list[Codes], Flags]:
        """The codes of the next rows that are left, and which of them are; further columns are passed over."""
        codes = [encoder.encode(column) for encoder, column in zip(self._encoders, columns, strict=False)]
        n = len(columns[0])
        self._n += n
        if self._sieve is None:
            return codes, np.ones(n, dtype=np.bool_)
        return self._sieve.take(codes)

    @property
    def note(self) -> PartNote:
        """What was found so far."""
        return PartNote(
            n=self._n,
            refusals=tuple(encoder.refusal for encoder in self._encoders),
            problems=tuple(tuple(encoder.problems.values()) for encoder in self._encoders),
            sieved=None if self._sieve is None else self._sieve.noted,
        )


def raise_part_faults(schema: Schema, notes: Sequence[PartNote], units: UnitReader | None = None) -> None:
    """Raise TableError with every fault of a table that was read in parts, which follow each other in this order.

    >>> import pyarrow as pa
    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> notes = []
    >>> for cells in (["M", "F"], ["F", "X"]):
    ...     reader = PartReader(schema)
    ...     _ = reader.take([pa.array(cells)])
    ...     notes.append(reader.note)
    >>> raise_part_faults(schema, notes)
    Traceback (most recent call last):
    understudy._core.errors.TableError: column 'sex': 1 value is not among its 2 categories (row 4). Add it to \
categories, or set outside: other.
    """
    if not sum(note.n for note in notes):
        raise TableError("the table has a header but no rows. There is nothing to publish.")
    encoders = [ColumnEncoder(field) for field in schema.fields]
    before = 0
    for note in notes:
        for encoder, refusal, problems in zip(encoders, note.refusals, note.problems, strict=True):
            encoder.refusal = encoder.refusal or refusal
            for problem in problems:
                later = replace(problem, rows=tuple(row + before for row in problem.rows))
                earlier = encoder.problems.get(problem.trouble)
                encoder.problems[problem.trouble] = earlier + later if earlier else later
        before += note.n
    faults = [sentence for encoder in encoders for sentence in sentences(encoder)]
    faults += [] if units is None else units.faults()
    if faults:
        raise TableError(*faults)


def raise_broken_rows(declared: DeclaredRows, notes: Sequence[PartNote]) -> None:
    """Raise TableError if rows of the parts break what is declared of rows, and may not.

    >>> raise_broken_rows(DeclaredRows(fields=(), dependencies=(), policy="refuse", dropping=True), [])
    """
    sieve = Sieve(declared)
    for note in notes:
        if note.sieved is not None:
            sieve.add(note.sieved)
    sieve.raise_faults()


def text_bytes(column: Column, name: str, left: Flags | None = None) -> tuple[bytes, bytes]:
    """The units that a batch's cells name, as bytes: their lengths, and their texts. However batches are cut, bytes of
    one batch after the other are those of the whole column. With `left`, only of the rows that are.

    >>> text_bytes(pa.array(["a", "bc"]), "id")[1]
    b'abc'
    """
    texts = unit_texts(column, name).fill_null("")
    texts = texts if left is None or left.all() else texts.filter(pa.array(left))
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = b"" if not len(texts) else texts.buffers()[2].to_pybytes()[offsets[0] : offsets[-1]]
    return np.diff(offsets).tobytes(), data
