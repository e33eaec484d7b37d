"""A source as codes, batch by batch and as often as asked: the first time every cell is checked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import numpy.typing as npt

from understudy._core.errors import TableError
from understudy.schema import Codes, Schema
from understudy.tables._columns import column_faults
from understudy.tables._encode import ColumnEncoder
from understudy.tables._files import changed
from understudy.tables._read import sentences
from understudy.tables._sources import Source
from understudy.tables._units import UnitReader

_CELLS, _LEAST_ROWS, _MOST_ROWS = 1 << 21, 1 << 12, 1 << 17


class CodeReader:
    """Reads a source into codes without ever holding more of it than a batch.

    >>> import pyarrow as pa
    >>> from understudy.tables import open_source
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["F", "M"]} for n in ("sex", "spouse")]})
    >>> reader = CodeReader(open_source(pa.table({"sex": ["M", "F"], "spouse": ["F", "F"]})), schema)
    >>> [[codes.tolist() for codes in batch] for batch in reader.first()], reader.n
    ([[[1, 0], [0, 0]]], 2)
    >>> [[codes.tolist() for codes in batch] for batch in reader.again([1])]
    [[[0, 0]]]
    """

    def __init__(self, source: Source, schema: Schema, unit: str | None = None) -> None:
        self._source, self._schema = source, schema
        self._units = None if unit is None else UnitReader(unit, missing=schema.missing_values)
        names = source.names
        faults = column_faults(names, schema) if self._units is None else self._units.column_faults(names, schema)
        if faults:
            raise TableError(*faults)
        self._rows = min(_MOST_ROWS, max(_LEAST_ROWS, _CELLS // len(schema.fields)))
        self.n = 0

    @property
    def repeatable(self) -> bool:
        """Whether the source can be read again, and then gives the same rows in the same order."""
        return self._source.repeatable

    def first(self) -> Iterator[list[Codes]]:
        """All columns of each batch. A cell that has no code gets 0 for the time being.

        Raises:
            TableError: after the last batch, with every fault: so keep nothing of them unless all came.
        """
        encoders = [ColumnEncoder(field) for field in self._schema.fields]
        wanted = [*self._schema.names, *(() if self._units is None else (self._units.name,))]
        for columns in self._source.batches(wanted, self._rows):
            if self._units is not None:
                self._units.append(columns[-1])
            self.n += len(columns[0])
            yield [encoder.encode(column) for encoder, column in zip(encoders, columns, strict=False)]
        self._source.refuse_changed()
        if self.n == 0:
            raise TableError("the table has a header but no rows. There is nothing to publish.")
        faults = [sentence for encoder in encoders for sentence in sentences(encoder)]
        faults += [] if self._units is None else self._units.faults()
        if faults:
            raise TableError(*faults)

    def units(self) -> npt.NDArray[np.int64] | None:
        """For each row the number of its unit, once all were read; None where no column tells units apart."""
        return None if self._units is None else self._units.codes()

    def again(self, attributes: Sequence[int]) -> Iterator[list[Codes]]:
        """These columns of each batch, as they were found valid; the source must be what it was."""
        self._source.refuse_changed()
        fields = [self._schema.fields[a] for a in attributes]
        encoders = [ColumnEncoder(field) for field in fields]
        n = 0
        for columns in self._source.batches([field.name for field in fields], self._rows):
            n += len(columns[0])
            yield [encoder.encode(column) for encoder, column in zip(encoders, columns, strict=True)]
        self._source.refuse_changed()
        if n != self.n or any(encoder.problems for encoder in encoders):
            raise changed("the table")
