"""Runs whose bins were found, measured in the same bins all of them: those that the real rows give without noise."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from understudy._core.randomness import Streams
from understudy.counting import open_counter
from understudy.models import Estimate, Evidence, Model
from understudy.numbers import Resolved, numbers_share, resolve_numbers
from understudy.privacy import PrivacyWarning, make_budget, make_noise, open_curator
from understudy.schema import Domain, Field, Marginal, Schema
from understudy.tables import InOrderDraw, Table, decode_batch, read_table

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Yardstick:
    """The bins of the real rows. A run finds its own, coarser ones at a smaller budget: what they lose is an error."""

    resolved: Resolved

    @classmethod
    def of(cls, schema: Schema, table: Table) -> Yardstick | None:
        """For rows that are cells of the public grid; None where no bins are to be found."""
        share = numbers_share(schema)
        if not share:
            return None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PrivacyWarning)
            noise = make_noise(seed=0)
            curator = open_curator(open_counter(table), budget=make_budget(1), noise=noise, noiseless="all")
            return cls(resolve_numbers(curator, schema, share=share))

    def sorted_in(self, table: Table) -> Table:
        """Rows of cells of the public grid, in these bins."""
        recoding = self.resolved.recoding
        return Table(recoding.target, tuple(recoding.encode(table.columns)))

    def drawn(self, rows: Table, found: Schema, seed: int) -> Table:
        """Rows in a run's own bins, with the values that `publish` would write for them, in these bins."""
        in_order = InOrderDraw.as_in(found, rows.columns)
        written = decode_batch(found, rows.columns, Streams(seed).get("inside bins"), in_order=in_order)
        return read_table(pa.Table.from_batches([written]), self.resolved.schema)

    def answers(self, model: Model, found: Schema) -> SpreadModel:
        """What a model of a run's own bins says of these bins."""
        return SpreadModel(model, self.resolved.schema.domain, tuple(bin_maps(found, self.resolved.schema)))


@dataclass(frozen=True, eq=False)
class SpreadModel:
    """A model of other bins: what falls into one of them is spread over these as its values lie."""

    model: Model
    domain: Domain
    maps: tuple[Floats | None, ...]
    kind: ClassVar[str] = "spread"

    @property
    def n(self) -> int:
        """Number of rows."""
        return self.model.n

    def marginal(self, marginal: Marginal, *, evidence: Evidence | None = None, errors: bool = True) -> Estimate:
        """The table of some columns, without errors."""
        table = self.model.marginal(marginal, evidence=evidence, errors=False).probabilities
        for place, attribute in enumerate(marginal.attributes):
            spread = self.maps[attribute]
            if spread is not None:
                table = np.moveaxis(np.tensordot(table, spread, axes=(place, 0)), -1, place)
        return Estimate(probabilities=table)


def bin_maps(found: Schema, wanted: Schema) -> Sequence[Floats | None]:
    """For each column, which part of each found code lies in each wanted one; None where they are the same."""
    return [_map(one, other) for one, other in zip(found.fields, wanted.fields, strict=True)]


def _map(found: Field, wanted: Field) -> Floats | None:
    if found.bins is None or wanted.bins is None or found.bins == wanted.bins:
        return None
    up_to = [found.bins.share_below(np.full(found.bins.count, last)) for last in wanted.bins.grid[1]]
    parts = np.diff(np.stack(up_to, axis=1), prepend=0.0, axis=1)
    whole = np.zeros((found.size, wanted.size))
    whole[: parts.shape[0], : parts.shape[1]] = parts
    own = np.arange(found.size - found.n_main)  # missing and special values have codes of their own
    whole[found.n_main + own, wanted.n_main + own] = 1.0
    return whole
