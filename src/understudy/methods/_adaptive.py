"""The adaptive method: many small tables that overlap, chosen one after the other, and one distribution fitted to all.

Tables of single columns come first. Then rounds: a private choice of the pair of columns that the model so far gets
most wrong, a noisy measurement of that pair's interaction, and the model fitted again to all that was measured. What
comes out is a junction tree (docs/adaptive.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import ClassVar

from understudy._core.errors import OptionError
from understudy._core.memory import memory_limit
from understudy._core.randomness import Streams
from understudy.methods._adaptive_beyond import MOST_PAIRS
from understudy.methods._adaptive_columns import Columns, measure_columns
from understudy.methods._adaptive_outlook import measures_of_parities, measures_of_rounds, seconds_of_run
from understudy.methods._adaptive_parities import ParityRun, first_shares
from understudy.methods._adaptive_pure import PureParityRun, first_share
from understudy.methods._adaptive_rounds import Rounds
from understudy.methods._adaptive_rules import Rules, learn_zeros, merged_zeros, rules_within
from understudy.methods._adaptive_screen import CHOOSING_SHARE, how_many
from understudy.methods._adaptive_shares import ROWS_SHARE, Shares, divide, pure_rounds
from understudy.methods._focus import Focus, focus_pairs, focus_text
from understudy.methods._plan import Plan, baseline_plan
from understudy.methods._remarks import if_unmeasured
from understudy.methods._search import Progress
from understudy.methods._settings import refuse_drowning_noise
from understudy.models import Model, RowsModel, TreeModel
from understudy.options import Declared, Tables, Whole, YesNo, option
from understudy.privacy import Curator, PrivacyTerms, Sensitivity
from understudy.schema import Domain

MOST_CELLS, MOST_LAST_CELLS = 100_000, 200_000
"""Cells of all cliques together, where there is memory for them: some seconds and some 20 MB. More where no weighted
rows follow the tree."""

LEAST_CELLS = 1000
"""As few as these are always taken on."""

_BYTES_OF_CELL, _BYTES_OF_REST = 300, 1 << 28  # with room to spare: 110 were measured, and 190 MB for all else

FARTHEST_ROWS = 1_000_000
"""By which a noisy number of rows may be expected to be off."""

MOST_PARITY_COLUMNS, MOST_PURE_COLUMNS = 4000, 600
"""Two-valued columns whose pairs are all looked at: eight million of them, in some hundred MB."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Adaptive(Declared):
    """Measure tables of pairs of columns that the model so far gets wrong, one after the other, and fit them together.

    >>> Adaptive(rounds=10).rounds
    10
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import Neighbours, make_budget, make_noise, open_curator
    >>> from understudy.schema import Attribute, Marginal
    >>> from understudy.tables import Table
    >>> import numpy as np
    >>> domain = Domain((Attribute(name="smokes", size=2), Attribute(name="coughs", size=2)))
    >>> codes = np.repeat([0, 1], 500)
    >>> curator = open_curator(MemoryCounter(Table(domain, (codes, codes))), budget=make_budget(4, "1e-9"),
    ...                        neighbours=Neighbours.ADD_REMOVE, noise=make_noise(seed=1))
    >>> Adaptive().fit(curator).marginal(Marginal.of(0, 1)).probabilities.round(1).tolist()
    [[0.5, 0.0], [0.0, 0.5]]
    """

    name: ClassVar[str] = "adaptive"

    rounds: int | None = option(
        None,
        Whole(at_least=1, at_most=10_000),
        help="Most relations to measure. None: by the number of columns and the budget.",
    )
    max_cells: int | None = option(
        None,
        Whole(at_least=4, at_most=5_000_000),
        help=f"Most cells of the tables that a junction tree works on. None: {MOST_CELLS:,}; "
        f"{MOST_LAST_CELLS:,} where no weighted rows follow: two-valued columns, many columns, beyond=no. Fewer where "
        "memory is short.",
    )
    beyond: bool = option(
        True,
        YesNo(),
        help="Whether rounds go on with weighted rows when few relations still fit the tree. Such a model cannot be "
        "exported as a network.",
    )

    focus: Focus = option(
        (),
        Tables(),
        help="Columns whose relations with each other matter most, or tables of several: they are measured first.",
    )

    @property
    def makes(self) -> tuple[type[Model], ...]:
        """A tree, or beyond it weighted rows."""
        return (TreeModel, RowsModel) if self.beyond else (TreeModel,)

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        focus_pairs(self.focus, domain)
        _refuse_without_memory(self.max_cells)
        shares = self.divide(domain, 1000, terms)
        for share in filter(None, shares.columns):
            refuse_drowning_noise(terms.table_noise(share), terms.budget)
        if shares.rows:
            _refuse_unknown_rows(shares.rows, terms)

    def divide(self, domain: Domain, n: int, terms: PrivacyTerms) -> Shares:
        """How the budget is spent: from public quantities."""
        return divide(domain, n, terms, rounds=self.rounds)

    def _rules(self, domain: Domain, shares: Shares, terms: PrivacyTerms) -> Rules:
        """Which declared rules are kept: public, once the number of rows is."""
        learn = shares.relations > 0 or by_parities(domain, terms)
        return rules_within(domain, self._cells(domain, terms), learn=learn)

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What the options came to, as the privacy statement lists them."""
        more: dict[str, object] = {"focus": focus_text(self.focus)} if self.focus else {}
        shares = self.divide(domain, n, terms)
        more |= self._rules(domain, shares, terms).described()
        parities = by_parities(domain, terms)
        if self.max_cells is None and self._cells(domain, terms) < self._usual_cells(domain, terms):
            more["fewer cells than usual"] = "as the memory of the machine allows"
        if parities:
            chosen = how_many(domain)
            pairs = "the pairs that columns suggest" if terms.budget.pure else f"{chosen:,} chosen pairs"
            which = pairs if chosen or terms.budget.pure else "all pairs"
            return {"relations": f"parities of {which}", "most cells": self._cells(domain, terms), **more}
        rounds = "by what columns came out as" if self._unsettled(terms) else shares.rounds
        choosing = {"part of a round for choosing": shares.choosing} if shares.relations else {}
        return {
            "rounds": rounds if shares.relations else "none",
            "part for single columns": round(float(sum(shares.columns)), 4),
            **choosing,
            "most cells": self._cells(domain, terms),
            **({} if self.beyond else {"beyond": False}),
            **more,
        }

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        return if_unmeasured(model)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """What a run would do, from public quantities alone."""
        shares = self.divide(domain, n, terms)
        columns, relations, rows = sum(shares.columns, Fraction(0)), shares.relations, shares.rows
        note = _rounds_note(domain, shares.rounds, unsettled=self._unsettled(terms) and bool(shares.relations))
        if shares.relations and not terms.budget.pure:
            note += (
                " Where they tell little beyond noise, the rest of their budget goes into single columns again; how "
                "much depends on the rows, and the statement will tell."
            )
        if by_parities(domain, terms):
            rows = Fraction(0) if terms.public_rows else parity_rows_share(domain)
            columns, note = _parity_plan(domain, terms, rows)
            relations = 1 - rows - columns
        rules = self._rules(domain, shares, terms).described()
        notes = (note, *(f"{words.capitalize()}: {texts}." for words, texts in rules.items()))
        varied = _varied(domain)
        parities = by_parities(domain, terms)
        measures = (
            measures_of_parities(domain, n, terms, rows) if parities else measures_of_rounds(domain, terms, shares)
        )
        found = baseline_plan(
            self.name,
            domain,
            n,
            noise=terms.table_noise(columns / varied).mean_abs if varied and columns else None,
            shares={"rows": float(rows), "single columns": float(columns), "relations": float(relations)},
            notes=notes,
        )
        return replace(
            found, measures=measures, seconds=seconds_of_run(domain, n, measures, terms, rounds=not parities)
        )

    def fit(self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None) -> Model:
        """Learn a model. `streams` are the public coins: of very many pairs they draw those that a choice looks at."""
        if progress is not None:
            progress("measuring columns", 0, 1)
        if by_parities(curator.domain, curator.terms):
            return self._fit_parities(curator, self._cells(curator.domain, curator.terms), progress)
        terms, domain = curator.terms, curator.domain
        coins = (streams or Streams.fresh()).get("adaptive", "coins")
        shares = self.divide(domain, self._rows(curator), curator.terms)
        columns = measure_columns(curator, shares)
        rules = self._rules(domain, shares, terms)
        zeros = learn_zeros(curator, rules, columns.total, lambda a: columns.columns[a].counts)
        columns = columns.keeping(zeros)
        shares = self._settled(shares, columns, curator)
        rounds = Rounds(
            curator,
            curator.recoded(columns.recoding(domain)),
            columns,
            shares,
            self._cells(domain, terms),
            coins,
            focus_pairs(self.focus, domain),
            merged_zeros(zeros, [column.codes for column in columns.columns]),
            self.beyond,
        )
        if rounds.candidates:
            rounds.run(progress)
        rounds.finish()
        return rounds.to_model(domain)

    def _cells(self, domain: Domain, terms: PrivacyTerms) -> int:
        """The cap on cells of all cliques."""
        return self.max_cells or min(self._usual_cells(domain, terms), cells_in_memory())

    def _usual_cells(self, domain: Domain, terms: PrivacyTerms) -> int:
        """A tree that weighted rows may follow can be smaller than one that has to do."""
        varied = _varied(domain)
        followed = self.beyond and not by_parities(domain, terms) and comb(varied, 2) <= MOST_PAIRS
        return MOST_CELLS if followed else MOST_LAST_CELLS

    def _unsettled(self, terms: PrivacyTerms) -> bool:
        """Whether the number of rounds waits for the columns."""
        return self.rounds is None and terms.budget.pure

    def _settled(self, shares: Shares, columns: Columns, curator: Curator) -> Shares:
        """Under pure ε, with as many rounds as tables of merged values allow: they are smaller, and released."""
        sizes = [column.size for column in columns.columns if column.size > 1]
        if not self._unsettled(curator.terms) or len(sizes) < 2:
            return shares
        rows = columns.total * curator.terms.unit.parts / curator.terms.unit.counted
        return replace(shares, rounds=pure_rounds(sizes, rows, curator.terms, float(curator.share_left)))

    def _fit_parities(self, curator: Curator, cells: int, progress: Progress | None) -> TreeModel:
        terms, domain = curator.terms, curator.domain
        rows = curator.rows if terms.public_rows else curator.measure_rows(share=parity_rows_share(domain))
        total = max(rows / terms.unit.parts, 1.0)
        zeros = learn_zeros(curator, rules_within(domain, cells, learn=True), total)
        kind = PureParityRun if terms.budget.pure else ParityRun
        run = kind(curator, total, cells, focus_pairs(self.focus, domain), zeros)
        fit = run.run(progress)
        return TreeModel(domain, max(rows, 1), tree=fit.to_tree(), measurements=run.measurements())

    def _rows(self, curator: Curator) -> int:
        """A first number of rows, for the division of the rest."""
        shares = self.divide(curator.domain, 1, curator.terms)
        return curator.measure_rows(share=shares.rows) if shares.rows else curator.rows


def cells_in_memory() -> int:
    """How many cells there is memory for, by what the process may have at most; rounded down, to two digits.

    >>> cells_in_memory() >= LEAST_CELLS
    True
    """
    limit = memory_limit()
    if limit is None:
        return MOST_LAST_CELLS
    cells = max((limit - _BYTES_OF_REST) // 2 // _BYTES_OF_CELL, LEAST_CELLS)
    return int(f"{str(cells)[:2]:0<{len(str(cells))}}")


def _refuse_without_memory(max_cells: int | None) -> None:
    """Refuse a cap that memory cannot hold: the run would end after it was charged."""
    limit = memory_limit()
    if max_cells is None or limit is None or max_cells <= max(2 * cells_in_memory(), LEAST_CELLS):
        return
    raise OptionError(
        f"max_cells={max_cells:,} needs some {max_cells * _BYTES_OF_CELL >> 20:,} MB of memory beside "
        f"{_BYTES_OF_REST >> 20} MB for the rest, and the process may have {limit >> 20:,} MB. Choose at most "
        f"{max(2 * cells_in_memory(), LEAST_CELLS):,}, or leave it out."
    )


def _refuse_unknown_rows(share: Fraction, terms: PrivacyTerms) -> None:
    """As many rows are published as were measured: that number must not be off by millions."""
    noise = terms.budget.noise_for(share, terms.of_unit(Sensitivity.of_number(Fraction(1))))
    off = noise.mean_abs / terms.unit.parts
    if off > FARTHEST_ROWS:
        raise OptionError(
            f"at epsilon {float(terms.budget.epsilon):g} the number of rows, which is private, would be off by some "
            f"{off:.0e}. Raise epsilon, or make that number public with neighbours 'replace-one'."
        )


def by_parities(domain: Domain, terms: PrivacyTerms) -> bool:
    """Whether relations are measured without rounds: all columns that vary have two values."""
    varied = [attribute.size for attribute in domain if attribute.size > 1]
    most = MOST_PURE_COLUMNS if terms.budget.pure else MOST_PARITY_COLUMNS
    return 2 <= len(varied) <= most and max(varied) == 2


def _varied(domain: Domain) -> int:
    """How many columns have two values or more."""
    return sum(attribute.size > 1 for attribute in domain)


def _rounds_note(domain: Domain, rounds: int, *, unsettled: bool) -> str:
    """How many tables of two columns are measured: never more than there are, so rounds beyond that repeat some."""
    pairs = comb(_varied(domain), 2)
    most = f"Some {rounds}, or more where rare values merge," if unsettled and rounds < pairs else f"Up to {rounds}"
    if rounds > pairs:
        return f"Up to {pairs} tables of two columns are measured, those that the model gets most wrong more than once."
    return f"{most} tables of two columns are measured, those that the model gets most wrong."


def _parity_plan(domain: Domain, terms: PrivacyTerms, rows: Fraction) -> tuple[Fraction, str]:
    """What two-valued columns get at first, and what comes after."""
    if terms.budget.pure:
        columns = first_share(domain) * (1 - rows)
        return columns, (
            f"Columns are measured for {float(columns):.0%}; which of their pairs follow, and whether they get more, "
            "depends on what came out."
        )
    columns, pairs = first_shares(domain)
    chosen = how_many(domain)
    rest = 1 - rows - columns - pairs - (CHOOSING_SHARE if chosen else 0)
    return columns, (
        f"All columns and {f'{chosen:,} of' if chosen else 'all'} their pairs are measured at once, the pairs "
        f"for {float(pairs):.0%}{f', chosen for {float(CHOOSING_SHARE):.0%}' if chosen else ''}; where "
        f"{float(rest):.0%} more go depends on what came out."
    )


def parity_rows_share(domain: Domain) -> Fraction:
    """For the number of rows: an error in it puts all columns off the same way, which matters the more there are."""
    return ROWS_SHARE * min(Fraction(3), max(Fraction(1), Fraction(len(domain), 16)))
