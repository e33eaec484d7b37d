"""The order in which to sum variables out, found on scopes alone, before any table is made.

Two kinds of things tie variables together. A *scope* is the set of variables of one table. A *link* says that a
coarse variable is a function of a fine one (a group of its codes). A link is never made into a table: summing out
the fine variable adds up its codes group by group, and removing the coarse one reads it off the fine one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from math import prod
from typing import TypeAlias

Scope: TypeAlias = frozenset[int]

_EASY = 1 << 16
_HOPELESS = 1 << 40


@dataclass(frozen=True, slots=True)
class Plan:
    """An order of elimination and the largest table it makes, in cells; cut short once that is beyond hope."""

    order: tuple[int, ...]
    largest: int


@dataclass
class Scopes:
    """Scopes and links as elimination changes them."""

    sizes: Mapping[int, int]
    scopes: dict[int, Scope] = field(default_factory=dict)
    holders: dict[int, set[int]] = field(default_factory=dict)
    finer: dict[int, int] = field(default_factory=dict)
    coarser: dict[int, list[int]] = field(default_factory=dict)
    _next: int = 0

    def add(self, scope: Scope) -> None:
        """One more table."""
        self.scopes[self._next] = scope
        for variable in scope:
            self.holders.setdefault(variable, set()).add(self._next)
        self._next += 1

    def link(self, fine: int, coarse: int) -> None:
        """`coarse` is a function of `fine`."""
        self.finer[coarse] = fine
        self.coarser.setdefault(fine, []).append(coarse)

    def cells(self, scope: Iterable[int]) -> int:
        """Number of cells of a table with this scope."""
        return prod(self.sizes[v] for v in scope)

    def touched(self, variable: int) -> list[Scope]:
        """Scopes that hold the variable."""
        return [self.scopes[i] for i in sorted(self.holders.get(variable, ()))]

    def outcome(self, variable: int) -> tuple[int, list[Scope]]:
        """Largest table made by eliminating the variable, and the scopes that replace those it was in."""
        touched = self.touched(variable)
        if variable in self.finer:
            replaced = [scope - {variable} | {self.finer[variable]} for scope in touched]
            return max(map(self.cells, replaced), default=0), replaced
        groups = self.coarser.get(variable, [])
        rest = frozenset().union(*touched) - {variable}
        product = self.cells(rest.difference(groups)) * self.sizes[variable]
        result = rest.union(groups)
        return max(product, self.cells(result)), [result]

    def eliminate(self, variable: int) -> set[int]:
        """Replace the scopes; returns the variables whose own outcome may have changed."""
        _, replacements = self.outcome(variable)
        changed: set[int] = set().union(*replacements) if replacements else set()
        for i in sorted(self.holders.pop(variable, ())):
            for other in self.scopes.pop(i):
                if other != variable:
                    self.holders[other].discard(i)
        for scope in replacements:
            self.add(scope)
        groups = self.coarser.pop(variable, [])
        fine = self.finer.pop(variable, None)
        if fine is not None:
            self.coarser[fine].remove(variable)
            changed.add(fine)
        for coarse in groups:
            del self.finer[coarse]
            if fine is not None:
                self.link(fine, coarse)
        changed.update(groups)
        return changed


def find_order(make: Callable[[], Scopes], keep: Scope, variables: Iterable[int]) -> Plan:
    """The better of two greedy orders: smallest next table, and least fill-in.

    >>> def chain() -> Scopes:
    ...     scopes = Scopes({0: 2, 1: 9, 2: 3})
    ...     scopes.add(frozenset({0, 1}))
    ...     scopes.add(frozenset({1, 2}))
    ...     return scopes
    >>> find_order(chain, frozenset({2}), range(3))
    Plan(order=(0, 1), largest=27)
    """
    wanted = sorted(set(variables) - keep)
    plan = _greedy(make(), keep, wanted, _weight)
    if plan.largest <= _EASY:
        return plan
    return min(plan, _greedy(make(), keep, wanted, _fill), key=lambda p: p.largest)


def _greedy(
    scopes: Scopes, keep: Scope, wanted: list[int], price: Callable[[Scopes, int, int, list[Scope]], int]
) -> Plan:
    largest = scopes.cells(keep)
    prices: dict[int, tuple[int, int, int]] = {}
    stale = set(wanted)
    left = set(wanted)
    order = []
    while left:
        for variable in stale & left:
            cells, replaced = scopes.outcome(variable)
            prices[variable] = (price(scopes, variable, cells, replaced), cells, variable)
        _, cells, chosen = min(prices.values())
        largest = max(largest, cells)
        if largest > _HOPELESS:
            break
        order.append(chosen)
        left.discard(chosen)
        del prices[chosen]
        changed = scopes.eliminate(chosen)
        # a variable's fill-in also depends on which of its neighbours have met, hence the second ring
        stale = changed.union(*(scope for v in changed for scope in scopes.touched(v)))
    return Plan(tuple(order), largest)


def _weight(scopes: Scopes, variable: int, cells: int, replaced: list[Scope]) -> int:
    return cells


def _fill(scopes: Scopes, variable: int, cells: int, replaced: list[Scope]) -> int:
    """Cells of the pairs that would meet for the first time."""
    total = 0
    for scope in replaced:
        for a, b in combinations(sorted(scope), 2):
            if scopes.holders.get(a, set()).isdisjoint(scopes.holders.get(b, set())):
                total += scopes.sizes[a] * scopes.sizes[b]
    return total
