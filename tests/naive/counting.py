"""Counting, row by row."""

from itertools import product

import numpy as np

from understudy.schema import Domain, Marginal


def naive_count(domain: Domain, columns, n: int, marginal: Marginal) -> np.ndarray:
    """One table: for each row, one dictionary entry goes up by one."""
    seen: dict[tuple[int, ...], int] = {}
    columns = [column.tolist() for column in columns]
    for row in range(n):
        cell = []
        for attribute, level in marginal.axes:
            code = columns[attribute][row]
            cell.append(code if level == 0 else domain.attributes[attribute].coarser[level - 1].groups[code])
        seen[tuple(cell)] = seen.get(tuple(cell), 0) + 1
    sizes = [
        domain.attributes[a].size if level == 0 else len(set(domain.attributes[a].coarser[level - 1].groups))
        for a, level in marginal.axes
    ]
    table = np.zeros(sizes, dtype=np.int64)
    for cell, count in seen.items():
        table[cell] = count
    return table


def naive_subset_count(columns, n: int, subset) -> int:
    """How many rows have a one in every column of the subset."""
    return sum(all(columns[c][row] == 1 for c in subset) for row in range(n))


def naive_zeta(counts: np.ndarray, width: int) -> list[int]:
    """For each pattern, the counts of all patterns that have at least its ones."""
    return [sum(int(counts[q]) for q in range(1 << width) if p & q == p) for p in range(1 << width)]


def all_cells(shape) -> list[tuple[int, ...]]:
    """Every cell of a table, last axis fastest."""
    return list(product(*map(range, shape)))


def naive_bits_set(word: int) -> int:
    """The ones of a number written out in binary."""
    return f"{word:b}".count("1")


def naive_tally_ns(cells: float, steps: dict[int, float], beyond: float) -> float:
    """The price of the first step that has room; a guess about speed, which decides no count."""
    return next((price for room, price in sorted(steps.items()) if cells <= room), beyond)
