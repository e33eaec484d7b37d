"""A junction tree given that some cells are impossible: a tree again, whose cliques hold the rules as well."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from understudy.models._elimination import Scopes, find_order
from understudy.models._inference import Factor, Floats, check_size
from understudy.models._posterior import NoSuchRow
from understudy.models._tree_inference import Forest
from understudy.models._tree_values import CliqueTree, Within
from understudy.models._treefit import FittedTable, TreeFit
from understudy.schema import Zeros


def mixing(zeros: Sequence[Zeros], within: Sequence[Within | None]) -> list[int]:
    """Attributes of which a merged value stands for values that the rules do not treat alike.

    >>> rule = Zeros((0, 1), np.array([[True, True], [False, True], [False, True]]))
    >>> mixing([rule], [Within(np.array([0, 1, 1]), np.array([1.0, 0.5, 0.5])), None])
    []
    >>> mixing([rule], [Within(np.array([0, 0, 1]), np.array([0.5, 0.5, 1.0])), None])
    [0]
    """
    found = set()
    for rule in zeros:
        for axis, a in enumerate(rule.attributes):
            rare = within[a]
            if rare is not None:
                lines = np.moveaxis(rule.possible, axis, 0)
                first = np.unique(rare.codes, return_index=True)[1]
                if (lines != lines[first[rare.codes]]).any():
                    found.add(a)
    return sorted(found)


def merged_zeros(zeros: Sequence[Zeros], within: Sequence[Within | None]) -> list[Zeros]:
    """The same over merged values, each of which stands for values that are alike."""
    found = []
    for rule in zeros:
        possible = rule.possible
        for axis, a in enumerate(rule.attributes):
            rare = within[a]
            if rare is not None:
                possible = possible.take(np.unique(rare.codes, return_index=True)[1], axis=axis)
        found.append(Zeros(rule.attributes, np.array(possible), rule.text))
    return found


def tree_with_zeros(
    tree: CliqueTree, within: Sequence[Within | None], zeros: Sequence[Zeros]
) -> tuple[CliqueTree, list[Within | None]]:
    """The tree given the zeros, and how its values are merged: values that rules tell apart no longer are.

    >>> pair = CliqueTree((2, 2), ((0,), (1,)), (-1, -1), (np.array([0.5, 0.5]), np.array([0.25, 0.75])))
    >>> made, _ = tree_with_zeros(pair, [None, None], [Zeros((0, 1), np.array([[True, False], [True, True]]))])
    >>> made.beliefs[0].tolist()
    [[0.2, 0.0], [0.2, 0.6]]
    """
    left = list(within)
    factors = Forest.of(tree).conditionals()
    sizes = list(tree.sizes)
    for a in mixing(zeros, within):
        rare = left[a]
        if rare is not None:
            factors = _spelt_out(factors, a, rare)
            sizes[a], left[a] = len(rare.codes), None
    rules = merged_zeros(zeros, left)
    _check_tangle(sizes, [factor.variables for factor in factors] + [rule.attributes for rule in rules])
    fit = TreeFit(sizes, total=1.0)
    with np.errstate(divide="ignore"):
        for factor in factors:
            fit.add(_fixed(factor.variables, np.log(factor.values)))
        for rule in rules:
            fit.add(_fixed(rule.attributes, np.where(rule.possible, 0.0, -np.inf)))
    with np.errstate(invalid="ignore"):
        try:
            return fit.to_tree(), left
        except ValueError:
            raise NoSuchRow("no row of the model keeps what the schema declares of rows.") from None


def _fixed(attributes: tuple[int, ...], potentials: Floats) -> FittedTable:
    return FittedTable(attributes, potentials, ridge=0.0, fixed=True, potentials=potentials.reshape(-1))


def _spelt_out(factors: Sequence[Factor], a: int, rare: Within) -> list[Factor]:
    """The factors with an attribute's own values in place of merged ones."""
    found, told = [], False
    for factor in factors:
        if a in factor.variables:
            axis = factor.variables.index(a)
            check_size(factor.values.size // rare.size * len(rare.codes), "keeping what is declared of rows")
            values = factor.values.take(rare.codes, axis=axis)
            if not told:
                values = values * rare.shares.reshape([-1 if i == axis else 1 for i in range(values.ndim)])
            factor, told = Factor(factor.variables, values), True
        found.append(factor)
    return found


def _check_tangle(sizes: Sequence[int], scopes: Sequence[tuple[int, ...]]) -> None:
    """Refuse cliques that are too large, before any is made."""
    named = {a: size for a, size in enumerate(sizes) if size > 1}

    def made() -> Scopes:
        found = Scopes(named)
        for scope in scopes:
            found.add(frozenset(a for a in scope if a in named))
        return found

    check_size(find_order(made, frozenset(), named).largest, "keeping what is declared of rows")
