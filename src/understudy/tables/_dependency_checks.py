"""Which rows of a table break what its schema declares of rows, batch by batch. Private to the holder."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.schema import BrokenRows, Dependency, Determines, Field, checks_of
from understudy.tables._broken import FIRST_ROWS, broken_flags, broken_sentence
from understudy.tables._encode import ColumnEncoder
from understudy.tables._objects import Column


@dataclass(frozen=True, kw_only=True)
class DependencyCheck:
    """How many rows break one declared dependency, and the numbers of the first. Private: it tells of rows.

    >>> DependencyCheck(text="a ≤ b", broken=2, rows=(3, 8)).sentence("drop")
    '2 rows break the dependency a ≤ b (rows 3, 8). They will be left out, as brokenRows: drop in the schema says.'
    """

    text: str
    broken: int | None
    """Rows that break it; None where no map is declared, so that no row by itself can."""
    rows: tuple[int, ...] = ()
    strays: int = 0
    """Of a column that others determine: rows with another value than most rows of their combination have."""

    def sentence(self, policy: BrokenRows) -> str:
        """What to tell the holder; empty if there is nothing to tell."""
        if self.broken:
            return broken_sentence(self.text, self.broken, self.rows, policy, checking=True)
        if not self.strays:
            return ""
        rows = f"{self.strays:,} row{' has' if self.strays == 1 else 's have'}"
        return (
            f"{rows} another value than most of their combination, so the dependency {self.text} does not hold in this "
            "table. Synthetic rows will have one value for each: leave it out if that is not so in truth."
        )

    def to_dict(self) -> dict[str, Any]:
        """Ready for JSON.

        >>> DependencyCheck(text="a ≤ b", broken=0).to_dict()
        {'dependency': 'a ≤ b', 'broken': 0, 'first_rows': [], 'strays': 0}
        """
        return {
            "dependency": self.text, "broken": self.broken, "first_rows": list(self.rows), "strays": self.strays
        }  # fmt: skip


class DependencyReader:
    """Looks at the columns that dependencies name, as they are read; cells without a code break nothing.

    >>> import pyarrow as pa
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": n, "categories": ["no", "yes"]} for n in "ab"],
    ...     "dependencies": [{"impossible": {"a": "yes", "b": "yes"}}]})
    >>> reader = DependencyReader(schema.fields, schema.dependencies)
    >>> reader.read({"a": pa.array(["no", "yes"]), "b": pa.array(["yes", "yes"])})
    >>> [(check.text, check.broken, check.rows) for check in reader.checks()]
    [('never a=yes, b=yes', 1, (2,))]
    """

    def __init__(self, fields: Sequence[Field], dependencies: Sequence[Dependency]) -> None:
        there = {field.name for field in fields}
        asked = [one for one in dependencies if there.issuperset(one.columns)]
        named = {name for one in asked for name in one.columns}
        self._encoders = [ColumnEncoder(field) for field in fields if field.name in named]
        self._names = [encoder.schema_field.name for encoder in self._encoders]
        self._checked = checks_of([encoder.schema_field for encoder in self._encoders], asked)
        self._counts, self._first = [0] * len(asked), [list[int]() for _ in asked]
        self._pairs = [_Pairs() if isinstance(one, Determines) else None for one in asked]
        self._read = 0

    def read(self, columns: Mapping[str, Column]) -> None:
        """Look at the next batch."""
        if not self._encoders:
            return
        codes, has_code = [], []
        for encoder in self._encoders:
            marks, indices = encoder.marks(columns[encoder.schema_field.name])
            codes.append(np.maximum(marks, 0) if indices is None else np.maximum(marks, 0)[indices])
            has_code.append(marks >= 0 if indices is None else (marks >= 0)[indices])
        for i, ((dependency, checks), pairs) in enumerate(zip(self._checked, self._pairs, strict=True)):
            places = [self._names.index(name) for name in dependency.columns]
            known = np.all([has_code[place] for place in places], axis=0)
            if checks:
                self._note(i, np.flatnonzero(known & broken_flags(codes, checks)))
            if pairs is not None:
                pairs.add([codes[place][known] for place in places])
        self._read += len(codes[0])

    def _note(self, i: int, rows: npt.NDArray[np.int64]) -> None:
        self._counts[i] += len(rows)
        wanted = FIRST_ROWS - len(self._first[i])
        self._first[i] += (rows[:wanted] + self._read + 1).tolist()

    def checks(self) -> tuple[DependencyCheck, ...]:
        """What was found so far, one for each dependency whose columns are there."""
        return tuple(
            DependencyCheck(
                text=one.text,
                broken=count if checks else None,
                rows=tuple(first),
                strays=0 if pairs is None else pairs.strays(),
            )
            for (one, checks), count, first, pairs in zip(
                self._checked, self._counts, self._first, self._pairs, strict=True
            )
        )


class _Pairs:
    """How often each combination of codes goes with each code of the column that it determines, named last."""

    def __init__(self) -> None:
        self._found: Counter[tuple[int, ...]] = Counter()

    def add(self, columns: Sequence[npt.NDArray[Any]]) -> None:
        """Count the next rows."""
        cells, counts = np.unique(np.stack(columns), axis=1, return_counts=True)
        self._found.update(dict(zip(map(tuple, cells.T.tolist()), counts.tolist(), strict=True)))

    def strays(self) -> int:
        """Rows that go with another code than most of their combination."""
        most: Counter[tuple[int, ...]] = Counter()
        for cell, count in self._found.items():
            most[cell[:-1]] = max(most[cell[:-1]], count)
        return self._found.total() - most.total()
