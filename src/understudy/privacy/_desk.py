"""What all of a curator's questions need: the rows, the purse, and the way to pay and to add noise."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal, TypeAlias

import numpy as np

from understudy.counting import Counter
from understudy.privacy._budget import Budget, PureBudget
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise
from understudy.privacy._protection import Factors, Step, View
from understudy.privacy._purse import Purse, Touch
from understudy.privacy._scoring import Scorer
from understudy.privacy._table_noise import table_noise
from understudy.privacy._values import Charge, Counts, NoiseLevel, noise_levels

Exact: TypeAlias = Literal["all", "selection", "tables"]
ANY_ROWS = 1 << 62  # under add/remove a bound on scores must hold for every number of rows up to this


class Desk:
    """The inside of a curator. Only its questions are for others."""

    neighbours: Neighbours
    exact: Exact | None
    noise: Noise
    _counter: Counter
    _scorer: Scorer
    _purse: Purse
    _view: View

    @property
    def budget(self) -> Budget:
        """What the whole run may spend."""
        return self._purse.budget

    def _level(self, step: Exact, *, share: Fraction, sensitivity: Fraction | None) -> NoiseLevel:
        if self.exact in ("all", step):
            return NoiseLevel(kind="none", scale=Fraction(0))
        return table_noise(self.budget, self.neighbours, share, moved=sensitivity)

    def _add_noise(self, counts: Counts, level: NoiseLevel, factors: tuple[Factors, ...] = ()) -> Counts:
        if level.kind == "none":
            return counts.astype(np.int64, copy=True)
        add = self.noise.laplace if level.kind == "laplace" else self.noise.gaussian
        if not factors:
            return add(counts, level.scale)
        noisy = np.empty(counts.shape, dtype=np.int64)
        for cells, one in noise_levels(counts.shape, factors, level):
            noisy[cells] = add(counts[cells], one.scale)
        return noisy

    def _pay(
        self,
        mechanism: str,
        *,
        what: str,
        share: Fraction,
        sensitivity: Fraction,
        exact: bool = False,
        n_tables: int = 0,
        n_candidates: int = 0,
        noise: NoiseLevel | None = None,
        rate: Fraction | None = None,
        touches: Sequence[Touch] = (),
        steps: Sequence[Step | None] = (),
    ) -> None:
        pure = isinstance(self.budget, PureBudget)
        self._purse.pay(
            Charge(
                what=what,
                mechanism=mechanism,
                share=share,
                epsilon=share * self.budget.epsilon if pure and not exact else None,
                rho=None if isinstance(self.budget, PureBudget) or exact else share * self.budget.rho,
                n_tables=n_tables,
                n_candidates=n_candidates,
                noise=noise,
                rate=rate,
                sensitivity=sensitivity,
            ),
            touches,
            steps,
        )


def table_mechanism(level: NoiseLevel) -> str:
    """What adds this noise, as the privacy statement calls it."""
    return {"laplace": "discrete Laplace", "gaussian": "discrete Gaussian", "none": "exact counts"}[level.kind]
