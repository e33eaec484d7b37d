"""Noisy Fourier coefficients instead of noisy tables (Barak et al. 2007)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import combinations
from math import comb, pi, prod, sqrt
from typing import ClassVar

import numpy as np

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.methods._count_tables import (
    MOST_CELLS,
    SECONDS_PER_CELL,
    SECONDS_PER_TABLE,
    count_cells,
    count_plan,
    groups_of,
    refuse_many_tables,
    shares_of,
)
from understudy.methods._plan import Plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.models import Model, TablesModel, clip_and_rescale
from understudy.options import Declared, Whole, option
from understudy.privacy import (
    Curator,
    NoiseLevel,
    NoisyParities,
    Parities,
    PrivacyTerms,
    code_bits,
    parities_sensitivity,
    walsh_hadamard,
)
from understudy.schema import Domain, Marginal


@dataclass(frozen=True, slots=True, kw_only=True)
class Fourier(Declared):
    """Noise on Fourier coefficients, from which all tables of `ways` columns are rebuilt: a baseline without rows.

    Codes are read as binary numbers. A coefficient is the number of rows with an even number of ones in some bits less
    those with an odd one; measured are the bits of up to `ways` columns, each coefficient once however many tables it
    serves. What no code stands for is dropped from a rebuilt table; then negative cells become 0 and the rest is
    rescaled to sum to the number of rows, as the PrivBayes paper does for its baselines.

    Unit: one row. Bound: the budget, as m coefficients of sensitivity 1 together (after the number of rows, where that
    is private); with a δ the noise is Gaussian. Both neighbour relations. Proof: `privacy/proof.md`, section 9.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute
    >>> from understudy.tables import Table
    >>> domain = Domain((Attribute(name="sex", size=2), Attribute(name="ill", size=3)))
    >>> table = Table(domain, (np.array([0, 1, 1, 1]), np.array([0, 0, 0, 2])))
    >>> curator = open_curator(MemoryCounter(table), budget=make_budget(1000), noise=make_noise(seed=1))
    >>> Fourier(ways=2).fit(curator).marginal(Marginal.of(0, 1)).probabilities.tolist()
    [[0.25, 0.0, 0.0], [0.5, 0.0, 0.25]]
    """

    name: ClassVar[str] = "fourier"
    makes: ClassVar[type[Model]] = TablesModel
    ways: int = option(3, Whole(at_least=1), help="Columns of a table. No marginal over more of them can be answered.")

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_many_tables(self.name, domain, self.ways)
        if (m := self._n_coefficients(domain)) > MOST_CELLS:
            raise OptionError(
                f"method '{self.name}' with ways={self.ways} would measure {m:,} coefficients; at most {MOST_CELLS:,} "
                "are allowed. Choose fewer ways or coarser columns."
            )
        refuse_drowning_noise(self._noise(domain, terms), terms.budget)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it does, as the privacy statement lists it."""
        return {
            "coefficients": self._n_coefficients(domain),
            "tables": f"{self._n_tables(domain):,} of {min(self.ways, len(domain))} columns each",
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return ("this baseline publishes tables that need not agree with each other, and no rows.",)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        noise = self._noise(domain, terms)
        cells = count_cells([1 << code_bits(attribute.size) for attribute in domain], self.ways)
        # a cell is the mean of as many coefficients as the table has cells: nearly normal
        deviation = (2 if terms.public_rows else 1) * sqrt(2 * noise.variance / pi)
        return count_plan(
            self.name,
            domain,
            n,
            ways=self.ways,
            noise=lambda of_cells: deviation / sqrt(max(of_cells, 1)),
            shares=shares_of(rows_share(terms), coefficients=1),
            seconds=SECONDS_PER_CELL * 2 * cells + 3 * SECONDS_PER_TABLE * self._n_tables(domain),
            cells=2 * cells,
            notes=(
                f"{self._n_coefficients(domain):,} coefficients are measured. Tables only: no rows can be drawn.",
                "The noise of a table's cell falls with the root of its number of cells; the one shown is the largest "
                "table's.",
            ),
        )

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> TablesModel:
        """Measure the coefficients, rebuild the tables. There are no coins to toss, so `streams` go unused."""
        domain = curator.domain
        self.check(domain, curator.terms)
        n = curator.measure_rows(share=ROWS_SHARE)
        if progress is not None:
            progress("measuring coefficients", 0, 2)
        blocks = [Marginal.of(*block) for block in self._blocks(domain)]
        what = f"parities of up to {self.ways} columns"
        measured = curator.ask(NoisyParities(marginals=blocks, what=what), share=curator.share_left) if blocks else []
        if progress is not None:
            progress("rebuilding tables", 1, 2)
        found = {block.marginal.attributes: block for block in measured}
        groups = groups_of(len(domain), self.ways)
        tables = {group: clip_and_rescale(_rebuild(group, found, n, domain)) for group in groups}
        return TablesModel(domain, n, tables, advice="Raise the option 'ways'.")

    def _blocks(self, domain: Domain) -> list[tuple[int, ...]]:
        """Sets of columns that have bits."""
        able = [a for a, attribute in enumerate(domain) if attribute.size > 1]
        return [block for way in range(1, min(self.ways, len(domain)) + 1) for block in combinations(able, way)]

    def _n_coefficients(self, domain: Domain) -> int:
        masks = [(1 << code_bits(attribute.size)) - 1 for attribute in domain]
        return sum(count_cells(masks, way) for way in range(1, min(self.ways, len(domain)) + 1))

    def _n_tables(self, domain: Domain) -> int:
        return comb(len(domain), min(self.ways, len(domain)))

    def _noise(self, domain: Domain, terms: PrivacyTerms) -> NoiseLevel:
        sensitivity = parities_sensitivity(terms, max(self._n_coefficients(domain), 1))
        return terms.budget.noise_for(1 - rows_share(terms), sensitivity)


def _rebuild(
    group: tuple[int, ...], blocks: Mapping[tuple[int, ...], Parities], n: int, domain: Domain
) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """The table over a group: the inverse transform of the blocks over all its subsets, without codes nobody has."""
    sizes = [domain[a].size for a in group]
    coefficients = np.zeros([1 << code_bits(size) for size in sizes])
    coefficients[(0,) * len(group)] = n
    for way in range(1, len(group) + 1):
        for block in combinations(group, way):
            if block in blocks:
                masks = tuple(slice(1, None) if a in block else 0 for a in group)
                coefficients[masks] = blocks[block].coefficients
    table = walsh_hadamard(coefficients) / prod(coefficients.shape)
    return table[tuple(slice(size) for size in sizes)]
