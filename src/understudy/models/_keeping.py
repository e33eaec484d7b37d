"""What is declared of rows, kept by whatever model draws them or answers for them.

Some fits know the rules and give impossible cells no weight; then there is nothing to do here. Else the model's
distribution is conditioned: rules are tables of zeros and ones that its own tables are multiplied by, exactly. Alone,
that would move columns about: of two independent columns of which the one is missing exactly where the other is below
14, rows that agree by chance are left, and a fifth of the rows becomes a twentieth. So the columns of rules get weights
as well, code by code, that bring them back to what they were in the model: of all distributions that keep the rules it
is about the nearest one that agrees with the model on these columns (iterative proportional fitting).

A map that is declared and not known is read off the model, the most frequent combinations first. Rules too large for a
table are kept by drawing rows again that break them.

All of it follows from the released model and the schema, so it costs nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, Self

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Streams
from understudy.models._inference import Floats, TooLarge
from understudy.models._posterior import Evidence, NoSuchRow, check_evidence, refuse_impossible
from understudy.models._redrawing import rows_that_keep
from understudy.models._sampling import Column
from understudy.models._uncertainty import Estimate
from understudy.schema import Check, Domain, FollowsFrom, Mapped, Marginal, Zeros

_SWEEPS = 12
_NEAR = 1e-4  # of all rows in other cells than they should be: columns are as they were
_BETTER = 0.9  # what a sweep must bring the largest distance down to, to be worth another
_LEAST = 1e-9  # of weights, the largest of which is 1
_NO_ROW = "the model gives no weight to any row that keeps what the schema declares of rows."


class Conditioned(Protocol):
    """A model that can take zeros in."""

    @property
    def domain(self) -> Domain: ...

    def with_zeros(self, zeros: Sequence[Zeros]) -> Self:
        """The same distribution without rules of its own, given that no row is in an impossible cell.

        Raises TooLarge if that takes tables that are too large, NoSuchRow if no row is left.
        """
        ...

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate: ...

    def sample_codes(
        self,
        n: int,
        *,
        streams: Streams,
        evidence: Evidence | None = None,
        independent: bool = False,
        batch_rows: int = 1,
    ) -> Iterator[list[Column]]: ...


@dataclass(frozen=True, eq=False)
class Kept:
    """A model that keeps its domain's rules: `zeroed` under evidence `leaning`, rows held against `checks`."""

    zeroed: Conditioned
    leaning: Mapping[int, Floats]
    checks: tuple[Check, ...]

    def marginal(self, marginal: Marginal, evidence: Evidence | None, *, errors: bool) -> Estimate:
        """The probabilities of a marginal, given evidence."""
        given = check_evidence(evidence, self.zeroed.domain)
        try:
            return self.zeroed.marginal(marginal, evidence=self._leant(given), errors=errors)
        except NoSuchRow:
            raise self._impossible(given) from None

    def sample_codes(
        self, n: int, *, streams: Streams, evidence: Evidence | None, independent: bool, batch_rows: int
    ) -> Iterator[list[Column]]:
        """Batches of columns of codes."""
        given = check_evidence(evidence, self.zeroed.domain)
        leant = self._leant(given)

        def draw(rows: int, source: Streams) -> Iterator[list[Column]]:
            return self.zeroed.sample_codes(
                rows, streams=source, evidence=leant, independent=independent, batch_rows=batch_rows
            )

        try:
            yield from rows_that_keep(draw, n, self.checks, streams=streams, batch_rows=batch_rows)
        except NoSuchRow:
            raise self._impossible(given) from None

    def _leant(self, given: Mapping[int, Floats]) -> dict[int, Floats] | None:
        both = dict(self.leaning)
        for a, weights in given.items():
            met = weights * self.leaning.get(a, 1.0)
            # codes that only rounding keeps apart from none
            both[a] = np.where(weights > 0, np.maximum(met, _LEAST * _LEAST), 0.0)
        return both or None

    def _impossible(self, given: Evidence) -> NoSuchRow:
        domain = self.zeroed.domain
        if given:
            return refuse_impossible(domain, given)
        return NoSuchRow(_NO_ROW)


def keep_rules(model: Conditioned) -> Kept:
    """The model with its domain's rules kept."""
    try:
        return _keep_rules(model)
    except NoSuchRow:
        raise NoSuchRow(_NO_ROW) from None


def _keep_rules(model: Conditioned) -> Kept:
    rules = model.domain.rules
    plain = model.with_zeros(())
    zeros = [rule for rule in rules if isinstance(rule, Zeros) and not _is_kept(plain, rule)]
    checks: list[Check] = [rule for rule in rules if not isinstance(rule, Zeros | FollowsFrom)]
    zeroed, taken, beyond = _conditioned(model, plain, zeros)
    for rule in (rule for rule in rules if isinstance(rule, FollowsFrom)):
        learnt = _map_of(zeroed, rule, checks)
        if learnt is None:
            continue
        try:
            zeroed = model.with_zeros((*taken, learnt))
            taken.append(learnt)
        except TooLarge:
            beyond.append(learnt)
    return Kept(zeroed, _leaning(plain, zeroed, taken) if taken else {}, (*checks, *beyond))


def _conditioned(
    model: Conditioned, plain: Conditioned, zeros: Sequence[Zeros]
) -> tuple[Conditioned, list[Zeros], list[Zeros]]:
    """The model with as many of the zeros as it can take in, those, and the others."""
    if not zeros:
        return plain, [], []
    try:
        return model.with_zeros(zeros), list(zeros), []
    except TooLarge:
        pass
    zeroed = plain
    taken: list[Zeros] = []
    beyond: list[Zeros] = []
    for rule in sorted(zeros, key=lambda rule: rule.possible.size):
        try:
            zeroed = model.with_zeros((*taken, rule))
            taken.append(rule)
        except TooLarge:
            beyond.append(rule)
    return zeroed, taken, beyond


def _is_kept(plain: Conditioned, rule: Zeros) -> bool:
    try:
        found = plain.marginal(Marginal.of(*rule.attributes), errors=False).probabilities
    except TooLarge:
        return False
    return not found[~rule.possible].any()


def _map_of(model: Conditioned, rule: FollowsFrom, checks: Sequence[Check]) -> Zeros | None:
    """Impossible cells by the map that the model speaks for; None if it has one already, or none can be made out."""
    sizes = [model.domain[a].size for a in (*rule.by, rule.attribute)]
    try:
        found = model.marginal(Marginal.of(*rule.by, rule.attribute), errors=False).probabilities
    except TooLarge:
        return None
    if ((found > 0).sum(axis=-1) <= 1).all():
        return None
    columns: dict[int, npt.NDArray[np.int64]] = dict(
        zip((*rule.by, rule.attribute), np.indices(sizes, sparse=True), strict=True)
    )
    for check in checks:
        if set(check.scope) <= set(rule.scope):
            lines = [columns.get(a, np.zeros((), dtype=np.int64)) for a in range(len(model.domain))]
            left = np.where(check.broken(lines), 0.0, found)
            found = left if left.any() else found
    told = spread_map(found.reshape(-1, sizes[-1])).reshape(sizes[:-1])
    return Mapped(rule.by, rule.attribute, sizes[-1], told, rule.text).to_zeros()


def spread_map(table: Floats) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """For each line of a table of probabilities one of its cells: what speaks for it, and keeps columns as they are.

    Lines are taken by their weight. A cell is the likelier the more often it comes with its line than in all, and the
    more of its column is not taken by lines before; so lines that tell nothing share columns out as they are.

    >>> spread_map(np.array([[0.3, 0.0], [0.1, 0.1], [0.1, 0.4]])).tolist()
    [0, 0, 1]
    >>> spread_map(np.outer([0.5, 0.3, 0.2], [0.5, 0.5])).tolist()
    [0, 1, 1]
    """
    found = np.full(len(table), -1, dtype=np.int64)
    columns = table.sum(axis=0)
    left = columns.copy()
    least = float(columns.sum()) * 1e-12
    with np.errstate(divide="ignore", invalid="ignore"):
        for line in np.argsort(-table.sum(axis=1), kind="stable").tolist():
            cells = table[line]
            if not cells.any():
                continue
            score = np.log(cells / columns) + np.log(np.maximum(left, least))
            found[line] = int(np.where(cells > 0, score, -np.inf).argmax())
            left[found[line]] -= cells.sum()
    return found


def _leaning(plain: Conditioned, zeroed: Conditioned, zeros: Sequence[Zeros]) -> dict[int, Floats]:
    """Weights of codes that bring the columns of rules near to what they are in the model without."""
    attributes = sorted({a for rule in zeros for a in rule.attributes} - _settled(zeros))
    wanted = {a: plain.marginal(Marginal.of(a), errors=False).probabilities for a in attributes}
    found: dict[int, Floats] = {}
    far = np.inf
    for _ in range(_SWEEPS):
        off = 0.0
        for a in attributes:
            now = zeroed.marginal(Marginal.of(a), evidence=found or None, errors=False).probabilities
            off = max(off, float(np.abs(now - wanted[a]).sum()) / 2)
            ratio = np.divide(wanted[a], now, out=np.ones_like(now), where=(now > 0) & (wanted[a] > 0))
            weights = found.get(a, np.ones_like(now)) * ratio
            found[a] = np.maximum(weights / weights.max(), _LEAST)
        if off < _NEAR or off > _BETTER * far:
            break
        far = off
    return found


def _settled(zeros: Sequence[Zeros]) -> set[int]:
    """Attributes that others tell: what these are, they are."""
    found: set[int] = set()
    for rule in zeros:
        told = [
            axis
            for axis in range(rule.possible.ndim)
            if rule.possible.sum(axis=axis).max() <= 1 and rule.attributes[axis] not in found
        ]
        # of a one-to-one map, the smaller side is told by the other
        if told and not any(a in found for a in rule.attributes):
            found.add(rule.attributes[min(told, key=lambda axis: rule.possible.shape[axis])])
    return found
