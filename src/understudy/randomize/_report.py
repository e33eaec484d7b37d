"""The privacy report of plans: what is revealed of a value, a column, a record, and a person whom all parties hold."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError
from understudy._core.numbers import exact_number
from understudy.randomize._exposure import column_amplification, keep_probabilities, worth
from understudy.randomize._odds import epsilon_above, highest_belief, lowest_belief
from understudy.randomize._plan import Block, Plan
from understudy.randomize._warnings import warnings_of

PRIORS = tuple(map(Fraction, ("0.01", "0.05", "0.1", "0.25", "0.5")))


@dataclass(frozen=True, kw_only=True)
class Belief:
    """What a belief can become once a value is published: ρ1, the highest (ρ2*) and the lowest that it can be then."""

    prior: Fraction
    highest: Fraction
    lowest: Fraction

    def to_dict(self) -> dict[str, Any]:
        """As plain numbers; bounds are rounded outwards."""
        return {"prior": float(self.prior), "highest": _up(self.highest), "lowest": -_up(-self.lowest)}


@dataclass(frozen=True, kw_only=True)
class ColumnReport:
    """One column: ε between rows that differ in it alone (None: without bound), and how often a value stays."""

    name: str
    labels: tuple[str, ...]
    epsilon: Fraction | None
    keep: tuple[tuple[Fraction, Fraction], ...] | None

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        kept = None if self.keep is None else [[float(low), float(high)] for low, high in self.keep]
        return {
            "column": self.name,
            **_epsilon(self.epsilon),
            "keep": kept and dict(zip(self.labels, kept, strict=True)),
        }


@dataclass(frozen=True, kw_only=True)
class BlockReport:
    """One block of columns. γ and ε are None where they have no bound; they count only if the block is sensitive."""

    columns: tuple[ColumnReport, ...]
    cells: int
    asked: str
    sensitive: bool
    from_data: bool
    gamma: Fraction | None
    epsilon: Fraction | None
    least_origins: int | None
    keep: tuple[Fraction, Fraction] | None
    """How likely the whole block is published as it is: least and most over its cells."""
    worth: float | None
    """What share of the rows, unrandomised, would tell as much."""
    beliefs: tuple[Belief, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "columns": [column.to_dict() for column in self.columns],
            "cells": self.cells,
            "asked": self.asked,
            "sensitive": self.sensitive,
            "from_data": self.from_data,
            "gamma": "infinite" if self.gamma is None else str(self.gamma),
            **_epsilon(self.epsilon),
            "k_star": self.least_origins,
            "keep": self.keep and [float(bound) for bound in self.keep],
            "worth": self.worth,
            "beliefs": [belief.to_dict() for belief in self.beliefs],
        }


@dataclass(frozen=True, kw_only=True)
class PartyReport:
    """One party's record: its sensitive blocks together."""

    party: str
    fingerprint: str
    blocks: tuple[BlockReport, ...]
    gamma: Fraction | None
    epsilon: Fraction | None
    beliefs: tuple[Belief, ...]

    def to_dict(self) -> dict[str, Any]:
        """As plain values."""
        return {
            "party": self.party,
            "fingerprint": self.fingerprint,
            **_epsilon(self.epsilon),
            "beliefs": [belief.to_dict() for belief in self.beliefs],
            "blocks": [block.to_dict() for block in self.blocks],
        }


@dataclass(frozen=True, kw_only=True)
class PlanReport:
    """All of it: `epsilon` is what a person is exposed to whose row all these parties hold; None is without bound."""

    parties: tuple[PartyReport, ...]
    gamma: Fraction | None
    epsilon: Fraction | None
    beliefs: tuple[Belief, ...]
    warnings: tuple[str, ...]

    @property
    def columns(self) -> dict[str, Fraction | None]:
        """ε of each sensitive column."""
        return {
            column.name: column.epsilon
            for party in self.parties
            for block in party.blocks
            if block.sensitive
            for column in block.columns
        }

    def __str__(self) -> str:
        return "\n".join(_lines(self))

    def to_dict(self) -> dict[str, Any]:
        """As plain values: exact fractions as texts, decimals rounded up."""
        return {
            **_epsilon(self.epsilon),
            "beliefs": [belief.to_dict() for belief in self.beliefs],
            "parties": [party.to_dict() for party in self.parties],
            "warnings": list(self.warnings),
        }


def report(*plans: Plan | str | Path, priors: Sequence[Any] = PRIORS) -> PlanReport:
    """What plans reveal, worst case, exact: tested against enumeration over all pairs of records and outputs.

    Plans may be given by their files. For each block γ (by how much a published value may change the odds between two
    true ones), ε = ln γ rounded up, and for each prior belief ρ1 the highest, ρ2*, and the lowest that it can become.
    Blocks are drawn independently, so ε adds up over a record, and over the parties that hold the same person.

    >>> from understudy.randomize import plan
    >>> schema = {"name": "hospital", "fields": [{"name": "smoking", "type": "boolean"}]}
    >>> found = report(plan(schema, p="0.25"))
    >>> found.gamma, str(found.parties[0].blocks[0].beliefs[2].highest)
    (Fraction(3, 1), '1/4')
    >>> print(found)  # doctest: +ELLIPSIS
    hospital, the whole record: ε ≤ 1.0987, γ ≤ 3
      smoking: ε ≤ 1.0987, γ ≤ 3, K* = 2, kept 75 %
    What a belief can become at most (ρ1 → ρ2*): 1 % → 2.95 %, 5 % → 13.7 %, 10 % → 25 %, 25 % → 50 %, 50 % → 75 %
    - That a person is in the table at all is visible...
    """
    if not plans:
        raise OptionError("there is no plan to report on. Give at least one.")
    loaded = [plan if isinstance(plan, Plan) else Plan.load(plan) for plan in plans]
    beliefs_of = _Beliefs(tuple(_prior(prior) for prior in priors))
    seen: dict[str, str] = {}
    for plan in loaded:
        for name in plan.schema.names:
            if name in seen:
                raise OptionError(
                    f"column '{name}' is in two plans, of {seen[name]} and of {plan.party}. A column is randomised "
                    "once, by one party: leave it out of the other (--columns), or rename one of them."
                )
            seen[name] = plan.party
    parties = tuple(_party(plan, beliefs_of) for plan in loaded)
    gamma = _product([party.gamma for party in parties])
    return PlanReport(
        parties=parties,
        gamma=gamma,
        epsilon=_sum([party.epsilon for party in parties]),
        beliefs=beliefs_of(gamma),
        warnings=warnings_of(loaded),
    )


@dataclass(frozen=True)
class _Beliefs:
    priors: tuple[Fraction, ...]

    def __call__(self, gamma: Fraction | None) -> tuple[Belief, ...]:
        return tuple(
            Belief(prior=prior, highest=highest_belief(prior, gamma), lowest=lowest_belief(prior, gamma))
            for prior in self.priors
        )


def _party(plan: Plan, beliefs_of: _Beliefs) -> PartyReport:
    blocks = tuple(_block(plan, block, beliefs_of) for block in plan.blocks)
    counted = [block for block in blocks if block.sensitive]
    gamma = _product([block.gamma for block in counted])
    return PartyReport(
        party=plan.party,
        fingerprint=plan.fingerprint,
        blocks=blocks,
        gamma=gamma,
        epsilon=_sum([block.epsilon for block in counted]),
        beliefs=beliefs_of(gamma),
    )


def _block(plan: Plan, block: Block, beliefs_of: _Beliefs) -> BlockReport:
    # a matrix worked out from the table is itself a figure of the table, published without noise: no bound holds
    bounded = block.matrix is not None and not block.from_data
    gamma = block.matrix.amplification if block.matrix is not None and bounded else None
    columns = tuple(
        ColumnReport(
            name=name,
            labels=plan.schema[name].labels,
            epsilon=epsilon_above(column_amplification(block, name)) if bounded else None,
            keep=keep_probabilities(block, name),
        )
        for name in block.columns
    )
    return BlockReport(
        columns=columns,
        cells=block.cells,
        asked=block.asked,
        sensitive=block.sensitive,
        from_data=block.from_data,
        gamma=gamma,
        epsilon=epsilon_above(gamma),
        least_origins=None if block.matrix is None else block.matrix.least_origins,
        keep=None if block.matrix is None else block.matrix.kept,
        worth=worth(block),
        beliefs=beliefs_of(gamma),
    )


def _product(factors: Sequence[Fraction | None]) -> Fraction | None:
    found = Fraction(1)
    for factor in factors:
        if factor is None:
            return None
        found *= factor
    return found


def _sum(terms: Sequence[Fraction | None]) -> Fraction | None:
    known = [term for term in terms if term is not None]
    return sum(known, Fraction(0)) if len(known) == len(terms) else None


def _prior(given: Any) -> Fraction:
    try:
        prior = exact_number(given)
    except ValueError:
        prior = Fraction(-1)
    if not 0 < prior < 1:
        raise OptionError(f"a prior is a probability above 0 and below 1. Got {str(given)[:40]!r} instead.")
    return prior


def _lines(found: PlanReport) -> list[str]:
    """For reading: the sum first, where there is one, then parties and their blocks, beliefs, and warnings."""
    lines = []
    if len(found.parties) > 1:
        lines.append(f"One person, all {len(found.parties)} parties: {_bounds(found.epsilon, found.gamma)}")
    for party in found.parties:
        lines.append(f"{party.party}, the whole record: {_bounds(party.epsilon, party.gamma)}")
        for block in party.blocks:
            bounds = _bounds(block.epsilon, block.gamma) if block.sensitive else "public, no part of ε"
            origins = "" if block.least_origins is None else f", K* = {block.least_origins:,}"
            kept = "" if block.keep is None else f", kept {'–'.join(_shares(*block.keep))} %"
            lines.append(f"  {', '.join(column.name for column in block.columns)}: {bounds}{origins}{kept}")
    beliefs = (f"{float(100 * one.prior):g} % → {_decimal(100 * one.highest, 3)} %" for one in found.beliefs)
    lines.append(f"What a belief can become at most (ρ1 → ρ2*): {', '.join(beliefs)}")
    return [*lines, *(f"- {warning}" for warning in found.warnings)]


def _bounds(epsilon: Fraction | None, gamma: Fraction | None) -> str:
    return "ε = ∞" if epsilon is None or gamma is None else f"ε ≤ {_decimal(epsilon, 5)}, γ ≤ {_decimal(gamma, 5)}"


def _shares(low: Fraction, high: Fraction) -> list[str]:
    return [_share(share) for share in ((low,) if low == high else (low, high))]


def _share(share: Fraction) -> str:
    """In per cent; 100 only for what is always so."""
    return ">99.9" if Fraction("0.9995") <= share < 1 else f"{100 * float(share):.3g}"


def _decimal(number: Fraction, digits: int) -> str:
    """So many digits, rounded up: what is shown is never better than what holds."""
    rounded = Context(prec=digits, rounding=ROUND_CEILING).divide(
        Decimal(number.numerator), Decimal(number.denominator)
    )
    return f"{rounded:f}" if rounded < 10**digits else f"{rounded:,.0f}"


def _epsilon(epsilon: Fraction | None) -> dict[str, Any]:
    if epsilon is None:
        return {"epsilon": "infinite", "epsilon_decimal": None}
    return {"epsilon": str(epsilon), "epsilon_decimal": _up(epsilon)}


def _up(number: Fraction) -> float:
    """The double at or above it."""
    near = float(number)
    return near if Fraction(near) >= number else math.nextafter(near, math.inf)
