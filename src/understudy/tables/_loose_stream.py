"""A table that need not fit its schema, and need not fit into memory: all of it in passes, and some rows at random."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.errors import TableError
from understudy._core.randomness import Rng
from understudy.schema import Codes, Schema
from understudy.tables._columns import column_faults
from understudy.tables._encode import ColumnEncoder
from understudy.tables._files import changed
from understudy.tables._loose import LooseTable, column_faults_of, read_loosely
from understudy.tables._objects import Mixed
from understudy.tables._read import Progress
from understudy.tables._sources import Source, open_source

_ROWS = 1 << 16


class LooseStream:
    """Codes as `read_loosely` has them, as often as asked, of a source that can be read again.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]}]})
    >>> stream = LooseStream(pa.table({"sex": ["M", None, "x", "F"]}), schema)
    >>> from understudy._core.randomness import streams
    >>> some = stream.sample(2, streams(1).get("rows"))
    >>> some.n, some.n_all, some.faults[0].outside, [codes.tolist() for codes, in stream.again([0])]
    (2, 4, 1, [[1, 2, 3, 0]])
    """

    def __init__(self, source: Any, schema: Schema) -> None:
        self._source: Source = open_source(source)
        self._schema = schema
        lenient = replace(schema, properties={**schema.properties, "fieldsMatch": "subset"})
        if faults := column_faults(self._source.names, lenient):
            raise TableError(*faults)
        self.n = 0

    def sample(self, most: int, rng: Rng, progress: Progress | None = None) -> LooseTable:
        """So many rows, drawn at random without replacement, in the order of the table; the faults are of all rows."""
        names = self._schema.names
        encoders = [ColumnEncoder(field) for field in self._schema.fields]
        kept = _Lowest(most)
        for columns in self._source.batches(names, _ROWS):
            for encoder, column in zip(encoders, columns, strict=True):
                encoder.encode_loosely(column)
            kept.add(columns, rng)
            self.n += len(columns[0])
            if progress:
                progress(self.n)
        self._source.refuse_changed()
        if self.n == 0:
            raise TableError("the table has a header but no rows. There is nothing to compare.")
        some = read_loosely(kept.table(names), self._schema, values=True)
        declared = set(names)
        return replace(
            some,
            kind=self._source.kind,
            n_all=self.n,
            faults=tuple(column_faults_of(encoder) for encoder in encoders),
            extra=tuple(name for name in self._source.names if name not in declared),
        )

    def again(self, attributes: Sequence[int]) -> Iterator[list[Codes]]:
        """These columns of all rows: `field.size` for missing, and one more for outside."""
        self._source.refuse_changed()
        encoders, n = [ColumnEncoder(self._schema.fields[a]) for a in attributes], 0
        for columns in self._source.batches([self._schema.names[a] for a in attributes], _ROWS):
            n += len(columns[0])
            yield [encoder.encode_loosely(column) for encoder, column in zip(encoders, columns, strict=True)]
        if n != self.n:
            raise changed("the table")


class _Lowest:
    """Rows with the lowest of random numbers: as many as are wanted, and at no time more than twice as many."""

    def __init__(self, most: int) -> None:
        self._most, self._bound = most, np.inf
        self._keys: list[npt.NDArray[np.float64]] = []
        self._parts: list[pa.Table] = []

    def add(self, columns: Sequence[Any], rng: Rng) -> None:
        keys = rng.random(len(columns[0]))
        rows = np.flatnonzero(keys < self._bound)
        cells = [column.texts() if isinstance(column, Mixed) else column for column in columns]
        cells = [one.dictionary_decode() if pa.types.is_dictionary(one.type) else one for one in cells]
        names = [str(i) for i in range(len(cells))]
        self._parts.append(pa.table([one.take(pa.array(rows)) for one in cells], names=names))
        self._keys.append(keys[rows])
        if sum(map(len, self._keys)) > 2 * self._most:
            self._thin()

    def table(self, names: Sequence[str]) -> pa.Table:
        self._thin()
        return self._parts[0].rename_columns(list(names))

    def _thin(self) -> None:
        keys, parts = np.concatenate(self._keys), pa.concat_tables(self._parts, promote_options="permissive")
        if len(keys) > self._most:
            self._bound = float(np.partition(keys, self._most - 1)[self._most - 1])
            rows = np.flatnonzero(keys <= self._bound)
            keys, parts = keys[rows], parts.take(pa.array(rows))
        self._keys, self._parts = [keys], [parts.combine_chunks()]
