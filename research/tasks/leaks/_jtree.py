"""JTree: row 10 of the soundness review, by trials and by an integral.

JTree as its authors run it gives its test of pairs a fifth of ε: trials and integral are of that test, with what it
gets of a claimed ε of 1, `SHARE`. The graph is covered by the whole claim, so a loss above 1 in it alone refutes that.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from functools import cache
from math import log

import numpy as np

from research.tasks.leaks._audit import Audit, Event, Remembered, open_audited, table_of
from understudy._core.randomness import Streams
from understudy.methods import JTree
from understudy.methods.printed import margins, noise_scale, passing
from understudy.privacy import make_noise

SHARE = 0.2
"""What the test of pairs gets of each ε, as the authors have it."""
_ROWS, _PHI = 150, 0.2  # the threshold is then half of what one record can do to a pair
_COLUMNS, _MORE = 16, 9  # with more pairs ahead the event is more telling and comes too seldom to be proved
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
    """Of the pairs within the second half, so many more pass than of those within the first."""
    coins, noise = Streams(seed).get("experiments", "leaks", "jtree"), make_noise(seed=seed)

    @cache
    def exact(table: Remembered) -> tuple[dict[tuple[int, int], float], float]:
        curator = open_audited(table, noise, no_guarantee=True)
        return margins(curator, _PHI), noise_scale(table.domain, table.n, SHARE)

    def event(table: Remembered, trial: int) -> bool:
        return _ahead(passing(*exact(table), coins), _COLUMNS) >= _MORE

    return event


def _ahead(pairs: Iterable[tuple[int, int]], columns: int) -> int:
    """How many more of the pairs are within the second half of the columns than within the first."""
    half = columns // 2
    return sum((min(pair) >= half) - (max(pair) < half) for pair in pairs)


def _repaired(seed: int) -> Event:
    """A pair within the second half is joined, and none within the first."""
    noise = make_noise(seed=seed)

    def event(table: Remembered, trial: int) -> bool:
        nodes = _REPAIRED.fit(open_audited(table, noise, no_guarantee=False)).network.nodes
        pairs = [(parent.attribute, node.child) for node in nodes for parent in node.parents]
        first = [pair for pair in pairs if max(pair) < _COLUMNS // 2]
        return not first and _ahead(pairs, _COLUMNS) > 0

    return event


AUDITS = (
    Audit(
        paper="JTree",
        row=10,
        what="which pairs are dependent, of 16 columns",
        claimed=1.0,
        tables=lambda: halves(_COLUMNS),
        printed=_printed,
        repaired=_repaired,
        trials=(200_000, 500),
    ),
)


def threshold_loss(columns: int, epsilon: float) -> float:
    """The log-ratio of one event under two tables, by integrating over the threshold's noise: a lower bound of ε.

    The event: no pair of the first half passes, and all of the second do. A product, given the threshold. `epsilon` is
    that of the test, not of all of JTree.

    >>> round(threshold_loss(6, 1.0), 2), round(threshold_loss(16, SHARE), 2)
    (2.37, 5.08)
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
