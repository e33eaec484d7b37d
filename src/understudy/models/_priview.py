"""Views: noisy tables over overlapping sets of binary attributes, made to agree, and what they say of any marginal.

The post-processing of PriView (Qardaji, Yang, Li, SIGMOD 2014): consistency, ripple, consistency; a marginal that no
view holds is the one of greatest entropy among those that agree with all views.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from understudy._core.errors import UserError
from understudy.models._posterior import Evidence, check_evidence
from understudy.models._sampling import Floats
from understudy.models._tables import clip_and_rescale
from understudy.models._uncertainty import Estimate
from understudy.schema import Domain, Marginal

Columns = tuple[int, ...]

MOST_COLUMNS = 20
"""Of a marginal that is asked for, with its evidence: it has 2^20 cells."""
RIPPLE_BELOW = -0.5
"""Counts below it are made 0 by ripples; what is left rounds to 0."""
_RIPPLES, _FITS, _FITTED, _STALLED = 2_000, 60, 1e-6, 0.98
_REMEMBERED = 10  # columns up to which maps of cells are small enough to keep


@dataclass(frozen=True, eq=False)
class ViewsModel:
    """Views that agree on what they share. `tables` are counts, with one axis per attribute of `views`, in order.

    >>> from understudy.schema import Attribute
    >>> domain = Domain(tuple(Attribute(name=name, size=2) for name in "abc"))
    >>> tables = [np.array([[4.0, 0.0], [0.0, 4.0]]), np.array([[1.0, 3.0], [3.0, 1.0]])]
    >>> model = ViewsModel(domain, 8, ((0, 1), (1, 2)), tables)
    >>> model.marginal(Marginal.of(0, 2)).probabilities.tolist()      # a and c meet in b, which no table says
    [[0.25, 0.25], [0.25, 0.25]]
    >>> model.marginal(Marginal.of(0, 1)).probabilities.tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    kind: ClassVar[str] = "views"
    domain: Domain
    n: int
    views: tuple[Columns, ...]
    tables: Sequence[Floats]

    def __post_init__(self) -> None:
        for view, table in zip(self.views, self.tables, strict=True):
            if table.shape != (2,) * len(view):
                raise ValueError(f"the view of {view} needs shape {(2,) * len(view)}, got {table.shape}")
            table.setflags(write=False)

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The probabilities of a marginal, given evidence. Errors are not known, so none are given.

        Evidence is on the marginal of greatest entropy over what is asked for and what it speaks of.
        """
        weights = check_evidence(evidence, self.domain)
        asked = marginal.attributes
        columns = tuple(sorted({*asked, *weights}))
        if len(columns) > MOST_COLUMNS:
            raise UserError(f"{len(columns)} columns are asked for together; {MOST_COLUMNS} is the most.")
        table = self._joint(columns)
        for attribute, along in weights.items():
            axis = columns.index(attribute)
            table = table * np.reshape(along, [-1 if i == axis else 1 for i in range(table.ndim)])
        if weights:
            if not table.sum() > 0:
                raise UserError("the condition has probability 0 under the model. Ask with a wider one.")
            table = table / table.sum()
        found = _project(table, columns, tuple(sorted(asked)))
        # axes in the order asked for
        return Estimate(probabilities=found.transpose(np.argsort(np.argsort(asked))))

    def _joint(self, columns: Columns) -> Floats:
        wanted = frozenset(columns)
        parts = [(wanted & held, i) for i, held in enumerate(self._held)]
        largest: dict[frozenset[int], int] = {}
        for part, i in sorted(parts, key=lambda item: -len(item[0])):
            if part and not any(part <= other for other in largest):
                largest[part] = i
        known = [(tuple(sorted(part)), i) for part, i in largest.items()]
        tables = [clip_and_rescale(_project(self.tables[i], self.views[i], part)) for part, i in known]
        if len(tables) == 1 and len(known[0][0]) == len(columns):
            return tables[0]
        return greatest_entropy(columns, [part for part, _ in known], tables)

    @cached_property
    def _held(self) -> list[frozenset[int]]:
        return [frozenset(view) for view in self.views]


def greatest_entropy(columns: Columns, parts: Sequence[Columns], tables: Sequence[Floats]) -> Floats:
    """The distribution of greatest entropy over binary columns with these marginals, by iterative proportional fitting.

    Where marginals contradict each other a little, as clipped ones do, fitting stops when it no longer comes nearer.

    >>> greatest_entropy((0, 1), [(0,), (1,)], [np.array([0.25, 0.75]), np.array([0.5, 0.5])]).tolist()
    [[0.125, 0.125], [0.375, 0.375]]
    """
    cells_of = _cells if len(columns) <= _REMEMBERED else _cells.__wrapped__
    cells = [cells_of(len(columns), tuple(map(columns.index, part))) for part in parts]
    goals = [table.ravel() for table in tables]
    found = np.full(2 ** len(columns), 1 / 2 ** len(columns))
    before = np.inf
    for _ in range(_FITS):
        off = 0.0
        for where, goal in zip(cells, goals, strict=True):
            now = np.bincount(where, weights=found, minlength=goal.size)
            off = max(off, float(np.abs(now - goal).max()))
            found = found * np.divide(goal, now, out=np.zeros_like(goal), where=now > 0)[where]
        if off < _FITTED or off > _STALLED * before:
            break
        before = off
    total = float(found.sum())
    return (found / total if total > 0 else np.full(found.size, 1 / found.size)).reshape((2,) * len(columns))


def consistent_views(views: Sequence[Columns], noisy: Sequence[npt.NDArray[np.int64]], n: int) -> list[Floats]:
    """Noisy counts as PriView makes them agree: consistency, ripple, consistency.

    >>> noisy = [np.array([[4, 0], [2, 2]]), np.array([[2, 2], [2, 2]])]
    >>> [table.tolist() for table in consistent_views([(0, 1), (1, 2)], noisy, 8)]
    [[[3.5, 0.5], [1.5, 2.5]], [[2.5, 2.5], [1.5, 1.5]]]
    """
    tables = [table.astype(np.float64) for table in noisy]
    shared = intersections(views)
    _agree(views, tables, shared, n)
    tables = [ripple(table) for table in tables]
    _agree(views, tables, shared, n)
    return tables


def intersections(views: Iterable[Columns]) -> list[Columns]:
    """What two or more views share, small before large: agreement on a part then outlasts agreement on the whole.

    >>> intersections([(0, 1, 2), (1, 2, 3), (2, 3, 4)])
    [(2,), (1, 2), (2, 3)]
    """
    held = list(dict.fromkeys(map(frozenset, views)))
    found = {one & other for one, other in combinations(held, 2)}
    fresh = found
    while fresh:  # intersections of more than two views
        fresh = {one & other for one in fresh for other in held} - found - set(held)
        found = found | fresh
    return sorted((tuple(sorted(part)) for part in found if part), key=lambda part: (len(part), part))


def _agree(views: Sequence[Columns], tables: list[Floats], shared: Sequence[Columns], n: int) -> None:
    """Totals become the number of rows; then each shared marginal its views' average, weighted by their precision."""
    for i, table in enumerate(tables):
        tables[i] = table + (n - table.sum()) / table.size
    held = [frozenset(view) for view in views]
    for part in shared:
        members = [i for i, columns in enumerate(held) if columns.issuperset(part)]
        versions = [_project(tables[i], views[i], part) for i in members]
        # a cell of the marginal sums up 2^(view − part) cells, each with the same noise
        weights = np.array([2.0 ** -len(views[i]) for i in members])
        average = np.tensordot(weights / weights.sum(), np.stack(versions), axes=1)
        for i, version in zip(members, versions, strict=True):
            shape = [2 if column in part else 1 for column in views[i]]
            tables[i] = tables[i] + (average - version).reshape(shape) / 2 ** (len(views[i]) - len(part))


def ripple(table: Floats) -> Floats:
    """No count below `RIPPLE_BELOW`: one that is becomes 0, at the cost of the cells that differ in one column.

    >>> ripple(np.array([[4.0, -2.0], [6.0, 8.0]])).tolist()
    [[3.0, 0.0], [6.0, 7.0]]
    """
    table = table.copy()
    for _ in range(_RIPPLES):
        below = np.where(table < RIPPLE_BELOW, table, 0.0)
        if not below.any():
            break
        table -= below
        for axis in range(table.ndim):
            table += np.flip(below, axis) / table.ndim
    return table


def _project(table: Floats, columns: Columns, part: Columns) -> Floats:
    """The marginal over some of the columns, both in rising order."""
    found: Floats = table.sum(axis=tuple(i for i, column in enumerate(columns) if column not in part))
    return found


@lru_cache(maxsize=4096)
def _cells(width: int, axes: Columns) -> npt.NDArray[np.int64]:
    """For each flat cell of a table of so many axes, the flat cell that it is summed into over some of them."""
    cells = np.arange(2**width, dtype=np.int64)
    found = np.zeros_like(cells)
    for axis in axes:
        found = 2 * found + ((cells >> (width - 1 - axis)) & 1)
    found.setflags(write=False)
    return found
