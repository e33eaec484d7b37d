"""How large tables are, how much they share, and what choices may cost: settled before the search begins.

A network of d attributes needs not d tables but T = (bits of all attributes − bits shared) / (bits per table − bits
shared) of them, if each table adds a whole block of attributes. Noise in a cell grows with T. So larger tables that
share less are fewer and less noisy, and tables that share more catch more relations. Which is better depends on how
strongly attributes hang together: one noisy number says so, the mean over attributes of R with their best partner.

Everything here is a function of public values and of that number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, log2, sqrt

from understudy._core.randomness import Rng
from understudy.methods._usefulness import NoiseFor
from understudy.privacy import Budget, Candidate, Strength
from understudy.schema import Axis, Domain

LARGEST_BLOCK = 1 << 16
"""No table has more cells, whatever the budget: conditionals of larger ones make a model file unwieldy."""
STRENGTH_SHARE = Fraction(1, 25)
"""Share of the budget for the strength of relations."""
MOST_PAIRS = 10_000
# What relations cost that no table holds, beside noise of the same size: from measurements, docs/privabn.md.
LOST_RELATION = 1.0
# Bits that a table adds to what it shares, but at least an attribute: from the same measurements.
BLOCK_BITS = 3
# Larger tables are taken if they are expected to be hardly worse. Without choices their noise matters less than it
# seems, since most of their cells are empty and come out so.
NO_WORSE, NO_WORSE_BY_COINS = 1.02, 1.2
# Choices that see less than this part of what they should are left to coins.
LEAST_SEEN = 0.3
# A pair's table is scored only if cells hold this many rows on average: R of a sparser one is mostly chance.
ROWS_PER_CELL = 50


@dataclass(frozen=True, slots=True, kw_only=True)
class BlockShape:
    """Most cells of a table, most cells of what it shares with an earlier one, and the share that choices get.

    >>> BlockShape(cells=32, shared=4, selection_share=Fraction(3, 10), n_tables=16).n_tables
    16
    """

    cells: int
    shared: int
    selection_share: Fraction
    n_tables: int
    """About how many tables there will be."""


def partners(domain: Domain, n: int, coins: Rng) -> list[list[Candidate]]:
    """For each attribute, others that may be its best partner: all of them, or as many as coins draw in a wide table.

    Large ones are seen coarsely: R of a table with few rows per cell is mostly chance.
    """
    varied = [a for a, attribute in enumerate(domain) if attribute.size > 1]
    most = max(1, 2 * MOST_PAIRS // max(len(varied), 1))
    # neighbours on a circle in random order: each pair that is looked at serves both of its attributes
    order = [varied[i] for i in coins.permutation(len(varied)).tolist()]
    reach = min(most // 2, (len(order) - 1) // 2) if most < len(order) - 1 else None
    found, finest = [], {}
    for place, child in enumerate(order):
        others = (
            [a for a in varied if a != child]
            if reach is None
            else [order[(place + step) % len(order)] for step in range(-reach, reach + 1) if step]
        )
        room = max(n // (ROWS_PER_CELL * domain[child].size), 2)
        if room not in finest:
            finest[room] = {a: _finest(domain, a, room) for a in varied}
        seen = finest[room]
        axes = [axis for axis in map(seen.__getitem__, sorted(others)) if axis is not None]
        if axes:
            found.append([Candidate(child, (axis,)) for axis in axes])
    return found


def _finest(domain: Domain, a: int, room: int) -> Axis | None:
    """The attribute at its finest level with at most so many values."""
    levels = range(domain[a].n_levels)
    return next((Axis(a, level) for level in levels if 1 < domain[a].size_at(level) <= room), None)


def surely(strength: Strength, n: int) -> float:
    """The mean R with the best partner, less what noise may have added: between 0 and 1."""
    return min(max(strength.mean - strength.deviation, 0.0) / max(n, 1), 1.0)


def choose_shape(
    domain: Domain,
    n: int,
    budget: Budget,
    strength: float,
    *,
    beta: Fraction,
    theta: Fraction,
    share: Fraction,
    sensitivity: Fraction,
    noise_for: NoiseFor,
) -> BlockShape:
    """The shape of least expected error for relations of this strength, with `share` of the budget left to spend.

    Choices get β of it if relations this strong can be seen at that price, less if they hardly can, and nothing if
    they cannot: then blocks are drawn by coins and share nothing.
    """
    for_choices = _worth(domain, n, budget, strength, beta=beta, share=share, sensitivity=sensitivity)
    shapes = _shapes(domain, for_choices)
    noise = {tables: noise_for((share - for_choices) / tables) for tables in {shape.n_tables for shape in shapes}}
    bits = [log2(a.size) for a in domain if a.size > 1]

    def error(shape: BlockShape) -> float:
        # of a margin that one table gives, and of relations that none holds
        margin = sqrt(noise[shape.n_tables].variance * shape.cells) / 2
        return margin / max(n, 1) + LOST_RELATION * strength * _lost(bits, shape)

    useful = [shape for shape in shapes if shape.cells * theta * noise[shape.n_tables].mean_abs <= n]
    errors = {shape: error(shape) for shape in useful or shapes}
    enough = min(errors.values()) * (NO_WORSE if for_choices else NO_WORSE_BY_COINS)
    return max((shape for shape, expected in errors.items() if expected <= enough), key=lambda shape: shape.cells)


def _worth(
    domain: Domain, n: int, budget: Budget, strength: float, *, beta: Fraction, share: Fraction, sensitivity: Fraction
) -> Fraction:
    """The part of the share that choices get: what they can see is 1/rate records, over n."""
    rounds = len(domain) - 1
    if rounds < 1 or strength <= 0:
        return Fraction(0)
    sees = 1 / (float(budget.rate_for(beta * share / rounds, sensitivity)) * max(n, 1))
    seen = min(1.0, strength / sees)
    # hundredths: a fraction without the noise of a double
    return Fraction(0) if seen < LEAST_SEEN else beta * share * Fraction(ceil(seen * 100), 100)


def _shapes(domain: Domain, for_choices: Fraction) -> list[BlockShape]:
    """Tables of every size, each adding three bits or an attribute to what it shares; or sharing nothing."""
    sizes = [a.size for a in domain if a.size > 1]
    total = sum(log2(size) for size in sizes)
    found = []
    for table_bits in range(1, max(2, min(ceil(total), LARGEST_BLOCK.bit_length() - 1) + 1)):
        fitting = [size for size in sizes if size <= 1 << table_bits]
        bits = sum(log2(size) for size in fitting)
        mean = bits / len(fitting) if fitting else 1.0
        shared_bits = max(table_bits - ceil(max(BLOCK_BITS, mean)), 0) if for_choices else 0
        # values that are no powers of two leave some of a table unused
        added = max(table_bits - (mean - 1) / 2 - shared_bits, 1.0)
        blocks = ceil(max(bits - shared_bits, 1e-9) / added - 1e-9) if fitting else 0
        found.append(
            BlockShape(
                cells=1 << table_bits,
                shared=1 << shared_bits,
                selection_share=for_choices,
                n_tables=max(blocks + len(sizes) - len(fitting), 1),
            )
        )
    return found


def _lost(bits: Sequence[float], shape: BlockShape) -> float:
    """About the part of all pairs of attributes that no table holds, in pairs of bits."""
    total, inside = sum(bits), sum(b for b in bits if b <= log2(shape.cells))
    if total <= 1:
        return 0.0
    table, shared = min(log2(shape.cells), inside), log2(shape.shared)
    pairs = shape.n_tables * (table * (table - 1) - shared * (shared - 1)) + shared * (shared - 1)
    return 1 - min(1.0, max(pairs, 0.0) / (total * (total - 1)))
