"""The counts under which the published ones are most likely: no negative ones, and most of the noise kept out.

Published counts are multinomial with probabilities Pᵀp. The likelihood is concave in p, so its maximum is global, and
how far a p is from it is bounded by the gradient g: ℓ* − ℓ(p) ≤ max g − n. Expectation and maximisation multiply p by
g/n; two such steps are extrapolated (SQUAREM, Varadhan and Roland 2008), and an extrapolation that lowers the
likelihood is dropped, so that it never falls.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence

import numpy as np

from understudy._core.errors import UnderstudyWarning
from understudy.randomize._matrix import TransitionMatrix
from understudy.randomize._unmix import Floats, Map, apply_maps, forward_of

GAP = 0.01
"""How far, in nats, the log-likelihood may be from its maximum: less than any test of it could notice."""
MOST_STEPS = 2_000
MOST_WORK = 2_000_000_000
"""Cells times evaluations: some minutes."""
_WORTH_TELLING = 1.0  # nats from the maximum
_FURTHEST = 4.0  # steps that the first extrapolation may go ahead; more where that goes well, fewer where it does not
_LEAST_LEFT = 0.001  # of a cell that an extrapolation would make negative: one that is zero would stay so


def most_likely(
    published: Floats,
    matrices: Sequence[Map | TransitionMatrix],
    *,
    gap: float = GAP,
    most_steps: int | None = None,
    watch: Callable[[float], None] | None = None,
) -> Floats:
    """Counts, shaped like the table, whose randomisation makes the published ones most likely; same total.

    Args:
        published: published counts, an axis for each block.
        matrices: for each axis its transition matrix P, or the map x → Pᵀx.
        gap: stops when the log-likelihood is provably this near to its maximum.
        most_steps: stops after so many evaluations in any case. Default: 2,000, and fewer for over a million cells.
        watch: is told the log-likelihood of each p that is kept.

    >>> from fractions import Fraction
    >>> from understudy.randomize import Response
    >>> most_likely(np.array([10.0, 90.0]), [Response(2, Fraction(3, 4))]).round(1).tolist()
    [0.0, 100.0]
    """
    total = float(published.sum())
    if total <= 0:
        return np.zeros_like(published)
    search = _Search(published, [forward_of(m) if isinstance(m, TransitionMatrix) else m for m in matrices])
    p = np.full(published.shape, 1.0 / published.size)
    level, gradient = search.at(p)
    furthest = _FURTHEST
    limit = min(MOST_STEPS, MOST_WORK // published.size) if most_steps is None else most_steps
    for _ in range(limit // 3):
        if watch is not None:
            watch(level)
        if gradient.max() - total <= gap:
            break
        first = p * gradient / total
        second = first * search.at(first)[1] / total
        ahead = _how_far(p, first, second, furthest)
        further = _extrapolated(p, first, second, ahead)
        reached = search.at(further)
        if not reached[0] >= level:
            further, furthest = second, max(1.0, furthest / 2)
            reached = search.at(second)
        elif ahead == furthest:
            furthest *= 4
        p, (level, gradient) = further, reached
    left = float(gradient.max()) - total
    if left > max(gap, _WORTH_TELLING) and most_steps is None:
        warnings.warn(
            f"the most likely counts of a table of {published.size:,} cells were not reached in {limit:,} steps: the "
            f"log-likelihood is within {left:.3g} of its maximum. Ask for fewer columns, or for projected counts.",
            UnderstudyWarning,
            stacklevel=2,
        )
    return p * total


def _how_far(p: Floats, first: Floats, second: Floats, furthest: float) -> float:
    """How many steps ahead to go: many where the second step is much like the first."""
    bend = second - 2 * first + p
    length = float(np.sqrt((bend * bend).sum()))
    step = float(np.sqrt(((first - p) ** 2).sum()))
    return min(furthest, max(1.0, step / length)) if length else 1.0


def _extrapolated(p: Floats, first: Floats, second: Floats, ahead: float) -> Floats:
    """Where two steps lead to if they go on as they began; positive, with total one."""
    further = p + 2 * ahead * (first - p) + ahead * ahead * (second - 2 * first + p)
    further = np.maximum(further, _LEAST_LEFT * second)
    return np.asarray(further / further.sum())


class _Search:
    """The log-likelihood and its gradient."""

    def __init__(self, published: Floats, forward: Sequence[Map]) -> None:
        self._published = published
        self._forward = list(forward)
        self._backward = [one.transposed for one in forward]
        self._seen = published > 0

    def at(self, p: Floats) -> tuple[float, Floats]:
        expected = apply_maps(p, self._forward)
        with np.errstate(divide="ignore", invalid="ignore"):
            ratio = np.where(self._seen, self._published / expected, 0.0)
            level = float((self._published[self._seen] * np.log(expected[self._seen])).sum())
        return level, apply_maps(ratio, self._backward)
