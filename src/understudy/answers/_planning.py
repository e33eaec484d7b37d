"""Which tables to measure for a workload, and what that would cost in accuracy: from public quantities alone.

A query that is answered from a table sums noise over its cells. Measuring a larger table once can answer many queries,
with more cells to sum; measuring several tables splits the budget. The plan starts with the tables that are asked about
and joins two of them, or drops one into another, while that lowers the expected error of the whole workload.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import pi, prod, sqrt

import numpy as np
import numpy.typing as npt

from understudy.answers._workload import MOST_CELLS, Workload
from understudy.privacy import PrivacyTerms, row_sensitivity
from understudy.schema import Domain, Marginal

_MOST_JOINED = 48  # tables beyond which joining them in pairs is not tried: only those inside others are dropped
_GRAIN = 1 << 20
_DIRECT_QUERIES, _DIRECT_CELLS = 1 << 14, 1 << 28


@dataclass(frozen=True, kw_only=True)
class TablesPlan:
    """Tables to measure, what share each gets, and the mean error to expect of the workload, in counts."""

    marginals: tuple[Marginal, ...]
    shares: tuple[Fraction, ...]
    error: float

    def source_of(self, marginal: Marginal) -> int:
        """Which table answers queries about this one: the smallest that holds it, as the shares were planned for."""
        return next(i for i, table in enumerate(self.marginals) if table.refines(marginal))


def plan_tables(workload: Workload, terms: PrivacyTerms, share: Fraction = Fraction(1)) -> TablesPlan:
    """The tables to measure for a workload with a share of the budget.

    >>> from understudy.answers._lines import read_lines
    >>> from understudy.answers._workload import make_workload
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Schema
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in "abc"]
    >>> schema = Schema.from_dict({"fields": fields})
    >>> workload = make_workload(read_lines(["table(a)", "table(a, b)", "c=yes"]), schema)
    >>> plan = plan_tables(workload, PrivacyTerms(budget=make_budget(1)))
    >>> [marginal.attributes for marginal in plan.marginals], [str(share) for share in plan.shares]
    ([(0, 1, 2)], ['1'])
    """
    loads = _loads(workload)
    tables = _dropped_into(_joined(loads, workload.domain, terms), loads, workload.domain)
    costs = [_cost(table, members, workload.domain) for table, members in tables.items()]
    shares = _split(costs, terms, share)
    # expected size of noise that is about normal: √(2/π) of its deviation
    error = sum(
        cost * sqrt(terms.table_noise(part).variance) for cost, part in zip(costs, shares, strict=True)
    ) * sqrt(2 / pi) / max(len(workload), 1)  # fmt: skip
    return TablesPlan(marginals=tuple(tables), shares=tuple(shares), error=error)


def direct_error(workload: Workload, terms: PrivacyTerms, share: Fraction = Fraction(1)) -> float:
    """The mean error to expect, in counts, if every query is answered with noise of its own; infinite if too many."""
    cells = sum(len(batch) * prod(batch.shape) for batch in workload.batches if not batch.is_cells)
    if len(workload) > _DIRECT_QUERIES or cells > _DIRECT_CELLS:
        return float("inf")
    moved = terms.of_unit(row_sensitivity(workload.batches, terms.neighbours.cells_of_row))
    return sqrt(2 / pi * terms.budget.noise_for(share, moved).variance)


_Loads = Mapping[Marginal, float]
"""For each table that is asked about, the sum over its queries of the root of their squared weights."""


def _loads(workload: Workload) -> dict[Marginal, float]:
    found: dict[Marginal, float] = {}
    for batch in workload.batches:
        found[batch.marginal] = found.get(batch.marginal, 0.0) + float(np.sqrt(batch.squares).sum())
    return found


def _cost(table: Marginal, members: Iterable[tuple[Marginal, float]], domain: Domain) -> float:
    """Deviation of all answers together, in deviations of a cell: each cell of a member is so many of the table."""
    cells = table.n_cells(domain)
    return sum(load * sqrt(cells / member.n_cells(domain)) for member, load in members)


def _total(costs: Iterable[float], terms: PrivacyTerms) -> float:
    """The least sum of deviations for these costs, over all ways to split a budget, in some unit."""
    power = _power(terms)
    return float(sum(cost**power for cost in costs) ** (1 / power))


def _split(costs: list[float], terms: PrivacyTerms, share: Fraction) -> list[Fraction]:
    """The split that reaches it: Σ cost/sᵖ is least where s grows as cost to the 1/(1+p); p is 1, or ½ with a δ."""
    power = _power(terms)
    parts = [max(cost, 1e-300) ** power for cost in costs]
    whole = [max(1, int(_GRAIN * part / sum(parts))) for part in parts]
    return [share * Fraction(one, sum(whole)) for one in whole]


def _power(terms: PrivacyTerms) -> float:
    return 0.5 if terms.budget.pure else 2 / 3


def _joined(loads: _Loads, domain: Domain, terms: PrivacyTerms) -> dict[Marginal, list[tuple[Marginal, float]]]:
    """Tables with the members they answer, joined in pairs while the workload's expected error falls."""
    tables = {table: [(table, load)] for table, load in loads.items()}
    if len(tables) > _MOST_JOINED:
        tables = _dropped_into(tables, loads, domain)
    while 1 < len(tables) <= _MOST_JOINED:
        costs = {table: _cost(table, members, domain) for table, members in tables.items()}
        now, best = _total(costs.values(), terms), None
        for one, other in combinations(tables, 2):
            union = Marginal.of(*sorted({*one.attributes, *other.attributes}))
            if union.n_cells(domain) > MOST_CELLS:
                continue
            joint = _cost(union, [*tables[one], *tables[other]], domain)
            found = _total([joint, *(cost for table, cost in costs.items() if table not in (one, other))], terms)
            if found < now * (1 - 1e-9):
                now, best = found, (one, other, union)
        if best is None:
            break
        one, other, union = best
        members = [*tables.pop(one), *tables.pop(other)]
        tables[union] = [*tables.pop(union, []), *members]
    return tables


def _dropped_into(
    tables: Mapping[Marginal, list[tuple[Marginal, float]]], loads: _Loads, domain: Domain
) -> dict[Marginal, list[tuple[Marginal, float]]]:
    """Each member with the smallest table that holds it; tables that are inside others and answer nobody are gone."""
    ordered = sorted(tables, key=lambda table: (table.n_cells(domain), table.axes))
    if len(tables) > _MOST_JOINED:  # measuring a table inside another one would take budget from the other
        ordered = _outermost(ordered, len(domain))
    members = list(loads)
    levels, holder = _levels(members, len(domain)), np.full(len(members), -1)
    for i, finest in enumerate(_levels(ordered, len(domain))):
        holder[(holder < 0) & (finest <= levels).all(axis=1)] = i
    if (holder < 0).any():
        raise ValueError("a table that none of those to be measured holds")
    found: dict[int, list[tuple[Marginal, float]]] = {}
    for i, member in zip(holder.tolist(), members, strict=True):
        found.setdefault(i, []).append((member, loads[member]))
    return {table: found[i] for i, table in enumerate(ordered) if i in found}


def _outermost(tables: Sequence[Marginal], n_attributes: int) -> list[Marginal]:
    """Those that cannot be summed out of another one."""
    levels = _levels(tables, n_attributes)
    inside = np.zeros(len(tables), dtype=np.bool_)
    for i, finest in enumerate(levels):
        held = (finest <= levels).all(axis=1)
        held[i] = False
        inside |= held
    return [table for table, left_out in zip(tables, inside.tolist(), strict=True) if not left_out]


def _levels(tables: Sequence[Marginal], n_attributes: int) -> npt.NDArray[np.int16]:
    """The level of each attribute in each table, the largest number where it has none: one refines those not below.

    >>> one, other = _levels([Marginal.of(0, (1, 1)), Marginal.of((1, 2))], 3)
    >>> bool((one <= other).all()), bool((other <= one).all())
    (True, False)
    """
    found = np.full((len(tables), n_attributes), np.iinfo(np.int16).max, dtype=np.int16)
    for row, table in zip(found, tables, strict=True):
        for attribute, level in table.axes:
            row[attribute] = level
    return found
