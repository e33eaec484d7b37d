"""One table of published counts with what is known of its randomisation, and all that can be said of the true one."""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Literal, TypeAlias

import numpy as np

from understudy._core.errors import OptionError, did_you_mean
from understudy.models import project_to_simplex
from understudy.randomize._channel import Channel
from understudy.randomize._covariance import pair_sums
from understudy.randomize._likelihood import most_likely
from understudy.randomize._unmix import Floats, apply_maps

Fit: TypeAlias = Literal["likelihood", "projection"]


@dataclass(frozen=True, eq=False)
class Unmixed:
    """Unbiased counts of a marginal, shaped like it, with the unbiased variance that randomising alone gives each.

    Counts may be negative, and have fractions: rounding or clipping them would make them biased.
    """

    counts: Floats
    variance: Floats
    n: int
    condition: float = 1.0
    """Of the matrix that was inverted: 1 for columns left alone; errors grow with it."""

    @property
    def standard_error(self) -> Floats:
        """Square roots of the variances; an unbiased variance can be below zero, and counts as zero here."""
        return np.sqrt(np.maximum(self.variance, 0.0))


@dataclass(frozen=True, eq=False)
class Published:
    """The published counts of a marginal: one axis for each block that it touches.

    `sizes` are those of the asked axes grouped by block, and `order` says where each axis asked for is among them.
    """

    table: Floats
    channels: tuple[Channel, ...]
    sizes: tuple[int, ...]
    order: tuple[int, ...]
    n: int

    def unmixed(self) -> Unmixed:
        """N̂ = QᵀÑ and (Q∘Q)ᵀÑ − N̂."""
        counts = apply_maps(self.table, [channel.unmixing for channel in self.channels])
        variance = apply_maps(self.table, [channel.squared for channel in self.channels]) - counts
        return Unmixed(self._as_asked(counts), self._as_asked(variance), self.n, self.condition)

    def variance_from(self, variance: float) -> Floats:
        """What independent noise of this variance in each published cell adds to N̂'s: variance·(Q∘Q)ᵀ1."""
        noise = np.full(self.table.shape, variance)
        return self._as_asked(apply_maps(noise, [channel.squared for channel in self.channels]))

    @property
    def condition(self) -> float:
        """The condition number of the transition matrix of what is asked for."""
        return prod(channel.condition for channel in self.channels)

    def fitted(self, how: Fit = "likelihood") -> Floats:
        """Counts without negative ones, with total n: most likely, or nearest to the unbiased ones."""
        if how == "projection":
            counts = apply_maps(self.table, [channel.unmixing for channel in self.channels])
            return self._as_asked(project_to_simplex(counts.ravel(), float(self.n)).reshape(counts.shape))
        if how != "likelihood":
            raise OptionError(
                f"there is no way '{how}' to fit counts. {did_you_mean(how, ['likelihood', 'projection'])}"
            )
        fitted = most_likely(self.table, [channel.forward for channel in self.channels])
        for axis, channel in enumerate(self.channels):
            fitted = channel.finish(fitted, axis)
        return self._as_asked(fitted)

    def covariance(self, *, sampling: bool = False) -> Floats:
        """The unbiased estimate Qᵀ D(Ñ) Q − D(N̂) of Cov(N̂), cells in the order of the asked table, flattened.

        That is what randomising adds, the rows being what they are. With `sampling` rows are seen as drawn from a
        population too: Qᵀ D(Ñ) Q − N̂N̂ᵀ/n.
        """
        cells = prod(self.sizes)
        rank = len(self.sizes)
        pairs = pair_sums(self.table, [channel.unmixing for channel in self.channels]).reshape(self.sizes * 2)
        covariance = pairs.transpose([*self.order, *(rank + place for place in self.order)]).reshape(cells, cells)
        counts = self.unmixed().counts.ravel()
        if sampling:
            return covariance - np.outer(counts, counts) / self.n
        covariance[np.diag_indices(cells)] -= counts
        return covariance

    def variance_of(self, weights: Floats, *, sampling: bool = False) -> float:
        """The unbiased estimate of the variance of Σ weights·N̂, weights being shaped like the asked table."""
        back = np.argsort(self.order)
        cells = (
            np.asarray(weights, dtype=np.float64)
            .transpose(back)
            .reshape([channel.n_asked for channel in self.channels])
        )
        spread = apply_maps(cells, [channel.unmixing.transposed for channel in self.channels])
        counts = apply_maps(self.table, [channel.unmixing for channel in self.channels])
        squares = float((self.table * spread**2).sum())
        if sampling:
            return squares - float((counts * cells).sum()) ** 2 / self.n
        return squares - float((counts * cells**2).sum())

    def _as_asked(self, grouped: Floats) -> Floats:
        asked = grouped.reshape(self.sizes).transpose(self.order)
        return np.ascontiguousarray(asked).reshape(asked.shape)  # it would give a table without axes one
