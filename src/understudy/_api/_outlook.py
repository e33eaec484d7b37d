"""What each ε of a list would give, and in words what would help: from public quantities alone."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from understudy._api._settings import budget_of
from understudy._core.errors import UserError
from understudy._core.numbers import exact_number
from understudy.methods import STRENGTHS, Method, Outlook, Plan, outlook_of
from understudy.numbers import VALUE_BY_VALUE, expected_schema, numbers_share, terms_without_numbers
from understudy.privacy import PrivacyTerms
from understudy.schema import Domain, Schema

ASSUMED = (
    "Noise is known. What is not is supposed: that values are as unevenly frequent as in tables at hand, and columns "
    "as strongly related: {typical:.0%} of what their values allow on average over pairs; from {weak:.0%} to "
    "{strong:.0%} in brackets. Tables with rare values only (baskets, codes) may lie outside."
).format(**STRENGTHS)

_TRIED_EPSILONS = (0.25, 0.5, 1, 1.5, 2, 3, 4, 5, 7, 10)
_MOST_ROWS = 10_000_000


def dry_run(method: Method, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
    """What a method would do with n rows under these terms; refuses what could not run."""
    method.check(domain, terms)
    # weighed rows are counted in parts and get as much more noise: the same in rows, and what a plan speaks of is rows
    return method.plan(domain, n, replace(terms, unit=replace(terms.unit, bounding="drop")))


@dataclass(frozen=True, kw_only=True)
class Planned:
    """All that is public of a run to be: what a dry run at any ε, of any number of rows, starts from.

    Its bins are those expected at `bins_at`, if that is the larger ε: errors in more bins are larger, so those of
    several ε can be compared only in the same.
    """

    method: Method
    schema: Schema
    terms: PrivacyTerms
    n: int
    bins_at: PrivacyTerms | None = None

    def at(self, epsilon: object) -> Planned:
        """The same at another ε."""
        return replace(self, terms=replace(self.terms, budget=budget_of(epsilon, self.terms.budget.delta)))

    def without(self, number: int) -> Planned:
        """The same without so many columns: those of most values go first."""
        sizes = self.domain
        gone = set(sorted(range(len(sizes)), key=lambda a: -sizes[a].size)[:number])
        written = {**self.schema.to_dict()}
        written.pop("dependencies", None)
        written["fields"] = [field for a, field in enumerate(written["fields"]) if a not in gone]
        return replace(self, schema=Schema.from_dict(written))

    @cached_property
    def domain(self) -> Domain:
        """The columns as the method will see them: with as many bins as are to be expected where they are found."""
        at = self.terms
        if self.bins_at is not None and self.bins_at.budget.epsilon > at.budget.epsilon:
            at = self.bins_at
        return expected_schema(self.schema, self.n, at).domain

    @property
    def left(self) -> PrivacyTerms:
        """What is left for the method once bins are found."""
        return terms_without_numbers(self.schema, self.terms)

    def dry_run(self) -> Plan:
        """What the method would do; refuses what could not run."""
        found = dry_run(self.method, self.domain, self.n, self.left)
        share = float(numbers_share(self.schema))
        if not share:
            return found
        rest = {name: part * (1 - share) for name, part in found.shares.items()}
        return replace(found, shares={VALUE_BY_VALUE: share, **rest})

    def outlook(self) -> Outlook:
        """What to expect."""
        found = self.dry_run()
        even = frozenset(i for i, field in enumerate(self.schema.fields) if field.automatic)
        sizes = [attribute.size for attribute in self.domain]
        return replace(outlook_of(sizes, self.n, found.measures, self.terms.budget, even=even), seconds=found.seconds)


def outlooks(planned: Planned, epsilons: Sequence[object]) -> tuple[Outlook, ...]:
    """What to expect at each ε in the same bins, with a sentence each; seconds are of as many as a run would find."""
    lines = []
    for own, compared in zip(map(planned.at, epsilons), in_same_bins(planned, epsilons), strict=True):
        found = compared.outlook()
        seconds = found.seconds if compared.domain == own.domain else own.dry_run().seconds
        lines.append(replace(found, words=_words(found, compared), seconds=seconds))
    return tuple(lines)


def in_same_bins(planned: Planned, epsilons: Sequence[object]) -> list[Planned]:
    """A run at each ε in the bins expected at the largest, in which errors can be compared."""
    largest = _largest(planned, epsilons).terms
    return [replace(planned.at(epsilon), bins_at=largest) for epsilon in epsilons]


def same_bins(planned: Planned, epsilons: Sequence[object]) -> tuple[str, ...]:
    """What to say where the bins that are expected differ between the ε of a list."""
    largest = _largest(planned, epsilons)
    if all(planned.at(epsilon).domain == largest.domain for epsilon in epsilons):
        return ()
    return (
        f"Errors at every ε are foretold in the bins that are expected at ε = {float(largest.terms.budget.epsilon):g}, "
        "so that they can be compared; at a smaller ε fewer bins are found.",
    )


def _largest(planned: Planned, epsilons: Sequence[object]) -> Planned:
    return planned.at(max(epsilons, key=exact_number))


def _words(one: Outlook, planned: Planned) -> str:
    at = f"At ε = {one.epsilon:g}"
    if one.column_error is None:
        return f"{at} nothing can be foretold of this method's tables."
    if one.relations == "unknown":
        return f"{at} columns will be off by {one.column_error:.3f}; there are no two that could be related."
    if one.relations == "survive":
        return f"{at} relations survive: pairs will be {_part(one)} as far off as independent columns."
    start = f"{at} relations will not survive" if one.relations == "lost" else f"{at} relations survive in part"
    ways = _ways_out(planned)
    if not ways:
        return f"{start}, and neither more rows nor fewer columns nor a larger ε would help: choose another method."
    return f"{start}. For them to survive: {', or '.join(ways)}."


def _part(one: Outlook) -> str:
    part = (one.pair_error or 0.0) / (one.independent_error or 1.0)
    return "less than a tenth" if part < 0.1 else f"{part:.0%}"


def _ways_out(planned: Planned) -> list[str]:
    """What would make relations survive, each by itself: rows, fewer columns, a larger ε."""
    ways = []
    rows = _least(lambda k: replace(planned, n=round(planned.n * 2 ** (k / 2))), 20)
    if rows is not None and (more := planned.n * 2 ** (rows / 2)) <= _MOST_ROWS:
        ways.append(f"{_round_up(more):,} rows")
    columns = len(planned.schema.fields)
    fewer = _least(planned.without, columns - 2)
    if fewer is not None:
        ways.append(f"{fewer} column{'s' * (fewer != 1)} fewer")
    larger = [epsilon for epsilon in _TRIED_EPSILONS if epsilon > planned.terms.budget.epsilon]
    place = _least(lambda k: planned.at(larger[k - 1]), len(larger))
    if place is not None:
        ways.append(f"ε = {larger[place - 1]:g}")
    return ways


def _least(changed: Callable[[int], Planned], most: int) -> int | None:
    """The least change, from 1 to the most, with which relations survive; None if none will do."""
    low, high = 0, most
    if most < 1 or not _survives(changed(most)):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _survives(changed(middle)) else (middle, high)
    return high


def _survives(planned: Planned) -> bool:
    try:
        return planned.outlook().relations == "survive"
    except UserError:  # what could not run
        return False


def _round_up(number: float) -> int:
    """To two digits, as forecasts are no better.

    >>> _round_up(20_317.2), _round_up(99.5)
    (21000, 100)
    """
    digits = int(10 ** max(len(str(int(number))) - 2, 0))
    return -int(-number // digits) * digits
