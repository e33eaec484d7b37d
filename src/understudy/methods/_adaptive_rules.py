"""What the schema declares of rows, kept by every row: cells that are impossible, and columns that follow from others.

Which cells are impossible is public where a schema says so, and costs nothing. That a column follows from others is
public as well, but not how: so the table of these columns is measured, and the map that fits it best is kept from then
on. Made of what was given out, it costs no more than the table.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import prod

import numpy as np
import numpy.typing as npt

from understudy.models import FittedTable, TreeFit, adjacency, cells_with
from understudy.privacy import Curator, PrivacyTerms, TablesTogether
from understudy.schema import Domain, FollowsFrom, Marginal, Rule, Zeros

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

LEAST_SHARE, MOST_SHARE, MOST_FOR_MAPS = (Fraction(part, 100) for part in (2, 10, 20))
"""For a table that shows how a column follows from others, and for all such tables together."""

_STANDS_OUT = 20  # standard deviations of noise that a row of that table has on average: rare ones have far less


@dataclass(frozen=True, eq=False)
class Rules:
    """The rules that a fit keeps, and those for which there is no room: they are kept as rows are drawn."""

    kept: tuple[Rule, ...]
    left: tuple[Rule, ...]
    maps: tuple[FollowsFrom, ...]
    """Those kept that have to be learnt."""

    def described(self) -> dict[str, object]:
        """What the fit keeps, and what is left to the drawing of rows, for the statement."""
        kept = dict.fromkeys(text for rule in self.kept for text in rule.text.split("; "))
        left = dict.fromkeys(text for rule in self.left for text in rule.text.split("; ") if text not in kept)
        found = {"kept by the fit": kept, "kept as rows are drawn": left}
        return {words: "; ".join(texts) for words, texts in found.items() if texts}


def rules_within(domain: Domain, max_cells: int, *, learn: bool) -> Rules:
    """The declared rules that leave cliques within the cap, the smallest first; from public values alone.

    `learn`: whether there is any budget for relations. Without it no map is learnt.

    >>> from understudy.schema import Attribute
    >>> zeros = Zeros((0, 1), np.tri(9, dtype=np.bool_), "b ≤ a")
    >>> domain = Domain((Attribute(name="a", size=9), Attribute(name="b", size=9)), (zeros,))
    >>> [rule.text for rule in rules_within(domain, 100, learn=True).kept]
    ['b ≤ a']
    >>> rules_within(domain, 80, learn=True).described()
    {'kept as rows are drawn': 'b ≤ a'}
    """
    sizes = [attribute.size for attribute in domain]
    maps = [rule for rule in domain.rules if isinstance(rule, FollowsFrom) and sizes[rule.attribute] > 1]
    kept: list[Rule] = [rule for rule in domain.rules if isinstance(rule, FollowsFrom) and rule not in maps]
    scopes: list[tuple[int, ...]] = []
    for rule in sorted(domain.rules, key=lambda rule: prod(sizes[a] for a in rule.scope)):
        if (isinstance(rule, Zeros) or (learn and rule in maps)) and _fits(sizes, [*scopes, rule.scope], max_cells):
            kept.append(rule)
            scopes.append(rule.scope)
    found, left = ([rule for rule in domain.rules if (rule in kept) == held] for held in (True, False))
    return Rules(tuple(found), tuple(left), tuple(rule for rule in maps if rule in kept))


def _fits(sizes: Sequence[int], scopes: Sequence[tuple[int, ...]], limit: int) -> bool:
    """Whether the cliques that hold these tables keep within the limit."""
    if prod(sizes[a] for a in scopes[-1]) > limit:
        return False
    involved = sorted({a for scope in scopes for a in scope})
    place = {a: i for i, a in enumerate(involved)}
    near = adjacency(len(involved), [tuple(place[a] for a in scope) for scope in scopes])
    logs = np.log(np.array([sizes[a] for a in involved], dtype=np.float64))
    first, second = (np.array([place[scopes[-1][side]]]) for side in (0, 1))
    singles = sum(sizes[a] for a in involved)  # summed out one by one, cliques inside others count as well
    return math.isfinite(cells_with(near, logs, first, second, float(limit + singles))[0])


def map_share(combinations: int, maps: int, total: float, terms: PrivacyTerms) -> Fraction:
    """What learning one of several maps gets: enough for the mean combination of what it follows from to stand out.

    >>> from understudy.privacy import make_budget
    >>> [float(map_share(k, 1, 20_000, PrivacyTerms(budget=make_budget(3, "1e-9")))) for k in (2, 60, 2000)]
    [0.02, 0.0275, 0.1]
    """
    wanted = max(total, 1.0) / max(combinations, 1) / _STANDS_OUT
    ratio = math.sqrt(terms.table_noise(Fraction(1)).variance) / terms.unit.parts / wanted
    share = round(min(1.0, ratio if terms.budget.pure else ratio**2), 4)
    return min(max(Fraction(str(share)), LEAST_SHARE), MOST_SHARE, MOST_FOR_MAPS / max(maps, 1))


def learn_zeros(
    curator: Curator, rules: Rules, total: float, counts: Callable[[int], Floats] | None = None
) -> list[Zeros]:
    """All cells that are impossible: as declared, and by the maps that fit measured tables best.

    `total` is the number of rows as far as it is known. `counts` has what is known of single columns; else it is read
    off the tables themselves.
    """
    sizes = [attribute.size for attribute in curator.domain]
    zeros = [rule for rule in rules.kept if isinstance(rule, Zeros)]
    for rule in rules.maps:
        wanted = map_share(prod(sizes[a] for a in rule.by), len(rules.maps), total, curator.terms)
        share = min(wanted, curator.share_left)
        [noisy] = curator.ask(
            TablesTogether(marginals=[Marginal.of(*rule.by, rule.attribute)], what="which value follows"), share=share
        )
        parts = curator.terms.unit.parts
        table = (noisy.counts / parts).reshape(-1, sizes[rule.attribute])
        by = counts(rule.by[0]) if counts is not None and len(rule.by) == 1 else table.sum(axis=1)
        of = counts(rule.attribute) if counts is not None else table.sum(axis=0)
        allowed = _supported(sizes, zeros, rule)
        zeros.append(_as_zeros(rule, sizes, likely_map(table, noisy.noise.variance / parts**2, by, of, allowed)))
    return zeros


def likely_map(table: Floats, variance: float, by: Floats, of: Floats, allowed: Flags) -> Ints:
    """For each row of a noisy table in which only one cell has counts, that cell: about the most probable one.

    What a row tells weighs the more the larger its count, known as `by`. Rows that tell little go where counts of
    columns, known as `of`, are not explained yet by larger rows.

    >>> noisy = np.array([[90.0, 3.0], [-4.0, 55.0], [1.0, 2.0]])
    >>> likely_map(noisy, 25.0, np.array([92.0, 50.0, 5.0]), np.array([97.0, 50.0]), np.ones((3, 2), bool)).tolist()
    [0, 1, 0]
    """
    found = np.zeros(len(table), dtype=np.int64)
    left = np.array(of, dtype=np.float64)
    least = max(math.sqrt(variance), 1e-9) / 10
    for row in np.argsort(-by, kind="stable").tolist():
        count = max(float(by[row]), 0.0)
        told = count * table[row] / variance if variance > 0 else table[row] * 1e9
        told = told + np.log(np.maximum(left, least))
        if allowed[row].any():
            told = np.where(allowed[row], told, -np.inf)
        found[row] = int(told.argmax())
        left[found[row]] -= count
    return found


def _as_zeros(rule: FollowsFrom, sizes: Sequence[int], follows: Ints) -> Zeros:
    axes = (*rule.by, rule.attribute)
    possible = np.zeros((len(follows), sizes[rule.attribute]), dtype=np.bool_)
    possible[np.arange(len(follows)), follows] = True
    table = possible.reshape([sizes[a] for a in axes]).transpose([axes.index(a) for a in rule.scope])
    return Zeros(rule.scope, np.ascontiguousarray(table), rule.text)


def _supported(sizes: Sequence[int], zeros: Sequence[Zeros], rule: FollowsFrom) -> Flags:
    """Which cells some row has that keeps the rules so far: one line for each combination that the attribute follows.

    A map within them leaves every combination that was possible, so maps never contradict each other altogether.
    """
    involved = {a for one in zeros for a in one.attributes}.union(rule.scope)
    fit = TreeFit([size if a in involved else 1 for a, size in enumerate(sizes)], total=1.0)
    for scope in [*((a,) for a in range(len(sizes))), rule.scope]:
        fit.add(FittedTable(scope, np.ones(fit.shape(scope)), ridge=0.0, fixed=True))
    for table in zero_tables(zeros):
        fit.add(table)
    tree = fit.to_tree()
    home = next(c for c, clique in enumerate(tree.cliques) if set(rule.scope) <= set(clique))
    away = tuple(i for i, a in enumerate(tree.cliques[home]) if a not in rule.scope)
    axes = [rule.scope.index(a) for a in (*rule.by, rule.attribute)]
    return np.asarray(tree.beliefs[home].sum(axis=away).transpose(axes).reshape(-1, sizes[rule.attribute]) > 0)


def zero_tables(zeros: Sequence[Zeros]) -> list[FittedTable]:
    """Impossible cells as tables whose potentials stay as they are.

    >>> [table] = zero_tables([Zeros((0, 1), np.array([[True, False]]))])
    >>> table.potentials.tolist()
    [0.0, -inf]
    """
    return [
        FittedTable(
            one.attributes,
            one.possible.astype(np.float64),
            ridge=0.0,
            fixed=True,
            potentials=np.where(one.possible, 0.0, -np.inf).reshape(-1),
        )
        for one in zeros
    ]


def classes_of(attribute: int, size: int, zeros: Sequence[Zeros]) -> Ints | None:
    """Values that the rules treat alike share a class: only those may be merged. None if no rule is about it.

    >>> even = Zeros((0, 1), np.array([[True, False], [False, True], [True, False]]))
    >>> classes_of(0, 3, [even]).tolist(), classes_of(2, 3, [even])
    ([1, 0, 1], None)
    """
    seen = [
        np.moveaxis(one.possible, one.attributes.index(attribute), 0).reshape(size, -1)
        for one in zeros
        if attribute in one.attributes
    ]
    if not seen:
        return None
    packed = np.packbits(np.concatenate(seen, axis=1), axis=1)
    return np.unique(packed, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def merged_zeros(zeros: Sequence[Zeros], codes: Sequence[Ints | None]) -> list[Zeros]:
    """The same over merged values, where `codes` has them for each attribute: those that share one are alike."""
    found = []
    for one in zeros:
        possible = one.possible
        for axis, a in enumerate(one.attributes):
            merged = codes[a]
            if merged is not None:
                possible = possible.take(np.unique(merged, return_index=True)[1], axis=axis)
        found.append(Zeros(one.attributes, np.array(possible), one.text))
    return found


def settled_pairs(zeros: Sequence[Zeros]) -> set[tuple[int, ...]]:
    """Pairs of which one column tells the other: there is nothing left to measure between them."""
    return {
        one.attributes
        for one in zeros
        if one.possible.ndim == 2 and (one.possible.sum(axis=0).max() <= 1 or one.possible.sum(axis=1).max() <= 1)
    }
