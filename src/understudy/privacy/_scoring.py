"""Scores of many candidates with few passes over the rows. Everything here is exact, hence private."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod
from typing import TypeAlias, TypeVar

import numpy as np

from understudy.counting import Counter
from understudy.privacy._values import Candidate, Counts, Score
from understudy.schema import Axis, Domain, Marginal

_CELLS_AT_ONCE = 8_000_000  # counted tables held in memory together
_SCORES_KEPT = 2_000_000
_FEW = 10_000
_SCORES_AT_ONCE = 100

Family: TypeAlias = tuple[Axis, ...]  # child and parents together, sorted: one table serves each of them as child
_Kept = TypeVar("_Kept")


class Scorer:
    """Scores candidates over one counter, and remembers the scores it has seen.

    A later round of a greedy search asks for mostly the same candidates; only new ones are counted.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1], dtype=np.uint8),))
    >>> class Largest:
    ...     name = "largest cell"
    ...     def __call__(self, tables, n):
    ...         return tables.max(axis=(1, 2))
    >>> Scorer(MemoryCounter(table)).scores([Candidate(0)], Largest()).tolist()
    [2]
    """

    def __init__(
        self, counter: Counter, *, cells_at_once: int = _CELLS_AT_ONCE, scores_kept: int = _SCORES_KEPT
    ) -> None:
        self._counter = counter
        self._cells_at_once, self._scores_kept = cells_at_once, scores_kept
        self._known: dict[Score, dict[Candidate, int]] = {}
        self._sizes = _Sizes(counter.domain)
        self._leaves = [Axis(a) for a in range(len(counter.domain))]

    def scores(self, candidates: Sequence[Candidate], score: Score) -> Counts:
        """The integer score of each candidate."""
        known = self._remembered(score)
        _forget(known, candidates)
        result = np.empty(len(candidates), dtype=np.int64)
        todo: dict[Family, list[tuple[int, int]]] = {}  # family → (candidate, its child)
        for index, candidate in enumerate(candidates):
            value = known.get(candidate)
            if value is None:
                child, parents = candidate
                todo.setdefault(tuple(sorted((self._leaves[child], *parents))), []).append((index, child))
            else:
                result[index] = value
        for families in self._batches(todo):
            self._score_batch(families, todo, score, result)
        if len(known) + len(candidates) <= self._scores_kept:
            for users in todo.values():
                for index, _ in users:
                    known[candidates[index]] = int(result[index])
        return result

    def _remembered(self, score: Score) -> dict[Candidate, int]:
        """What is known of this score, and not of another one of its name: that may move further."""
        try:
            hash(score)
        except TypeError:  # nobody can tell whether it is the one of before
            return {}
        if score not in self._known and len(self._known) >= _SCORES_AT_ONCE:
            self._known.clear()
        return self._known.setdefault(score, {})

    def _batches(self, todo: dict[Family, list[tuple[int, int]]]) -> Iterator[list[Family]]:
        """Families in order of shape, cut where the tables counted together would outgrow the memory set aside."""
        batch: list[Family] = []
        cells = 0
        for shape, family in sorted((self._sizes.shape(family), family) for family in todo):
            n_cells = prod(shape)
            if batch and cells + n_cells > self._cells_at_once:
                yield batch
                batch, cells = [], 0
            batch.append(family)
            cells += n_cells
        if batch:
            yield batch

    def _score_batch(
        self, families: list[Family], todo: dict[Family, list[tuple[int, int]]], score: Score, result: Counts
    ) -> None:
        tables = self._counter.count([Marginal(family) for family in families])
        groups: dict[tuple[tuple[int, ...], int], tuple[list[int], list[int]]] = {}
        for number, family in enumerate(families):
            attributes = [axis[0] for axis in family]
            shape = tables[number].shape
            for index, child in todo[family]:
                key = (shape, attributes.index(child))
                rows, indices = groups.setdefault(key, ([], []))
                rows.append(number)
                indices.append(index)
        for (shape, position), (rows, indices) in groups.items():
            stacked = np.array([tables[row] for row in rows], dtype=np.int64)
            moved = np.moveaxis(stacked, position + 1, 1).reshape(len(rows), shape[position], -1)
            result[indices] = score(np.ascontiguousarray(moved), max(self._counter.n, 1))


def _forget(known: dict[Candidate, _Kept], candidates: Sequence[Candidate]) -> None:
    """Lets go of candidates that are not asked for any more, once they are the larger part and many."""
    if len(known) > max(2 * len(candidates), _FEW):
        kept = {candidate: known[candidate] for candidate in candidates if candidate in known}
        known.clear()
        known.update(kept)


class CandidateShapes:
    """The shapes of candidates' tables: public, and remembered, since every round asks for mostly the same."""

    def __init__(self, domain: Domain) -> None:
        self._domain, self._sizes = domain, _Sizes(domain)
        self._shapes: dict[Candidate, tuple[int, int]] = {}

    def of(self, candidates: Sequence[Candidate]) -> set[tuple[int, int]]:
        """The different (child size, parent cells) among the candidates."""
        _forget(self._shapes, candidates)
        different = {shape: shape for shape in self._shapes.values()}  # there are few: each is held once
        for candidate in candidates:
            if candidate not in self._shapes:
                child, parents = candidate
                shape = (self._domain[child].size, prod(self._sizes.shape(parents)))
                self._shapes[candidate] = different.setdefault(shape, shape)
        return {self._shapes[candidate] for candidate in candidates}


class _Sizes:
    """Shapes of families, with the sizes of axes looked up once."""

    def __init__(self, domain: Domain) -> None:
        self._domain = domain
        self._known: dict[Axis, int] = {}

    def shape(self, family: Family) -> tuple[int, ...]:
        return tuple(self._size(axis) for axis in family)

    def _size(self, axis: Axis) -> int:
        size = self._known.get(axis)
        if size is None:
            size = self._known[axis] = self._domain.size(axis)
        return size
