"""What a plan reveals, worked out the slow way: all pairs of true records, all published records, all of the law."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product

from understudy.randomize import Block, Plan

Record = tuple[int, ...]


def records(sizes: Sequence[int]) -> list[Record]:
    return list(product(*(range(size) for size in sizes)))


def law(plan: Plan, true: Record) -> dict[Record, Fraction]:
    """The probability of every published record, column by column of the schema; entries read one by one."""
    names = list(plan.schema.names)
    found: dict[Record, Fraction] = {}
    for published in records([plan.schema[name].size for name in names]):
        chance = Fraction(1)
        for block in plan.blocks:
            positions = [names.index(name) for name in block.columns]
            assert block.matrix is not None
            entry = block.matrix.probability(
                number_of(block, [true[i] for i in positions]), number_of(block, [published[i] for i in positions])
            )
            chance *= entry
        found[published] = chance
    return found


def number_of(block: Block, codes: Sequence[int]) -> int:
    """The cell of a block: the first column counts slowest."""
    cell = 0
    for code, size in zip(codes, block.sizes, strict=True):
        cell = cell * size + code
    return cell


def worst_odds(laws: dict[Record, dict[Record, Fraction]], pairs: Iterator[tuple[Record, Record]]) -> Fraction | None:
    """The largest ratio of probabilities over pairs of true records and published ones; None if one of them is 0."""
    worst = Fraction(1)
    for one, two in pairs:
        for published, chance in laws[one].items():
            if chance and not laws[two][published]:
                return None
            if chance:
                worst = max(worst, chance / laws[two][published])
    return worst


def pairs_that_differ(plan: Plan, columns: Sequence[str]) -> Iterator[tuple[Record, Record]]:
    """Pairs of true records that differ in these columns or some of them, and nowhere else."""
    names = list(plan.schema.names)
    free = {names.index(name) for name in columns}
    every = records([plan.schema[name].size for name in names])
    for one, two in product(every, every):
        changed = {i for i, (a, b) in enumerate(zip(one, two, strict=True)) if a != b}
        if changed and changed <= free:
            yield one, two
