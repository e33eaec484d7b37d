"""K2: parents one at a time, the best first, among the columns that come before in an order."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

from understudy.randomize._judge import Candidate, Judge, Weighed

Parents: TypeAlias = dict[int, tuple[int, ...]]
Allowed: TypeAlias = Callable[[int, int], bool]
Progress: TypeAlias = Callable[[str, int, int], None]


@dataclass
class Found:
    """What a search found, and what it looked at."""

    order: tuple[int, ...]
    parents: Parents
    taken: list[Weighed] = field(default_factory=list)
    """The links that were accepted, in the order of the search."""
    dropped: int = 0
    """Links that others made superfluous."""
    considered: int = 0
    too_large: int = 0

    @property
    def links(self) -> set[tuple[int, int]]:
        """All pairs of a parent and a child."""
        return {(parent, child) for child, parents in self.parents.items() for parent in parents}


def search_k2(
    judge: Judge,
    order: Sequence[int],
    *,
    max_parents: int,
    allowed: Allowed | None = None,
    prune: bool = True,
    progress: Progress | None = None,
) -> Found:
    """Parents for each column among those before it in the order.

    All columns are searched in step, so that the candidates of a step are counted in one pass over the rows. With
    `prune` a parent that the others have made superfluous is dropped again; K2 itself never drops one.

    Args:
        judge: weighs the candidates.
        order: all columns.
        max_parents: how many parents a column may have.
        allowed: whether a link between two columns may be considered at all.
        prune: whether parents are dropped again.
        progress: called with a stage, how much of it is done, and how much there is.
    """
    found = Found(tuple(order), dict.fromkeys(order, ()))
    before = {child: order[:place] for place, child in enumerate(order)}
    active = [child for child in order if before[child]]
    seen: dict[int, set[tuple[int, ...]]] = {child: {()} for child in order}
    for step in range(2 * max_parents):
        if progress is not None:
            progress("looking for links", step, 2 * max_parents)
        wanted = {
            child: [
                Candidate(child, link, found.parents[child])
                for link in before[child]
                if link not in found.parents[child] and (allowed is None or allowed(child, link))
            ]
            for child in active
            if len(found.parents[child]) < max_parents
        }
        added = _add_best(judge, wanted, found)
        if prune:
            _drop(judge, [child for child in added if len(found.parents[child]) > 1], found)
        active = [child for child in added if found.parents[child] not in seen[child]]
        for child in active:
            seen[child].add(found.parents[child])
        if not active:
            break
    found.considered = len(judge.known)
    found.too_large = sum(weighed.too_large for weighed in judge.known.values())
    return found


def _add_best(judge: Judge, wanted: Mapping[int, Sequence[Candidate]], found: Found) -> list[int]:
    judge.weigh([candidate for candidates in wanted.values() for candidate in candidates])
    added = []
    for child, candidates in wanted.items():
        weighed = judge.weigh(candidates)
        best = max((one for one in weighed if one.excess > 0), key=lambda one: one.worth, default=None)
        if best is not None:
            found.parents[child] = tuple(sorted((*found.parents[child], best.candidate.link)))
            found.taken.append(best)
            added.append(child)
    return added


def _drop(judge: Judge, children: Sequence[int], found: Found) -> None:
    """Of each child the weakest parent, as long as it would not be taken given the others."""
    while children:
        without = {child: _each_given_the_others(child, found.parents[child]) for child in children}
        judge.weigh([candidate for candidates in without.values() for candidate in candidates])
        changed = []
        for child, candidates in without.items():
            weakest = min(judge.weigh(candidates), key=lambda one: one.excess)
            if weakest.excess <= 0:
                found.parents[child] = weakest.candidate.parents
                found.dropped += 1
                if len(weakest.candidate.parents) > 1:
                    changed.append(child)
        children = changed


def _each_given_the_others(child: int, parents: tuple[int, ...]) -> list[Candidate]:
    return [Candidate(child, link, tuple(p for p in parents if p != link)) for link in parents]
