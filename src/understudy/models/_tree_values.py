"""The values that a junction tree is made of: its cliques with their beliefs, merged values, and what was measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from math import isfinite, prod

import numpy as np

from understudy.models._inference import MAX_CELLS, Floats, Ints
from understudy.models._reading import MAX_AXES
from understudy.schema import Domain

TOLERANCE = 1e-6
"""How far sums of probabilities may be from 1, and neighbouring cliques from each other."""


@dataclass(frozen=True, eq=False)
class CliqueTree:
    """A distribution as the product of clique marginals, divided by what neighbouring cliques share.

    `sizes` are those of the attributes, merged values counted once. A clique lists attributes in rising order; its
    belief is its marginal distribution, one axis each. `parents[c]` is the clique that clique c hangs on, always an
    earlier one, or −1: several trees side by side are independent of each other. What a clique shares with all
    earlier ones lies in its parent (the running intersection).

    >>> edge = np.array([[0.4, 0.1], [0.1, 0.4]])
    >>> tree = CliqueTree((2, 2, 2), ((0, 1), (1, 2)), (-1, 0), (edge, edge))
    >>> tree.separators
    ((), (1,))
    """

    sizes: tuple[int, ...]
    cliques: tuple[tuple[int, ...], ...]
    parents: tuple[int, ...]
    beliefs: tuple[Floats, ...]

    def __post_init__(self) -> None:
        check_shape(self.sizes, self.cliques, self.parents)
        if len(self.beliefs) != len(self.cliques):
            raise ValueError(f"{len(self.cliques)} cliques need as many beliefs, got {len(self.beliefs)}")
        beliefs = []
        for clique, given in zip(self.cliques, self.beliefs, strict=True):
            belief = np.array(given, dtype=np.float64)
            if belief.shape != (shape := self.shape(clique)):
                raise ValueError(f"the belief of clique {clique} needs shape {shape}, got {belief.shape}")
            if not (belief >= 0).all() or not abs(float(belief.sum()) - 1) <= TOLERANCE:
                raise ValueError(f"the belief of clique {clique} must be non-negative and sum to 1")
            belief.setflags(write=False)
            beliefs.append(belief)
        object.__setattr__(self, "beliefs", tuple(beliefs))
        self._check_calibrated()

    @cached_property
    def separators(self) -> tuple[tuple[int, ...], ...]:
        """What each clique shares with its parent, in rising order."""
        held = [frozenset(clique) for clique in self.cliques]
        return tuple(
            tuple(a for a in clique if parent >= 0 and a in held[parent])
            for clique, parent in zip(self.cliques, self.parents, strict=True)
        )

    def shape(self, attributes: Sequence[int]) -> tuple[int, ...]:
        """The sizes of some attributes."""
        return tuple(self.sizes[a] for a in attributes)

    def column(self, attribute: int) -> Floats:
        """The probabilities of one attribute.

        >>> CliqueTree((2, 2), ((0, 1),), (-1,), (np.array([[0.4, 0.1], [0.2, 0.3]]),)).column(1).round(3).tolist()
        [0.6, 0.4]
        """
        home = next(c for c, clique in enumerate(self.cliques) if attribute in clique)
        return _summed(self.cliques[home], self.beliefs[home], (attribute,))

    def _check_calibrated(self) -> None:
        for c, (parent, shared) in enumerate(zip(self.parents, self.separators, strict=True)):
            if not shared:
                continue
            above, below = (_summed(self.cliques[i], self.beliefs[i], shared) for i in (parent, c))
            if not np.allclose(above, below, rtol=0.0, atol=TOLERANCE):
                raise ValueError(f"cliques {self.cliques[parent]} and {self.cliques[c]} disagree on what they share")


def _summed(clique: Sequence[int], belief: Floats, kept: Sequence[int]) -> Floats:
    return np.asarray(belief.sum(axis=tuple(i for i, a in enumerate(clique) if a not in kept)))


def check_shape(sizes: Sequence[int], cliques: Sequence[Sequence[int]], parents: Sequence[int]) -> None:
    """Refuse what is no junction tree over attributes of these sizes, before any table is looked at.

    >>> check_shape((2, 2, 2), ((0, 1), (2,), (1, 2)), (-1, -1, 0))
    Traceback (most recent call last):
    ValueError: clique (1, 2) shares attributes with earlier cliques that its parent does not hold
    """
    if any(size < 1 for size in sizes):
        raise ValueError("every attribute needs at least one value")
    if len(parents) != len(cliques):
        raise ValueError(f"{len(cliques)} cliques need as many parents, got {len(parents)}")
    seen: set[int] = set()
    for number, (clique, parent) in enumerate(zip(cliques, parents, strict=True)):
        shown = tuple(clique)
        if not clique or any(a >= b for a, b in pairwise(clique)):
            raise ValueError(f"clique {shown} must list attributes in rising order, each once, and at least one")
        if clique[0] < 0 or clique[-1] >= len(sizes):
            raise ValueError(f"clique {shown} names attributes that are not there")
        if len(clique) >= MAX_AXES or prod(sizes[a] for a in clique) > MAX_CELLS:
            raise ValueError(f"clique {shown} has more than {MAX_AXES} attributes or {MAX_CELLS:,} cells")
        if not -1 <= parent < number:
            raise ValueError(f"clique {shown}: its parent must come before it; −1 is none")
        if not seen.intersection(clique) <= (set(cliques[parent]) if parent >= 0 else set()):
            raise ValueError(f"clique {shown} shares attributes with earlier cliques that its parent does not hold")
        seen.update(clique)
    if len(seen) != len(sizes):
        raise ValueError("every attribute must be in a clique")


@dataclass(frozen=True, eq=False)
class Within:
    """Leaf values that share merged codes: `codes[leaf]` is the merged code, `shares[leaf]` its part of that.

    Given its merged code, a leaf value is independent of everything else. Shares sum to 1 for each merged code.

    >>> rare = Within(np.array([0, 1, 1]), np.array([1.0, 0.25, 0.75]))
    >>> rare.size, rare.merged(np.array([0.5, 0.4, 0.8])).round(3).tolist()
    (2, [0.5, 0.7])
    """

    codes: Ints
    shares: Floats

    def __post_init__(self) -> None:
        codes, shares = np.array(self.codes, dtype=np.int64), np.array(self.shares, dtype=np.float64)
        if codes.ndim != 1 or not codes.size or shares.shape != codes.shape:
            raise ValueError("merged values need one code and one share for each leaf value")
        if codes.min() < 0 or codes.max() >= codes.size or len(np.unique(codes)) != codes.max() + 1:
            raise ValueError("merged codes must be all from 0 to their number minus one")
        totals = np.bincount(codes, weights=shares)
        if not (shares >= 0).all() or not np.allclose(totals, 1.0, rtol=0.0, atol=TOLERANCE):
            raise ValueError("the shares of the values that are merged must be non-negative and sum to 1")
        for name, array in (("codes", codes), ("shares", shares)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def size(self) -> int:
        """Number of merged codes."""
        return int(self.codes.max()) + 1

    def merged(self, weights: Floats) -> Floats:
        """Weights of leaf values as the mean weight of each merged code."""
        return np.asarray(np.bincount(self.codes, weights=self.shares * weights), dtype=np.float64)

    def given(self, weights: Floats) -> Within:
        """The same after leaf values were weighed; shares of a merged code that lost all its weight stay."""
        weighed = self.shares * weights
        top = np.zeros(self.size)
        np.maximum.at(top, self.codes, weighed)
        # by the largest of each merged code first, so that weights near the smallest of doubles still sum to 1
        scaled = np.divide(weighed, top[self.codes], out=self.shares.copy(), where=top[self.codes] > 0)
        shares = scaled / np.bincount(self.codes, weights=scaled)[self.codes]
        return Within(self.codes, shares)


@dataclass(frozen=True, eq=False, kw_only=True)
class TreeMeasurement:
    """A noisy table that a tree was fitted to, over merged values.

    Its values are rows, and so is its noise, where rows are weighed as well: the model's `n` counts parts of them then.

    `variance` is that of the noise in a cell; with `interaction` the main effects and the total were removed from the
    table, and it is the noise's variance before that.

    >>> TreeMeasurement(marginal=(0,), values=np.array([3.0, 1.0]), variance=2.0, interaction=False).values.sum()
    np.float64(4.0)
    """

    marginal: tuple[int, ...]
    values: Floats
    variance: float
    interaction: bool

    def __post_init__(self) -> None:
        values = np.array(self.values, dtype=np.float64)
        if values.ndim != len(self.marginal) or len(set(self.marginal)) != len(self.marginal):
            raise ValueError("a measured table has one axis for each attribute, each of them once")
        if not np.isfinite(values).all() or not isfinite(self.variance) or self.variance < 0:
            raise ValueError("a measured table has finite values, and a variance from 0 on")
        values.setflags(write=False)
        object.__setattr__(self, "values", values)


def rows_measured(n: int, measurements: Sequence[TreeMeasurement]) -> float:
    """The number of rows that measured tables are about, where `n` may count rows in parts.

    Each row has one value in a column, so the table of a column tells how many there were.

    >>> column = TreeMeasurement(marginal=(0,), values=np.array([62.0, 38.0]), variance=2.0, interaction=False)
    >>> rows_measured(101, [column]), rows_measured(6000, [column])
    (101.0, 100.0)
    """
    held = [float(m.values.sum()) for m in measurements if len(m.marginal) == 1 and not m.interaction]
    rows = float(np.median(held)) if held else 0.0
    return n / max(round(n / rows), 1) if rows > 0 else float(n)


def settle_within(given: Sequence[Within | None], domain: Domain) -> tuple[Within | None, ...]:
    """How the values of each attribute are merged, checked; None where nothing is.

    >>> from understudy.schema import Attribute
    >>> settle_within([Within(np.array([0, 1]), np.ones(2))], Domain((Attribute(name="sex", size=2),)))
    (None,)
    """
    given = tuple(given) or (None,) * len(domain)
    if len(given) != len(domain):
        raise ValueError(f"{len(domain)} attributes need merged values or None for each")
    # where nothing is merged there is nothing to spell out
    within = tuple(None if w is not None and w.size == len(w.codes) and _plain(w) else w for w in given)
    for attribute, rare in zip(domain, within, strict=True):
        if rare is not None and (len(rare.codes) != attribute.size or rare.size == attribute.size):
            raise ValueError(f"'{attribute.name}': {attribute.size} values cannot be merged as given")
    return within


def merged_sizes(within: Sequence[Within | None], domain: Domain) -> tuple[int, ...]:
    """The number of values of each attribute, merged ones counted once."""
    return tuple(a.size if rare is None else rare.size for a, rare in zip(domain, within, strict=True))


def check_measurements(measurements: Sequence[TreeMeasurement], sizes: Sequence[int]) -> None:
    """Refuse measured tables that are none of attributes of these sizes."""
    for measured in measurements:
        if not all(0 <= a < len(sizes) for a in measured.marginal):
            raise ValueError("a measured table names attributes that are not there")
        if measured.values.shape != tuple(sizes[a] for a in measured.marginal):
            raise ValueError("a measured table must have the sizes of the model's attributes")


def _plain(rare: Within) -> bool:
    return bool((rare.codes == np.arange(len(rare.codes))).all())
