"""What the baselines for count queries share: the marginals they are asked for, their limits, and their dry run."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from itertools import combinations
from math import comb, prod

from understudy._core.errors import OptionError
from understudy.methods._plan import BASE_BYTES, BASE_SECONDS, AttributePlan, Plan, expected_error
from understudy.models import joint_shape
from understudy.schema import Domain, Marginal

MOST_CELLS = 1 << 26
"""Cells of all tables together: each takes some 20 bytes."""
MOST_TABLES = 1 << 18
MOST_ROWS_POSSIBLE = 1 << 24
"""Cells of a table over all attributes."""

SECONDS_PER_CELL, SECONDS_PER_TABLE = 4e-7, 1e-4


@lru_cache(maxsize=8)
def groups_of(n_attributes: int, ways: int) -> tuple[tuple[int, ...], ...]:
    """All sets of so many attributes; the set of all if there are fewer.

    >>> groups_of(3, 2)
    ((0, 1), (0, 2), (1, 2))
    """
    return tuple(combinations(range(n_attributes), min(ways, n_attributes)))


def marginals_of(domain: Domain, ways: int) -> list[Marginal]:
    """The tables over all sets of so many attributes."""
    return [Marginal.of(*group) for group in groups_of(len(domain), ways)]


def count_cells(sizes: list[int], ways: int) -> int:
    """Cells of all tables over so many attributes together: an elementary symmetric polynomial of the sizes.

    >>> count_cells([2, 3, 4], 2), count_cells([2, 3], 3)
    (26, 6)
    """
    ways = min(ways, len(sizes))
    totals = [1] + [0] * ways
    for size in sizes:
        for way in range(ways, 0, -1):
            totals[way] += size * totals[way - 1]
    return totals[ways]


def refuse_many_tables(name: str, domain: Domain, ways: int) -> None:
    """Refuse more tables or cells than memory and patience have room for."""
    n_tables = comb(len(domain), min(ways, len(domain)))
    cells = count_cells([attribute.size for attribute in domain], ways)
    if n_tables > MOST_TABLES or cells > MOST_CELLS:
        raise OptionError(
            f"method '{name}' with ways={ways} would measure {n_tables:,} tables with {cells:,} cells in all; at most "
            f"{MOST_TABLES:,} tables and {MOST_CELLS:,} cells are allowed. Choose fewer ways or coarser columns."
        )


def refuse_large_domain(name: str, domain: Domain) -> None:
    """Refuse a table over all attributes that would not fit into memory."""
    cells = prod(joint_shape(domain))
    if cells > MOST_ROWS_POSSIBLE:
        raise OptionError(
            f"method '{name}' needs a cell for each possible row, and these {len(domain)} columns allow "
            f"{_counted(cells)} of them; at most {MOST_ROWS_POSSIBLE:,} are allowed. "
            "Use 'laplace' or 'fourier', which need tables of a few columns only, or 'privbayes'."
        )


def count_plan(
    method: str,
    domain: Domain,
    n: int,
    *,
    ways: int,
    noise: float | Callable[[int], float],
    shares: dict[str, float],
    seconds: float,
    cells: int,
    candidates: tuple[int, ...] = (),
    notes: tuple[str, ...] = (),
) -> Plan:
    """The dry run of a baseline whose tables are over so many attributes each; noise a cell may depend on their cells.

    >>> from understudy.schema import Attribute
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="age", size=10)))
    >>> found = count_plan("laplace", domain, 1000, ways=2, noise=4.0, shares={"tables": 1.0}, seconds=1.0, cells=20)
    >>> found.largest_useful_table, found.attributes[0].expected_error
    (20, 0.04)
    """
    noise_in = noise if callable(noise) else lambda _: noise
    sizes = [attribute.size for attribute in domain]
    attributes = []
    for a, attribute in enumerate(domain):
        others = sorted(sizes[:a] + sizes[a + 1 :], reverse=True)[: max(ways - 1, 0)]
        largest = attribute.size * prod(others)
        attributes.append(
            AttributePlan(
                name=attribute.name,
                size=attribute.size,
                levels=tuple(attribute.size_at(level) for level in range(attribute.n_levels)),
                largest_table=largest,
                expected_error=expected_error(largest, noise_in(largest), n),
                may_have_parents=False,
                finest_as_parent=None,
            )
        )
    most = max((a.largest_table for a in attributes), default=0)
    return Plan(
        method=method,
        rows=n,
        attributes=tuple(attributes),
        score=None,
        degree=None,
        largest_useful_table=most,
        noise_mean=noise_in(most),
        shares=shares,
        candidates_per_choice=candidates,
        max_candidates=max(candidates, default=0),
        memory_bytes=BASE_BYTES + 20 * cells,
        seconds=BASE_SECONDS + seconds,
        notes=notes,
    )


def shares_of(rows: Fraction, **others: Fraction | int) -> dict[str, float]:
    """How the budget is divided, for a plan: `others` are shares of what the number of rows leaves.

    >>> shares_of(Fraction(1, 50), tables=1)
    {'rows': 0.02, 'tables': 0.98}
    """
    return {"rows": float(rows), **{name: float((1 - rows) * share) for name, share in others.items()}}


def _counted(cells: int) -> str:
    return f"{cells:,}" if cells < 1 << 60 else f"about 2^{cells.bit_length() - 1}"
