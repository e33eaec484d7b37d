"""Exact inference by variable elimination, over tables with integer-named variables. Knows nothing of networks.

Tables are rescaled as they are made and the logarithm of what was taken out is kept, so that long products neither
vanish nor overflow.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from math import inf, log
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import UserError
from understudy.models._elimination import Plan, Scopes, find_order

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

MAX_CELLS = 1 << 26  # 512 MiB of float64


@dataclass(frozen=True, eq=False)
class Factor:
    """A non-negative table with one named variable an axis."""

    variables: tuple[int, ...]
    values: Floats


@dataclass(frozen=True, eq=False)
class Link:
    """The variable `coarse` is `groups[fine]`."""

    fine: int
    coarse: int
    groups: Ints


@dataclass(frozen=True, eq=False)
class Bucket:
    """What was known of a variable when it was summed out.

    Its weight given the others is `factor` (the variable last), restricted to the codes in the groups that the linked
    coarse variables say; or, where `source` is set, it is a function of that variable.
    """

    variable: int
    factor: Factor | None
    links: tuple[Link, ...]
    source: Link | None = None


@dataclass(frozen=True, eq=False)
class Problem:
    """A product of tables and links over variables of the given sizes.

    >>> coin = Factor((0,), np.array([0.25, 0.75]))
    >>> copy = Factor((0, 1), np.array([[0.9, 0.1], [0.2, 0.8]]))
    >>> table, log_total = Problem({0: 2, 1: 2}, (coin, copy)).marginal((1,))
    >>> table.round(3).tolist(), round(log_total, 9)
    ([0.375, 0.625], 0.0)
    """

    sizes: Mapping[int, int]
    factors: tuple[Factor, ...]
    links: tuple[Link, ...] = ()

    def plan(self, keep: Iterable[int]) -> Plan:
        """An order for everything but `keep`."""
        plain = self._without_constants()
        kept = frozenset(v for v in keep if self.sizes[v] > 1)
        return find_order(plain._scopes, kept, plain.sizes)

    def marginal(
        self, keep: Sequence[int], *, what: str = "this query", max_cells: int = MAX_CELLS
    ) -> tuple[Floats, float]:
        """The table over `keep` (axes in that order, summing to 1) and the logarithm of the total weight.

        With no weight at all the table is zero and the logarithm −∞. Refuses, before it computes anything, to make a
        table of more than `max_cells` cells.
        """
        plan = self.plan(keep)
        check_size(plan.largest, what, max_cells)
        state = _State(self._without_constants())
        for variable in plan.order:
            state.eliminate(variable)
        kept = tuple(v for v in keep if self.sizes[v] > 1)
        values = state.product(kept)
        shape = tuple(self.sizes[v] for v in keep)
        total = float(values.sum())
        if total <= 0:
            return np.zeros(shape), -inf
        return (values / total).reshape(shape), state.log_scale + log(total)

    def buckets(self, *, what: str = "this query", max_cells: int = MAX_CELLS) -> tuple[list[Bucket], float]:
        """Every variable's bucket, in order of elimination, and the logarithm of the total weight.

        Drawing the variables in the reverse order, each from its bucket, draws from the joint distribution. Variables
        with one code have no bucket.
        """
        plan = self.plan(())
        check_size(plan.largest, what, max_cells)
        state = _State(self._without_constants())
        buckets = [state.eliminate(variable, record=True) for variable in plan.order]
        total = float(state.product(()))
        return buckets, state.log_scale + log(total) if total > 0 else -inf

    def restricted(self, allowed: Mapping[int, Ints]) -> tuple[Problem, dict[int, Ints]]:
        """The problem with some variables limited to some of their codes, renumbered from 0.

        Also says which codes were left, for these variables and for coarse ones that thereby lost groups. A variable
        with one code left is as good as gone: evidence makes inference easier.
        """
        codes = dict(allowed)
        for _ in self.links:  # links come in any order: as many rounds as the longest chain could need
            for link in self.links:
                used = np.unique(link.groups[codes[link.fine]]) if link.fine in codes else ()
                if 0 < len(used) < self.sizes[link.coarse]:
                    codes[link.coarse] = np.asarray(used)
        factors = []
        for factor in self.factors:
            values = factor.values
            for axis, v in enumerate(factor.variables):
                values = values.take(codes[v], axis=axis) if v in codes else values
            factors.append(Factor(factor.variables, values))
        links = []
        for link in self.links:
            groups = link.groups[codes[link.fine]] if link.fine in codes else link.groups
            groups = np.searchsorted(codes[link.coarse], groups) if link.coarse in codes else groups
            links.append(Link(link.fine, link.coarse, groups))
        sizes = {v: len(codes[v]) if v in codes else size for v, size in self.sizes.items()}
        return Problem(sizes, tuple(factors), tuple(links)), codes

    def _without_constants(self) -> Problem:
        """The same without variables of one code, which would only lengthen shapes."""
        factors = []
        for factor in self.factors:
            axes = [i for i, v in enumerate(factor.variables) if self.sizes[v] > 1]
            values = factor.values.reshape([factor.values.shape[i] for i in axes])
            factors.append(Factor(tuple(factor.variables[i] for i in axes), values))
        links = []
        for link in self.links:
            if self.sizes[link.coarse] > 1 and self.sizes[link.fine] > 1:
                links.append(link)
            elif self.sizes[link.coarse] > 1:
                factors.append(Factor((link.coarse,), np.eye(self.sizes[link.coarse])[link.groups[0]]))
        return Problem({v: size for v, size in self.sizes.items() if size > 1}, tuple(factors), tuple(links))

    def _scopes(self) -> Scopes:
        scopes = Scopes(self.sizes)
        for factor in self.factors:
            scopes.add(frozenset(factor.variables))
        for link in self.links:
            scopes.link(link.fine, link.coarse)
        return scopes


class TooLarge(UserError):
    """A table that inference would need has more cells than are allowed."""


def check_size(cells: int, what: str, max_cells: int = MAX_CELLS) -> None:
    """Refuse what needs a table of more cells than are allowed.

    >>> check_size(20, "the marginal of 'age'", 10)
    Traceback (most recent call last):
    understudy.models._inference.TooLarge: the marginal of 'age' needs a table of at least 20 cells, more than the 10 \
that are allowed. Ask for fewer attributes, coarser levels, or less evidence; or sample rows and count them.
    """
    if cells > max_cells:
        raise TooLarge(
            f"{what} needs a table of at least {cells:,} cells, more than the {max_cells:,} that are allowed. "
            "Ask for fewer attributes, coarser levels, or less evidence; or sample rows and count them."
        )


class _State:
    """Tables and links as elimination changes them."""

    def __init__(self, problem: Problem) -> None:
        self.sizes = problem.sizes
        self.factors = list(problem.factors)
        self.links = list(problem.links)
        self.log_scale = 0.0

    def eliminate(self, variable: int, *, record: bool = False) -> Bucket:
        source = next((link for link in self.links if link.coarse == variable), None)
        if source is not None:
            self._read_off(source)
            return Bucket(variable, None, (), source)
        links = tuple(link for link in self.links if link.fine == variable)
        held = [f for f in self.factors if variable in f.variables] or [
            Factor((variable,), np.ones(self.sizes[variable]))
        ]
        self.factors = [f for f in self.factors if variable not in f.variables]
        self.links = [link for link in self.links if link.fine != variable]
        for link in links:
            held = [_diagonal(factor, link) if link.coarse in factor.variables else factor for factor in held]
        others = tuple(dict.fromkeys(v for factor in held for v in factor.variables if v != variable))
        if not links and not record:
            self._add(Factor(others, _product(held, others)))
            return Bucket(variable, None, ())
        joint = _expand(_product(held, (*others, variable)), (*others, variable), self.sizes)
        self._add(gather(Factor((*others, variable), joint), links, self.sizes))
        return Bucket(variable, Factor((*others, variable), joint) if record else None, links)

    def product(self, keep: tuple[int, ...]) -> Floats:
        """What is left, as one table over `keep`."""
        indicators = []
        for link in self.links:
            table = np.zeros((self.sizes[link.fine], self.sizes[link.coarse]))
            table[np.arange(len(link.groups)), link.groups] = 1.0
            indicators.append(Factor((link.fine, link.coarse), table))
        return _expand(_product([*self.factors, *indicators], keep), keep, self.sizes)

    def _read_off(self, source: Link) -> None:
        """Remove a coarse variable: wherever it occurs, look it up from the fine one."""
        fine, coarse = source.fine, source.coarse
        for i, factor in enumerate(self.factors):
            if coarse not in factor.variables:
                continue
            if fine in factor.variables:
                self.factors[i] = _diagonal(factor, source)
            else:
                values = factor.values.take(source.groups, axis=factor.variables.index(coarse))
                self.factors[i] = Factor(tuple(fine if v == coarse else v for v in factor.variables), values)
        self.links.remove(source)
        for i, link in enumerate(self.links):
            if link.fine == coarse:
                self.links[i] = Link(fine, link.coarse, link.groups[source.groups])

    def _add(self, factor: Factor) -> None:
        scale = float(factor.values.max(initial=0.0))
        if scale > 0:
            self.log_scale += log(scale)
            factor = Factor(factor.variables, factor.values / scale)
        self.factors.append(factor)


def _product(factors: Sequence[Factor], keep: tuple[int, ...]) -> Floats:
    """Product of the tables, summed over all variables but `keep`; axes of `keep` that no table has get length 1."""
    if not factors:
        return np.ones((1,) * len(keep))
    # smallest first: the running product stays small as long as it can
    *rest, last = sorted(factors, key=lambda f: (f.values.size, f.variables))
    return _contract([reduce(_multiply, rest), last] if rest else [last], keep)


def _multiply(a: Factor, b: Factor) -> Factor:
    variables = (*a.variables, *(v for v in b.variables if v not in a.variables))
    return Factor(variables, _aligned(a, variables) * _aligned(b, variables))


def _aligned(factor: Factor, variables: tuple[int, ...]) -> Floats:
    """A view with one axis for each of `variables`, of length 1 where the table has none."""
    position = {v: i for i, v in enumerate(factor.variables)}
    order = [position[v] for v in variables if v in position]
    values = factor.values.transpose(order)
    lengths = iter(values.shape)
    return values.reshape([next(lengths) if v in position else 1 for v in variables])


def _contract(factors: Sequence[Factor], keep: tuple[int, ...]) -> Floats:
    # einsum has 52 letters; local labels suffice, since a table within the limit has at most 26 axes
    labels: dict[int, int] = {}
    operands: list[object] = []
    for factor in factors:
        operands += [factor.values, [labels.setdefault(v, len(labels)) for v in factor.variables]]
    present = [v for v in keep if v in labels]
    operands.append([labels[v] for v in present])
    result: Floats = np.asarray(np.einsum(*operands, optimize=len(factors) > 1))  # type: ignore[call-overload]
    return _aligned(Factor(tuple(present), result), keep)


def _expand(values: Floats, variables: tuple[int, ...], sizes: Mapping[int, int]) -> Floats:
    return np.broadcast_to(values, tuple(sizes[v] for v in variables))


def _diagonal(factor: Factor, link: Link) -> Factor:
    """A table over both ends of a link, read where they agree; the coarse axis goes."""
    fine, coarse = factor.variables.index(link.fine), factor.variables.index(link.coarse)
    values = np.moveaxis(factor.values, (fine, coarse), (0, 1))[np.arange(len(link.groups)), link.groups]
    return Factor((link.fine, *(v for v in factor.variables if v not in (link.fine, link.coarse))), values)


def gather(joint: Factor, links: Sequence[Link], sizes: Mapping[int, int]) -> Factor:
    """Sum a table over its last variable, group by group of every link from it.

    >>> table = Factor((5, 0), np.array([[1.0, 2.0, 4.0]]))
    >>> gather(table, [Link(0, 1, np.array([0, 1, 1]))], {5: 1, 0: 3, 1: 2}).values.tolist()
    [[1.0, 6.0]]
    """
    others = joint.variables[:-1]
    if not links:
        return Factor(others, joint.values.sum(axis=-1))
    shape = tuple(sizes[link.coarse] for link in links)
    code = np.ravel_multi_index(tuple(link.groups for link in links), shape)
    order = np.argsort(code, kind="stable")
    used, starts = np.unique(code[order], return_index=True)
    sums = np.add.reduceat(joint.values.take(order, axis=-1), starts, axis=-1)
    result = np.zeros((*joint.values.shape[:-1], int(np.prod(shape))))
    result[..., used] = sums
    return Factor((*others, *(link.coarse for link in links)), result.reshape(*joint.values.shape[:-1], *shape))
