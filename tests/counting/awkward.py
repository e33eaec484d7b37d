"""Tables named for their trouble, and marginals to ask of them."""

from collections.abc import Callable
from itertools import combinations

import numpy as np

from understudy.schema import Attribute, Axis, Domain, Level, Marginal
from understudy.tables import Table


def make(n: int, sizes, *, levels: bool = False, seed: int = 7) -> Table:
    """Random codes; with levels, pairs of codes are merged until two are left."""
    rng = np.random.default_rng(seed)
    attributes = tuple(
        Attribute(name=f"a{i}", size=size, coarser=halvings(size) if levels else ()) for i, size in enumerate(sizes)
    )
    # Squared, so that low codes are common and high ones rare or absent.
    return Table(Domain(attributes), tuple((rng.random(n) ** 2 * size).astype(np.int64) for size in sizes))


def halvings(size: int) -> tuple[Level, ...]:
    levels, groups = [], list(range(size))
    while max(groups) > 1:
        groups = [group // 2 for group in groups]
        levels.append(Level(groups=tuple(groups)))
    return tuple(levels)


def constant(n: int, sizes) -> Table:
    attributes = tuple(Attribute(name=f"a{i}", size=size) for i, size in enumerate(sizes))
    return Table(Domain(attributes), tuple(np.full(n, size - 1) for size in sizes))


AWKWARD: dict[str, Callable[[], Table]] = {
    "plain": lambda: make(500, (3, 4, 5, 6)),
    "one_value_column": lambda: make(100, (1, 3, 1, 2)),
    "all_rows_equal": lambda: constant(333, (2, 5, 2, 7)),
    "one_row": lambda: make(1, (2, 3, 2)),
    "no_rows": lambda: make(0, (2, 3, 2)),
    "one_column": lambda: make(65, (2,)),
    "wide": lambda: make(150, (2, 3) * 35),
    "wide_binary": lambda: make(130, (2,) * 70),
    "ten_thousand_values": lambda: make(700, (10_000, 2, 3)),
    "two_large_categories": lambda: make(400, (300, 400, 2)),
    "uint16_codes": lambda: make(300, (257, 65_536, 2)),
    "uint32_codes": lambda: make(50, (65_537, 2)),
    "generalised_levels": lambda: make(400, (8, 5, 16, 3), levels=True),
    "levels_of_large_categories": lambda: make(300, (300, 2, 1000), levels=True),
    "binary": lambda: make(1000, (2,) * 9),
    "binary_and_general": lambda: make(600, (2, 2, 5, 2, 7, 2, 2)),
    "many_equal_rows": lambda: repeated(),
    "more_rows_than_a_strip": lambda: make(9001, (4, 3, 2, 6)),
}


def repeated() -> Table:
    """Forty distinct rows in a domain too large for one table over all columns."""
    few = make(40, (20, 20, 20, 20))
    pick = np.random.default_rng(3).integers(0, 40, 3000)
    return Table(few.domain, tuple(column[pick] for column in few.columns))


def marginals_of(table: Table, *, seed: int = 11, most_cells: int = 300_000) -> list[Marginal]:
    """The empty marginal, every axis, pairs of a few attributes, and random tables with permuted axes and levels."""
    rng = np.random.default_rng(seed)
    domain = table.domain
    asked = [Marginal.of()]
    asked += [Marginal((Axis(a, level),)) for a in range(len(domain)) for level in range(domain[a].n_levels)]
    asked += [Marginal.of(*pair) for pair in combinations(range(min(6, len(domain))), 2)]
    for _ in range(60):
        width = int(rng.integers(1, min(6, len(domain)) + 1))
        attributes = rng.permutation(len(domain))[:width].tolist()
        asked.append(Marginal(tuple(Axis(a, int(rng.integers(domain[a].n_levels))) for a in attributes)))
    asked += asked[-3:]  # asked twice
    return [marginal for marginal in asked if marginal.n_cells(domain) <= most_cells]
