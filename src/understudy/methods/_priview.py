"""PriView (Qardaji, Yang, Li, SIGMOD 2014): noisy tables of eight columns that hold every pair of columns together.

*Privacy*: which tables are measured follows from the number of columns alone. All of the budget goes into them, an
equal part each, through `Curator.measure`: a record moves two counts of each by one (replace-one), or one (add/remove).
Everything else is post-processing.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from understudy._core.errors import OptionError
from understudy._core.randomness import Streams
from understudy.methods._count_tables import SECONDS_PER_CELL, SECONDS_PER_TABLE, count_plan, shares_of
from understudy.methods._covering import covering_design
from understudy.methods._plan import Plan
from understudy.methods._search import Progress
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise, rows_share
from understudy.models import Model, ViewsModel, consistent_views
from understudy.options import Declared, Whole, option
from understudy.privacy import Curator, NoiseLevel, NoisyTables, PrivacyTerms
from understudy.schema import Domain, Marginal

LARGEST_VIEW = 16
MOST_COLUMNS = {2: 300, 3: 60}
"""Beyond it a covering design takes too long to find, and its tables are too many to be of use."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PriView(Declared):
    """Measure tables of eight binary columns that cover all pairs, and answer marginals from them: a baseline.

    >>> PriView(strength=3).strength
    3
    >>> PriView(view_size=1)
    Traceback (most recent call last):
    understudy._core.errors.OptionError: The 'view_size' parameter of PriView must be a whole number from 2 to 16. Got \
1 instead.
    """

    name: ClassVar[str] = "priview"
    makes: ClassVar[type[Model]] = ViewsModel

    view_size: int = option(8, Whole(at_least=2, at_most=LARGEST_VIEW), help="Columns of a table, at most.")
    strength: int = option(
        2,
        Whole(at_least=min(MOST_COLUMNS), at_most=max(MOST_COLUMNS)),
        help="2: any two columns are in a table together. 3: any three.",
    )

    def check_together(self) -> None:
        """Refuse options that do not go together."""
        if self.view_size < self.strength:
            raise OptionError(
                f"tables of {self.view_size} columns cannot hold any {self.strength} together. Raise 'view_size'."
            )

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        wide = [attribute.name for attribute in domain if attribute.size != 2]
        if wide:
            listed = ", ".join(f"'{name}'" for name in wide[:4]) + (", …" if len(wide) > 4 else "")
            raise OptionError(
                f"PriView is for binary tables, and {len(wide)} of {len(domain)} columns have not two values "
                f"({listed}). Use 'laplace', or 'jtree' and other methods that make a model of the whole table."
            )
        if len(domain) > MOST_COLUMNS[self.strength]:
            raise OptionError(
                f"PriView with strength={self.strength} takes up to {MOST_COLUMNS[self.strength]} columns. "
                f"Got {len(domain)}."
            )
        refuse_drowning_noise(self._noise(domain, terms), terms.budget)

    def views(self, domain: Domain) -> tuple[tuple[int, ...], ...]:
        """The sets of columns whose tables are measured."""
        return covering_design(len(domain), self.view_size, self.strength)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        return {"views": len(self.views(domain)), "columns a view": self.view_size, "strength": self.strength}

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return ("this baseline answers marginals one by one, and publishes no rows.",)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        views = self.views(domain)
        cells = sum(2 ** len(view) for view in views)
        return count_plan(
            self.name,
            domain,
            n,
            ways=self.view_size,
            noise=self._noise(domain, terms).mean_abs,
            shares=shares_of(rows_share(terms), tables=1),
            seconds=SECONDS_PER_CELL * cells + 10 * SECONDS_PER_TABLE * len(views),
            cells=cells,
            notes=(
                f"{len(views)} tables of up to {self.view_size} columns hold any {self.strength} columns together.",
            ),
        )

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> ViewsModel:
        """Measure the views and make them agree. There are no coins to toss, so `streams` go unused."""
        self.check(curator.domain, curator.terms)
        n = curator.measure_rows(share=ROWS_SHARE)
        views = self.views(curator.domain)
        if progress is not None:
            progress("measuring views", 0, 1)
        marginals = [Marginal.of(*view) for view in views]
        measured = curator.ask(NoisyTables(marginals=marginals, what="views"), share=curator.share_left)
        return ViewsModel(curator.domain, n, views, consistent_views(views, [m.counts for m in measured], n))

    def _noise(self, domain: Domain, terms: PrivacyTerms) -> NoiseLevel:
        return terms.table_noise((1 - rows_share(terms)) / max(len(self.views(domain)), 1))
