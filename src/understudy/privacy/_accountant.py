"""What a run has spent, and what it has promised about changes of single attributes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from threading import Lock

from understudy._core.errors import BudgetExceeded, InternalError, OptionError
from understudy.privacy._protection import Step
from understudy.privacy._values import Charge

Touch = tuple[frozenset[int], Fraction]
"""Attributes that a step looks at, and the share of the budget it takes."""


class Accountant:
    """Keeps account of one run, in shares of its budget; shared by all recoded views of one table."""

    def __init__(self) -> None:
        self.spent = Fraction(0)
        self.charges: list[Charge] = []
        self.steps: list[Step | None] = []
        self.promises: list[Touch] = []
        self._kept: list[Fraction] = []
        self._lock = Lock()

    def promise(self, attributes: Iterable[int], share: Fraction) -> None:
        """From now on, steps that look at any of these attributes take at most this share in all."""
        if not 0 < share <= 1:
            raise OptionError(f"a promised share must lie above 0 and be at most 1. Got {share} instead.")
        held = frozenset(attributes)
        with self._lock:  # or a step of another thread could be booked without it
            if self.charges:
                raise InternalError("A promise must be made before anything is measured.")
            self.promises.append((held, share))
            self._kept.append(share)

    def check(self, what: str, share: Fraction, touches: Sequence[Touch] = ()) -> None:
        """Refuse a step before it looks at any data."""
        if not isinstance(share, Fraction | int):
            raise OptionError(f"{what}: a share must be an exact Fraction. Got {share!r} instead.")
        if share <= 0:
            raise OptionError(f"{what}: a share must be above 0. Got {share} instead.")
        if self.spent + share > 1:
            raise BudgetExceeded(
                f"{what} asks for {share} of the run's budget, but {1 - self.spent} of it is left. "
                f"Give it {1 - self.spent} or less."
            )
        for (attributes, _), left, taken in zip(self.promises, self._kept, self._taken(touches), strict=True):
            if taken > left:
                raise BudgetExceeded(
                    f"{what} asks for {taken} of the run's budget with {len(attributes)} of the attributes that were "
                    f"promised less, but {left} of that is left."
                )

    def pay(self, charge: Charge, touches: Sequence[Touch] = (), steps: Sequence[Step | None] = ()) -> None:
        """Book a step. Called before its noise is drawn, so that a step cut short is paid for."""
        with self._lock:  # or two threads could both find room for one step
            self.check(charge.what, charge.share, touches)
            self.spent += charge.share
            self._kept = [left - taken for left, taken in zip(self._kept, self._taken(touches), strict=True)]
            self.charges.append(charge)
            self.steps.extend(steps)

    def note(self, charge: Charge) -> None:
        """List a step that has no price."""
        with self._lock:
            self.charges.append(charge)
            self.steps.append(None)

    def _taken(self, touches: Sequence[Touch]) -> list[Fraction]:
        """What the promises lose by a step."""
        return [
            sum((share for seen, share in touches if not seen.isdisjoint(attributes)), Fraction(0))
            for attributes, _ in self.promises
        ]
