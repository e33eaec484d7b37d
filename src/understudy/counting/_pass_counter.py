"""The counter of all engines that never hold rows: what is not at hand is counted in one pass, all of it together."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from understudy.counting._batch import Axes, Ints, flatten
from understudy.counting._counter import Counts
from understudy.counting._known import KnownTables, agree, changed, first_tables
from understudy.counting._opening import Progress
from understudy.counting._passes import Passes, Told
from understudy.schema import Axis, Domain, Marginal, Recoding

_FEW = 200


@dataclass(eq=False, kw_only=True)
class PassLog:
    """How often the rows were gone over, and whom to tell. All views of one table share it."""

    n_rows: int
    cells_at_once: int
    progress: Progress | None = None
    passes: int = 1

    def another(self) -> Told:
        """Begin another pass; what comes back is called with the rows that it is through with."""
        self.passes += 1
        stage = f"pass {self.passes} over the rows"

        def told(done: int) -> None:
            if self.progress is not None:
                self.progress(stage, min(done, self.n_rows), self.n_rows)

        return told


class PassCounter:
    """Counts rows that are gone over anew for each set of tables, by whatever engine goes over them.

    The first pass, in which every cell is checked, counts each column, and pairs of columns as far as there is room for
    them; whatever can be summed out of those takes no further pass. A pass whose columns are not those of the first is
    refused: the rows changed.
    """

    def __init__(self, passes: Passes, known: KnownTables, *, n: int, log: PassLog) -> None:
        self._passes, self._known, self._n, self._log = passes, known, n, log
        self._kept: dict[tuple[Axis, ...], Counts] = {}
        self._room = log.cells_at_once

    @property
    def domain(self) -> Domain:
        """The domain of the rows."""
        return self._passes.domain

    @property
    def n(self) -> int:
        """Number of rows; with weights, their sum."""
        return self._n

    @property
    def n_passes(self) -> int:
        """How often the rows were gone over so far."""
        return self._log.passes

    def count(self, marginals: Sequence[Marginal]) -> list[Counts]:
        """One table for each marginal, shaped `marginal.shape(domain)`, axes in the order asked."""
        if not marginals:
            return []
        flatten(marginals, self._axes)  # refuses what does not exist
        found = [self._at_hand(marginal) for marginal in marginals]
        missing = [place for place, counts in enumerate(found) if counts is None]
        for portion in self._portions(marginals, missing):
            asked = [marginals[place] for place in portion]
            more = self._more_pairs(asked)
            tables = self._pass([*asked, *more])
            self._keep([*asked, *more], tables)
            for place, counts in zip(portion, tables, strict=False):
                found[place] = counts
        return [counts for counts in found if counts is not None]

    def ones_together(self, attributes: Ints) -> Counts | None:
        """Rows with code 1 in both, for each pair of two-valued attributes, as a matrix; on its diagonal in one.

        None where rows are weighted, or where the engine has nothing cheaper than a table for each pair.
        """
        if self._passes.weighted:
            return None
        if len(attributes) <= _FEW and (known := self._ones_at_hand(attributes.tolist())) is not None:
            return known
        both = self._passes.ones_together(attributes, self._log.another())
        if both is None:
            self._log.passes -= 1
            return None
        ones = [self._at_hand(Marginal.of(a)) for a in attributes.tolist()]
        if any(known is not None and known[1] != one for known, one in zip(ones, np.diagonal(both), strict=True)):
            raise changed()
        return both

    def recoded(self, recoding: Recoding) -> PassCounter:
        """A counter of the same rows under another encoding of their codes; they are mapped as they come."""
        return PassCounter(self._passes.recoded(recoding), self._known.recoded(recoding), n=self._n, log=self._log)

    @cached_property
    def _axes(self) -> Axes:
        return Axes.of(self.domain)

    def _at_hand(self, marginal: Marginal) -> Counts | None:
        if not marginal.axes:
            return np.array(self._n)
        order = tuple(sorted(marginal.axes))
        kept = self._kept.get(order)
        if kept is None:
            return self._known.table(marginal)
        return kept.transpose([order.index(axis) for axis in marginal.axes]).astype(np.int64)  # a copy

    def _ones_at_hand(self, attributes: Sequence[int]) -> Counts | None:
        both = np.zeros((len(attributes), len(attributes)), dtype=np.int64)
        for i, a in enumerate(attributes):
            for j, b in enumerate(attributes[: i + 1]):
                table = self._at_hand(Marginal.of(a) if a == b else Marginal.of(a, b))
                if table is None:
                    return None
                both[i, j] = both[j, i] = table.reshape(-1)[-1]
        return both

    def _more_pairs(self, asked: Sequence[Marginal]) -> list[Marginal]:
        """Pairs to count in the same pass: whoever asks for one of two columns asks for others in the next round."""
        if not self._passes.takes_more or not any(len(marginal.axes) == 2 for marginal in asked):
            return []
        there = {tuple(sorted(marginal.axes)) for marginal in asked}
        room = self._room - sum(marginal.n_cells(self.domain) for marginal in asked)
        return [
            pair
            for pair in first_tables(self.domain, room)
            if len(pair.axes) == 2 and pair.axes not in there and self._at_hand(pair) is None
        ]

    def _keep(self, marginals: Sequence[Marginal], tables: Sequence[Counts]) -> None:
        """Remember what was counted as long as there is room: methods ask for some of it again."""
        for marginal, table in zip(marginals, tables, strict=True):
            order = tuple(sorted(marginal.axes))
            if order not in self._kept and table.size <= self._room:
                self._kept[order] = table.transpose([marginal.axes.index(axis) for axis in order]).copy()
                self._room -= table.size

    def _portions(self, marginals: Sequence[Marginal], places: Sequence[int]) -> Iterator[list[int]]:
        """What is counted in one pass: everything, unless that would take more memory than there is."""
        portion: list[int] = []
        cells = 0
        for place in places:
            more = marginals[place].n_cells(self.domain)
            if portion and cells + more > self._log.cells_at_once:
                yield portion
                portion, cells = [], 0
            portion.append(place)
            cells += more
        if portion:
            yield portion

    def _pass(self, marginals: Sequence[Marginal]) -> list[Counts]:
        tables = self._passes.tables(marginals, self._log.another())
        if not agree(self._known, marginals, tables):
            raise changed()
        return tables
