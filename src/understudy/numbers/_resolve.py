"""Bins, spikes and shapes of a table's numbers, from fine histograms that a small share of the budget buys.

What is charged: one question for the counts of all automatic columns at every level of their grids. The cells of a
level are disjoint, so a row is in one cell of each: a column with L levels costs what L tables cost, and `NoisyTables`
charges for just that (proof.md, section 1). The rest is post-processing. From then on rows are seen through a map from
cells to bins that depends on released counts only, and is as public as a declared one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy.numbers._cuts import cut
from understudy.numbers._grid import fine_schema
from understudy.numbers._histogram import fit_histogram
from understudy.privacy import Budget, Curator, Measurement, NoisyTables
from understudy.schema import Attribute, Axis, Bins, Field, Marginal, Part, Recoding, Schema

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Resolved:
    """The schema with bins in place of automatic ones, and the map from cells of the grid to them."""

    schema: Schema
    recoding: Recoding


def numbers_share(budget: Budget) -> Fraction:
    """The share of a run's budget that the histograms of all automatic columns take.

    Without a δ the noise of many tables at once grows with their number, not with its root, so they take more.

    >>> from understudy.privacy import make_budget
    >>> str(numbers_share(make_budget(1))), str(numbers_share(make_budget(1, "1e-9")))
    ('1/10', '1/20')
    """
    return Fraction(1, 10) if budget.pure else Fraction(1, 20)


def resolve_numbers(curator: Curator, schema: Schema, *, share: Fraction) -> Resolved:
    """Find the bins of all automatic columns. The curator's rows are cells of the grid (`fine_schema`)."""
    fine = fine_schema(schema)
    places = [i for i, field in enumerate(schema.fields) if field.automatic]
    axes = {i: _axes(i, fine.fields[i].attribute) for i in places}
    asked = [Marginal((axis,)) for i in places for axis in axes[i]]
    answers = iter(curator.ask(NoisyTables(marginals=asked, what="numbers, value by value"), share=share))
    written = schema.to_dict()
    lookups: dict[int, list[int]] = {}
    for i in places:
        found = [next(answers) for _ in axes[i]]
        properties, lookups[i] = _resolved(fine.fields[i], found)
        written["fields"][i] |= properties
    resolved = Schema.from_dict(written)
    return Resolved(resolved, _recoding(fine, resolved, lookups))


def _axes(position: int, attribute: Attribute) -> list[Axis]:
    """Every other level of the attribute, coarsest first: each cell holds four of the next."""
    return [Axis(position, level) for level in reversed(range(0, attribute.n_levels, 2))]


def _resolved(fine: Field, found: list[Measurement]) -> tuple[dict[str, Any], list[int]]:
    """The field's bins as a schema file has them, and the new code of each code of the grid."""
    bins = fine.bins
    if bins is None:
        raise ValueError(f"column '{fine.name}' has no range")
    extra = fine.size - fine.n_main
    counts = [np.asarray(one.counts[: one.counts.size - extra], dtype=np.float64) for one in found]
    variances = [max(float(one.noise.variance), 1e-9) for one in found]
    first, last = bins.grid
    widths = (last - first + 1).astype(np.float64)
    masses = fit_histogram(counts, variances, widths)
    needed = np.searchsorted(first, np.array(fine.cuts, dtype=np.int64)).tolist()  # what is declared tells apart there
    cells = sorted({*cut(masses, widths, sqrt(variances[-1])), *needed})
    bin_of = np.searchsorted(cells, np.arange(fine.n_main), side="right") - 1
    lookup = [*bin_of.tolist(), *range(len(cells), len(cells) + extra)]
    return _written(bins, cells, masses), lookup


def _written(fine: Bins, cells: list[int], masses: Floats) -> dict[str, Any]:
    starts = fine.grid[0]
    pieces = _pieces(masses, (fine.grid[1] - starts + 1).astype(np.float64), set(cells))
    found: dict[str, Any] = {
        "first": starts[cells].tolist(),
        "starts": starts[pieces].tolist(),
        "shares": [float(f"{mass:.6g}") for mass in np.add.reduceat(masses, pieces)],
    }
    return {"bins": {"found": found}} | ({} if fine.whole else {"decimals": fine.decimals})


def _pieces(masses: Floats, widths: Floats, cells: set[int]) -> list[int]:
    """The first cells of stretches that are evenly filled."""
    density = masses / widths
    new = np.flatnonzero(~np.isclose(density[1:], density[:-1], rtol=1e-6, atol=0)) + 1
    return sorted({0, *new.tolist(), *cells})


def _recoding(fine: Schema, resolved: Schema, lookups: dict[int, list[int]]) -> Recoding:
    source, target = fine.domain, resolved.domain
    same = [list(range(attribute.size)) for attribute in source]
    lookup = [lookups.get(i, same[i]) for i in range(len(source))]
    return Recoding(
        source=source,
        target=target,
        parts=tuple(Part(source=i, lookup=tuple(codes)) for i, codes in enumerate(lookup)),
        pieces=tuple((i,) for i in range(len(source))),
        back=tuple(tuple(codes.index(code) for code in range(target[i].size)) for i, codes in enumerate(lookup)),
    )
