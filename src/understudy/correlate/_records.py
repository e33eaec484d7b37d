"""The records of a table as they are compared: features of any pairs, and keys to find pairs by."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.correlate._blocking import Key, combined, key_of
from understudy.correlate._compare import Comparison, Features, Steps
from understudy.correlate._tags import TAGS, Aspect, Tag
from understudy.correlate._texts import Coded, Ints


@dataclass(frozen=True, eq=False)
class Records:
    """Cleaned columns by tag, and what the tags make of them. Rows beyond `n_rows` are made-up copies."""

    columns: Mapping[str, Sequence[tuple[str, Coded]]]
    n_rows: int

    @cached_property
    def aspects(self) -> Mapping[str, Aspect]:
        """What each tag makes of its columns."""
        return {letter: TAGS[letter].build(columns) for letter, columns in self.columns.items()}

    @cached_property
    def comparisons(self) -> tuple[tuple[Tag, Comparison], ...]:
        """All comparisons, and the tags that they belong to."""
        return tuple((TAGS[letter], one) for letter, aspect in self.aspects.items() for one in aspect.comparisons)

    @cached_property
    def feature_names(self) -> tuple[str, ...]:
        """What each feature says."""
        return tuple(name for _, one in self.comparisons for name in one.names)

    def features(self, first: Ints, second: Ints) -> Features:
        """The features of pairs of rows, one line a pair."""
        found = np.empty((len(first), len(self.feature_names)), dtype=np.float32)
        start = 0
        for _, one in self.comparisons:
            end = start + len(one.names)
            found[:, start:end] = one(first, second)
            start = end
        return found

    def steps(self, features: Features) -> list[tuple[Tag, Steps]]:
        """How far pairs agree in each respect that is independent of the others."""
        found, start = [], 0
        for tag, one in self.comparisons:
            end = start + len(one.names)
            steps = one.steps(features[:, start:end])
            if steps is not None:
                found.append((tag, steps))
            start = end
        return found

    def keys(self) -> list[Key]:
        """Keys of the table's own rows."""
        telling: list[Key] = []
        coarse: list[Key] = []
        place = 0
        for aspect in self.aspects.values():
            for label, column in aspect.telling.items():
                telling.append(key_of(label, self._own(column), place))
            for label, column in aspect.coarse.items():
                place += 1
                coarse.append(key_of(label, self._own(column), place))
        return telling + combined(coarse)

    def _own(self, column: Coded) -> Coded:
        return Coded(column.words, column.codes[: self.n_rows])

    @cached_property
    def order(self) -> Ints:
        """A place for each row such that like rows are near each other: by the words of the first telling keys."""
        ranks = []
        for letter in ("N", *self.aspects):
            if letter in self.aspects:
                column = self._own(next(iter(self.aspects[letter].telling.values())))
                alphabetical = np.empty(len(column.words), dtype=np.int64)
                alphabetical[np.argsort(column.words.astype(str), kind="stable")] = np.arange(len(column.words))
                ranks.append(alphabetical[column.codes])
            if len(ranks) == 2:
                break
        places = np.empty(self.n_rows, dtype=np.int64)
        places[np.lexsort(ranks[::-1])] = np.arange(self.n_rows)
        return places
