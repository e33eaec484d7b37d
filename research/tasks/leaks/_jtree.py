"""JTree: row 10 of the soundness review, by trials and by an integral."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations
from math import log

import numpy as np

from research.tasks.leaks._audit import Audit, Event, Remembered, open_audited, table_of
from understudy._core.randomness import Streams
from understudy.methods import JTree
from understudy.methods.printed import margins, noise_scale, passing
from understudy.models import NetworkModel
from understudy.privacy import make_noise

_ROWS, _PHI = 150, 0.2  # the threshold is then half of what one record can do to a pair
_REPAIRED = JTree(pairs=2, theta=Fraction(1, 4))


def halves(columns: int) -> tuple[Remembered, Remembered]:
    """All zeros, but for one record that is 1 on the second half of the columns, or on the first."""
    rest = [(0,) * columns] * (_ROWS - 1)
    half = columns // 2
    one, other = (
        table_of([*rest, last], (2,) * columns) for last in ((0,) * half + (1,) * half, (1,) * half + (0,) * half)
    )
    return one, other


def _printed(seed: int) -> Event:
    coins, noise = Streams(seed).get("experiments", "leaks", "jtree"), make_noise(seed=seed)
    first, second = (set(combinations(range(low, low + 3), 2)) for low in (0, 3))

    @cache
    def exact(table: Remembered) -> dict[tuple[int, int], float]:
        return margins(open_audited(table, noise, no_guarantee=True), _PHI)

    def event(table: Remembered, trial: int) -> bool:
        found = passing(exact(table), noise_scale(table.domain, table.n, 1.0), coins)
        return first.isdisjoint(found) and second.issubset(found)

    return event


def _joined(model: NetworkModel) -> bool:
    """A pair of the second half is joined, and none of the first."""
    pairs = [(parent.attribute, node.child) for node in model.network.nodes for parent in node.parents]
    return any(min(pair) > 2 for pair in pairs) and not any(max(pair) < 3 for pair in pairs)


def _repaired(seed: int) -> Event:
    noise = make_noise(seed=seed)

    def event(table: Remembered, trial: int) -> bool:
        return _joined(_REPAIRED.fit(open_audited(table, noise, no_guarantee=False)))

    return event


AUDITS = (
    Audit(
        paper="JTree",
        row=10,
        what="which pairs are dependent, of 6 columns",
        claimed=1.0,
        tables=lambda: halves(6),
        printed=_printed,
        repaired=_repaired,
        trials=(20_000, 400),
    ),
)


def threshold_loss(columns: int, epsilon: float) -> float:
    """The log-ratio of one event under two tables, by integrating over the threshold's noise: a lower bound of ε.

    The event: no pair of the first half passes, and all of the second do. A product, given the threshold.

    >>> round(threshold_loss(6, 1.0), 2)
    2.37
    """
    one, other = (_chance(table, columns, epsilon) for table in halves(columns))
    return log(one / other)


def _chance(table: Remembered, columns: int, epsilon: float) -> float:
    scale = noise_scale(table.domain, table.n, epsilon)
    t = np.linspace(-40, 40, 40_001) * scale
    chance = np.exp(-np.abs(t) / scale) / (2 * scale)
    curator = open_audited(table, make_noise(seed=0), no_guarantee=True)
    for (u, v), margin in margins(curator, _PHI).items():
        tail = np.exp(-np.abs(t - margin) / scale) / 2
        passes = np.where(margin > t, 1 - tail, tail)
        if v < columns // 2:
            chance = chance * (1 - passes)
        elif u >= columns // 2:
            chance = chance * passes
    return float(chance.sum() * (t[1] - t[0]))
