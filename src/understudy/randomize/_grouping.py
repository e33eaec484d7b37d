"""Which of a party's columns are randomised together, and how ε is divided: from the sizes of the columns alone.

Randomised response over the K cells of a block is P = a·I + (1 − a)/K·J with a = (e^ε − 1)/(e^ε + K − 1), and over some
of its columns alone it is the same with the same a and fewer cells. Its inverse has the squared norm 1 + (k − 1)/a², so
in a table of n rows that are spread evenly the un-mixed counts of k cells have the summed variance

    n·(v − 1),   v = (1 + (k − 1)/a²)/k  for columns of one block,   v = v₁·v₂  for columns of two blocks.

v − 1 says how many times the noise of drawing n rows at random is added to a table, whatever its size. What is made
small is the geometric mean of v over all pairs of columns in the study, pairs being what a network is learnt from: to
halve the noise of a pair is worth the same whichever it is. The logarithm of a pair across two parties is the sum of a
part of each, so a party need not know how the others randomise: only with how many columns `abroad` each of these is
paired, such as (L − 1)·m where there are L parties of m columns.

One block has a small a if K is large, which each of its columns pays for in every pair with another party's; two blocks
share ε and their v multiply. Which counts for more depends on the sizes, on ε and on those. Nothing else is looked at,
so the choice reveals nothing.

The search starts from blocks of about equal size, as many as turn out best, and goes on while a merge of two blocks or
a move of one column helps; ε is divided for each grouping that it tries.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Floats: TypeAlias = npt.NDArray[np.float64]
Blocks: TypeAlias = tuple[tuple[int, ...], ...]
MAX_CELLS = 4096
"""Cells that a block has at most, unless told otherwise."""
_ROUNDS = 60  # of dividing ε; each comes nearer by more than half
_STEPS = 100  # of the search
_TRIED = 1500  # groupings in one step of it: enough for all of 40 columns
_MANY = 100  # columns from which steps are not worth their time


@dataclass(frozen=True)
class Grouping:
    """Blocks of columns, by position, what each may spend of ε, and the mean of v that this comes to."""

    blocks: Blocks
    epsilons: tuple[float, ...]
    noise: float


def best_grouping(
    sizes: Sequence[int],
    epsilon: float,
    *,
    max_cells: int = MAX_CELLS,
    fixed: Sequence[Sequence[int]] = (),
    separate: bool = False,
    abroad: int = 0,
) -> Grouping:
    """Blocks and their ε, from sizes and ε alone. Blocks that are `fixed` stay as they are.

    >>> best_grouping([2, 2, 3], 3.0).blocks
    ((0, 1, 2),)
    >>> best_grouping([2, 2, 3], 3.0, separate=True).blocks
    ((0,), (1,), (2,))
    """
    search = _Search(tuple(sizes), epsilon, max_cells, tuple(tuple(block) for block in fixed), abroad)
    found = search.best([search.apart]) if separate else search.run()
    return _in_column_order(found, search)


def _in_column_order(found: Grouping, search: _Search) -> Grouping:
    """The same sizes of blocks, with columns of one size handed out in their order: neighbours come together."""
    stock = {size: [column for column in search.free if search.sizes[column] == size] for size in search.sizes}
    blocks = [
        block if block in search.fixed else tuple(sorted(stock[search.sizes[column]].pop(0) for column in block))
        for block in found.blocks
    ]
    order = sorted(range(len(blocks)), key=lambda i: min(blocks[i]))
    return Grouping(tuple(blocks[i] for i in order), tuple(found.epsilons[i] for i in order), found.noise)


@dataclass(frozen=True)
class _Search:
    sizes: tuple[int, ...]
    epsilon: float
    max_cells: int
    fixed: Blocks
    abroad: int

    @property
    def free(self) -> list[int]:
        held = {column for block in self.fixed for column in block}
        return [column for column in range(len(self.sizes)) if column not in held]

    @property
    def apart(self) -> Blocks:
        return (*self.fixed, *((column,) for column in self.free))

    def run(self) -> Grouping:
        """From blocks of about equal size, by merges and moves, to where none of them helps."""
        counts = sorted({round(c) for c in np.geomspace(1, len(self.free), _MANY)}) if self.free else []
        found = self.best([self.apart, *filter(None, map(self.balanced, counts))])
        seen = {self._kind(found.blocks)}
        for _ in range(_STEPS if len(self.free) <= _MANY else 0):
            tried = []
            for blocks in self._neighbours(found.blocks):
                kind = self._kind(blocks)
                if kind not in seen:  # columns of the same size are as good as each other
                    seen.add(kind)
                    tried.append(blocks)
                if len(tried) == _TRIED:
                    break
            better = self.best(tried) if tried else found
            if better.noise >= found.noise:
                break
            found = better
        return found

    def balanced(self, count: int) -> Blocks | None:
        """The free columns in `count` blocks: the largest first, each to the block with the fewest cells."""
        blocks: list[list[int]] = [[] for _ in range(count)]
        for column in sorted(self.free, key=lambda c: (-self.sizes[c], c)):
            min(blocks, key=self._cells).append(column)
        if max(map(self._cells, blocks)) > self.max_cells and any(len(block) > 1 for block in blocks):
            return None
        return (*self.fixed, *(tuple(sorted(block)) for block in blocks))

    def best(self, groupings: Sequence[Blocks]) -> Grouping:
        """Of these, the one with the least noise, with its ε."""
        parts = _Parts.of(self.sizes, groupings, self.abroad)
        shares = divide(parts, self.epsilon)
        noise = noise_of(parts, shares)
        i = int(np.argmin(noise))
        return Grouping(groupings[i], tuple(shares[i, : len(groupings[i])].tolist()), float(noise[i]))

    def _neighbours(self, blocks: Blocks) -> Iterator[Blocks]:
        """Groupings by one merge or one move from this one."""
        loose = [block for block in blocks if block not in self.fixed]
        for one, two in combinations(loose, 2):
            if self._cells((*one, *two)) <= self.max_cells:
                yield self._changed(blocks, (one, two), (*one, *two))
        for one in loose:
            for column in one if len(one) > 1 else ():
                rest = tuple(c for c in one if c != column)
                yield self._changed(blocks, (one,), rest, (column,))
                for two in loose:
                    if two is not one and self._cells((*two, column)) <= self.max_cells:
                        yield self._changed(blocks, (one, two), rest, (*two, column))

    @staticmethod
    def _changed(blocks: Blocks, old: Blocks, *new: tuple[int, ...]) -> Blocks:
        return (*(block for block in blocks if block not in old), *(tuple(sorted(block)) for block in new))

    def _cells(self, block: Sequence[int]) -> int:
        return prod(self.sizes[column] for column in block)

    def _kind(self, blocks: Blocks) -> tuple[tuple[int, ...], ...]:
        return tuple(sorted(tuple(sorted(self.sizes[column] for column in block)) for block in blocks))


@dataclass(frozen=True)
class _Parts:
    """Several groupings side by side, a row each, with blocks of one cell to fill up; along the last axis their terms.

    A term stands for the columns of a block that have `values` each, or for pairs of its columns that have as many
    together; `weights` says for how many of the study's pairs, of which there are `n_pairs`.
    """

    cells: Floats
    values: Floats
    weights: Floats
    n_pairs: float

    @classmethod
    def of(cls, sizes: Sequence[int], groupings: Sequence[Blocks], abroad: int = 0) -> _Parts:
        terms = {block: _terms(block, sizes, abroad) for blocks in groupings for block in blocks}
        shape = len(groupings), max(map(len, groupings)), max(map(len, terms.values()), default=0)
        cells, values, weights = np.ones(shape[:2]), np.ones(shape), np.zeros(shape)
        for i, blocks in enumerate(groupings):
            for j, block in enumerate(blocks):
                found = terms[block]
                cells[i, j] = prod(sizes[column] for column in block)
                values[i, j, : len(found)], weights[i, j, : len(found)] = list(found), list(found.values())
        at_home = len(sizes) * (len(sizes) - 1) / 2
        return cls(cells, values, weights, max(1, at_home + abroad * len(sizes) / 2))

    def growth(self, epsilons: Floats) -> Floats:
        """1/a² of each block."""
        return (1 + self.cells / np.expm1(epsilons)) ** 2

    def noise(self, growth: Floats) -> Floats:
        """v of each term."""
        return (1 + (self.values - 1) * growth[:, :, None]) / self.values


def _terms(block: Sequence[int], sizes: Sequence[int], abroad: int) -> dict[int, float]:
    """How many pairs v counts for, by the number of values that it belongs to."""
    found: dict[int, float] = {}
    alone = abroad + len(sizes) - len(block) if len(sizes) > 1 or abroad else 1
    for column in block:
        found[sizes[column]] = found.get(sizes[column], 0) + alone
    for one, two in combinations(block, 2):
        values = sizes[one] * sizes[two]
        found[values] = found.get(values, 0) + 1
    return found


def noise_of(parts: _Parts, epsilons: Floats) -> Floats:
    """Of each grouping, the geometric mean of v over pairs of columns; v of the only column of an only party."""
    logs = (parts.weights * np.log(parts.noise(parts.growth(epsilons)))).sum(axis=(1, 2))
    return np.asarray(np.exp(logs / parts.n_pairs))


def divide(parts: _Parts, epsilon: float) -> Floats:
    """ε over the blocks of each grouping so that the mean of log v is smallest; next to nothing for blocks of one cell.

    The derivative by the ε of a block is Σ weight·v′/v over its terms. At the best division all are equal. They fall
    like 1/ε where ε is small and like e^−ε where it is large, so ε·|derivative|^(1/(1 + ε)), made to add up again,
    comes nearer to it in each round.
    """
    active = (parts.weights * (parts.values > 1)).sum(axis=2) > 0
    shares = np.where(active, 1.0, 1e-12)
    shares *= epsilon / shares.sum(axis=1, keepdims=True)
    for _ in range(_ROUNDS if shares.shape[1] > 1 else 0):
        x, growth = np.expm1(shares), parts.growth(shares)
        slopes = (parts.weights * (parts.values - 1) / parts.values / parts.noise(growth)).sum(axis=2)
        steep = (
            np.log(np.where(active, slopes, 1.0)) + np.log(growth) / 2 + np.log(parts.cells) + shares - 2 * np.log(x)
        )
        steep -= np.where(active, steep, -np.inf).max(axis=1, keepdims=True)
        shares = np.where(active, shares * np.exp(steep / (1 + shares)), shares)
        shares *= epsilon / shares.sum(axis=1, keepdims=True)
    return np.asarray(shares)
