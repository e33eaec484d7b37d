"""Which tables to ask for together, and with how much each time, for the least error in all."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate, groupby
from math import sqrt
from typing import TYPE_CHECKING

from understudy.privacy._together import TablesTogether
from understudy.privacy._values import Measurement
from understudy.schema import Marginal

if TYPE_CHECKING:
    from understudy.privacy._curator import Curator


def together_shares(
    cells: Sequence[int], *, balanced: bool, weights: Sequence[float] | None = None
) -> list[tuple[list[int], Fraction]]:
    """Groups of tables to ask for together, as places in the list, each with its part of one share under pure ε.

    All tables of a question have the radius T of its noise, about (D + 1)/ε for D dimensions in all, and an error of
    about n/(n + 1) of it for n of their own. So tables of like sizes go together: two values gain a factor of 2, many
    values hardly anything, and a small table beside large ones would lose. The parts make the sum of errors least, each
    counted with its table's weight.

    >>> [(places, str(part)) for places, part in together_shares([2, 2, 40, 2], balanced=True)]
    [([0, 1, 3], '141/500'), ([2], '359/500')]
    """
    dimensions = [size - 1 if balanced else size for size in cells]
    errors = [n / (n + 1) * weight for n, weight in zip(dimensions, weights or [1.0] * len(cells), strict=True)]
    order = sorted(range(len(cells)), key=lambda place: (dimensions[place], place))
    alike = [list(places) for _, places in groupby(order, key=lambda place: dimensions[place])]
    runs = _joined([sum(dimensions[i] for i in group) for group in alike], [sum(errors[i] for i in g) for g in alike])
    roots = [max(root, 1e-3) for _, _, root in runs]
    parts = [max(1, round(1000 * root / sum(roots))) for root in roots]
    return [
        (sorted(place for group in alike[start:end] for place in group), Fraction(part, sum(parts)))
        for (start, end, _), part in zip(runs, parts, strict=True)
    ]


def measure_together(
    curator: Curator,
    marginals: Sequence[Marginal],
    *,
    share: Fraction,
    what: str = "tables",
    weights: Sequence[float] | None = None,
) -> list[Measurement]:
    """Noisy tables for one share, those of like sizes asked for together, with the parts that make errors least.

    `weights` are public, and say how much each table's error counts. Under a budget with a δ all get the same Gaussian
    noise.

    >>> import numpy as np
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, open_curator
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> domain = Domain(tuple(Attribute(name=name, size=size) for name, size in (("sex", 2), ("ill", 2), ("job", 40))))
    >>> table = Table(domain, (np.array([0, 1, 1]), np.array([0, 0, 1]), np.array([8, 39, 3])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1))
    >>> found = measure_together(curator, [Marginal.of(a) for a in range(3)], share=Fraction(1, 2))
    >>> [m.counts.shape for m in found], [charge.n_tables for charge in curator.charges], curator.share_left
    ([(2,), (2,), (40,)], [2, 1], Fraction(1, 2))
    """
    if not curator.budget.pure or not marginals:
        return curator.ask(TablesTogether(marginals=marginals, what=what), share=share)
    cells = [marginal.n_cells(curator.domain) for marginal in marginals]
    found: dict[int, Measurement] = {}
    for places, part in together_shares(cells, balanced=curator.terms.public_rows, weights=weights):
        question = TablesTogether(marginals=[marginals[place] for place in places], what=what)
        found |= dict(zip(places, curator.ask(question, share=part * share), strict=True))
    return [found[place] for place in range(len(marginals))]


def _joined(dimensions: Sequence[float], errors: Sequence[float]) -> list[tuple[int, int, float]]:
    """Runs of neighbouring sizes, as beginning, end and root, whose roots sum up to the least.

    A root is √ of the sum of a question's errors, times ε, if all of ε went to it. The square of their sum is what the
    best parts leave of all errors.
    """
    before = [list(accumulate(values, initial=0.0)) for values in (dimensions, errors)]
    least: list[tuple[float, int, float]] = [(0.0, 0, 0.0)]
    for end in range(1, len(dimensions) + 1):
        options = []
        for start in range(end):
            in_all, error = (sums[end] - sums[start] for sums in before)
            root = sqrt((1 + in_all) * max(error, 0.0))
            options.append((least[start][0] + root, start, root))
        least.append(min(options))
    found, end = [], len(dimensions)
    while end:
        _, start, root = least[end]
        found.append((start, end, root))
        end = start
    return found[::-1]
