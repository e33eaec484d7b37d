"""How far contingency tables are from the real ones, by total variation: of synthetic rows, or of answers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from math import prod

import numpy as np
import numpy.typing as npt

from understudy.counting import Counter
from understudy.evaluation import joint_counts, total_variation
from understudy.models import Model
from understudy.schema import Domain, Marginal
from understudy.tables import Table

Floats = npt.NDArray[np.float64]
Columns = tuple[int, ...]
_PORTION_CELLS = 1 << 22  # that are counted at once: 32 MB


def table_distances(real: Table, others: Sequence[Table], groups: Sequence[Columns]) -> Floats:
    """The distance of each other table from the real one, for each group of columns: [table, group].

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2),))
    >>> half, all_one = (Table(domain, (np.array(codes),)) for codes in ([0, 1, 0, 1], [1, 1, 1, 1]))
    >>> table_distances(half, [half, all_one], [(0,)]).tolist()
    [[0.0], [0.5]]
    """
    found = np.empty((len(others), len(groups)))
    for joint in joint_counts([real, *others], groups):
        for row, counts in enumerate(joint.counts[1:]):
            found[row, joint.position] = total_variation(joint.counts[0], counts)
    return found


def answer_distances(counter: Counter, answers: Model, groups: Sequence[Columns]) -> Floats:
    """The same of what a model answers, without drawing rows: one distance for each group of columns.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget
    >>> from understudy.rehearsal import rehearse
    >>> from understudy.schema import Attribute
    >>> counter = MemoryCounter(Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1, 1]),)))
    >>> answer_distances(counter, rehearse(counter, "uniform", make_budget(1), seed=0), [(0,)]).tolist()
    [0.25]
    """
    found = []
    for marginals in _portions([Marginal.of(*group) for group in groups], counter.domain):
        for marginal, real in zip(marginals, counter.count(marginals), strict=True):
            asked = answers.marginal(marginal, errors=False).probabilities
            found.append(float(np.abs(real / counter.n - asked).sum()) / 2)
    return np.array(found)


def _portions(marginals: Sequence[Marginal], domain: Domain) -> Iterator[list[Marginal]]:
    """All of them in order, as many at a time as memory should hold: counting one by one would take a pass for each."""
    portion: list[Marginal] = []
    cells = 0
    for marginal in marginals:
        size = prod(marginal.shape(domain))
        if portion and cells + size > _PORTION_CELLS:
            yield portion
            portion, cells = [], 0
        portion.append(marginal)
        cells += size
    if portion:
        yield portion
