"""Answering as what a run does with a curator: it has the manners of a method, and keeps answers beside its model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from math import prod
from typing import ClassVar, TypeAlias

import numpy as np

from understudy._core.errors import InternalError, OptionError
from understudy._core.randomness import Streams
from understudy._core.randomness import streams as make_streams
from understudy.answers._answering import Answered, AnswerSettings, answer_workload
from understudy.answers._as_printed import answer_as_printed
from understudy.answers._state import State, start_of
from understudy.answers._workload import Workload
from understudy.methods import (
    ROWS_SHARE,
    Adaptive,
    Auto,
    Flaw,
    Method,
    Plan,
    describe_method,
    flaw_of,
    models_made,
    refuse_drowning_noise,
    refuse_unprinted_terms,
)
from understudy.models import HasNetwork, Model, NetworkModel, shows_network
from understudy.privacy import Curator, PrivacyTerms
from understudy.schema import Domain, Marginal

Progress: TypeAlias = Callable[[str, int, int], None]

_MOST_WEIGHTS = 1 << 27  # a GiB of doubles: the printed algorithm writes its queries out over all cells


class Answering:
    """Answers to a workload, and the model behind them; with `start`, that of a method is learnt first.

    Unit, neighbours, bound: those of the curator's terms. Proof: `privacy/proof.md`, sections 1, 4 and 12.
    """

    name: ClassVar[str] = "answer"
    makes: ClassVar[type[Model]] = NetworkModel

    def __init__(
        self,
        workload: Workload,
        settings: AnswerSettings,
        *,
        start: Method | None = None,
        start_share: Fraction = Fraction(1, 3),
        gives_model: bool = True,
    ) -> None:
        self._workload, self._settings, self._gives_model = workload, settings, gives_model
        self._start, self._start_share = _learning_network(start), start_share
        self._answered: Answered | None = None
        self._notes: tuple[str, ...] = ()

    @property
    def answered(self) -> Answered:
        """The answers, once there are some."""
        if self._answered is None:
            raise InternalError("Answers were asked for before there were any.")
        return self._answered

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse what cannot work whatever the rows are, before anything is charged or read."""
        refuse_drowning_noise(terms.table_noise(Fraction(1, 100 * max(len(self._workload.marginals), 1))), terms.budget)
        if self._start is None:
            return
        if flaw_of(self._start) is not None or not all(map(shows_network, models_made(self._start))):
            raise OptionError(
                f"answers cannot start from '{self._start.name}': it must keep its promise and learn a network. "
                "Use privbayes, privabn or independent."
            )
        part = PrivacyTerms(budget=terms.budget.part(self._start_share), neighbours=terms.neighbours, unit=terms.unit)
        self._start.check(domain, part)

    def plan(self, domain: Domain, n: int, terms: PrivacyTerms) -> Plan:
        """There is no dry run of answering: what it chooses is told with the answers."""
        raise InternalError("Answering has no plan.")

    def describe(self, domain: Domain, n: int, terms: PrivacyTerms) -> dict[str, object]:
        """What it did, as the privacy statement lists it."""
        found: dict[str, object] = {
            "queries": len(self._workload),
            "tables asked about": len(self._workload.marginals),
            "chosen": self.answered.strategy,
            "because": self.answered.because,
            "an interval covers": self.answered.covers,
        }
        found |= {"steps": self.answered.steps} if self.answered.steps else {}
        return found | ({} if self._start is None else {"start": describe_method(self._start)})

    def remarks(self, model: Model, rows: int) -> tuple[str, ...]:
        """What readers of the statement should know, from published quantities."""
        answered = self.answered
        found = [*self._notes, *answered.notes]
        if self._cut_bins:
            found.append(
                f"ranges that cut bins, in {self._cut_bins:,} of the queries, are answered as if values were spread "
                "evenly in a bin; intervals do not cover that."
            )
        known = frozenset() if answered.state is None else answered.state.touched
        unknown = [a for a, attribute in enumerate(model.domain) if a not in known and attribute.size > 1]
        if self._gives_model:
            asked = {a for marginal in self._workload.marginals for a in marginal.attributes}
            unasked, unlearnt = [a for a in unknown if a not in asked], [a for a in unknown if a in asked]
            so = "in the model these columns are uniform and on their own."
            if unasked:
                found.append(f"no query asks about {_listed(model.domain, unasked)}: {so}")
            if unlearnt:
                found.append(
                    f"nothing was learnt about {_listed(model.domain, unlearnt)}, which queries ask about: {so}"
                )
        return tuple(found)

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Answer the workload; the model behind the answers."""
        start = self._started(curator, streams, progress)
        self._answered = answer_workload(curator, self._workload, self._settings, start=start, progress=progress)
        return self._answered.to_model()

    def _started(self, curator: Curator, streams: Streams | None, progress: Progress | None) -> State | None:
        if self._start is None:
            return None
        curator.measure_rows(share=ROWS_SHARE)
        share = self._start_share * curator.share_left
        part = curator.part(share, what=f"start: a model learnt by {self._start.name}")
        model = self._start.fit(part, streams=streams, progress=progress)
        factors = start_of(model) if isinstance(model, HasNetwork) else None
        state = None if factors is None else State(curator.domain, start=factors)
        if state is None or not state.fits([]):
            self._notes = ("the model to start from needs tables beyond the bound, so that the start was uniform.",)
            return None
        return state

    @property
    def _cut_bins(self) -> int:
        return sum(int((batch.denominators > 1).sum()) for batch in self._workload.batches if batch.by_cell is None)


class AnsweringAsPrinted(Answering):
    """Algorithm 2 of the correlated-release paper as it is printed, for science: NOT differentially private."""

    name: ClassVar[str] = "answer-as-printed"
    flaw: ClassVar[Flaw] = Flaw(
        sentence="its threshold has no noise, its corrections are neither limited nor paid for, and its noise is "
        "scaled to a sensitivity that is read off the table: no finite ε covers what it publishes.",
        where="docs/correlated-release.md",
    )

    def __init__(
        self,
        workload: Workload,
        settings: AnswerSettings,
        *,
        epsilon: Fraction,
        theta0: Fraction,
        sensitivity: float = 1.0,
        gives_model: bool = True,
    ) -> None:
        super().__init__(workload, settings, gives_model=gives_model)
        self._epsilon, self._theta0, self._sensitivity = epsilon, theta0, sensitivity

    def check(self, domain: Domain, terms: PrivacyTerms) -> None:
        """Refuse a histogram beyond memory: the paper has one cell for each combination of the columns asked about."""
        refuse_unprinted_terms("the algorithm", terms, units=True)
        cells = prod(domain[a].size for a in self._columns)
        if cells * len(self._workload) > _MOST_WEIGHTS:
            raise OptionError(
                f"the algorithm as printed writes {len(self._workload):,} queries out over {cells:,} cells, more than "
                f"{_MOST_WEIGHTS:,} weights in all. Ask about fewer columns or less."
            )
        if cells < 2:
            raise OptionError("the algorithm as printed needs a histogram of at least 2 cells.")

    def fit(
        self, curator: Curator, *, streams: Streams | None = None, progress: Progress | None = None
    ) -> NetworkModel:
        """Answer as printed, from exact counts."""
        columns, domain, n = self._columns, curator.domain, curator.measure_rows(share=ROWS_SHARE)
        [table] = curator.reveal([Marginal.of(*columns)], what="histogram")
        threshold = float(self._settings.threshold or Fraction(3, 10))
        found = answer_as_printed(
            table.ravel(),
            np.concatenate([self._written_out(batch) for batch in range(len(self._workload.batches))]),
            epsilon=float(self._epsilon),
            threshold=threshold,
            rate=float(self._settings.rate),
            theta0=float(self._theta0),
            sensitivities=np.full(len(self._workload), self._sensitivity / n),
            rng=(make_streams(None) if streams is None else streams).get("answers as printed"),
        )
        place = np.argsort(np.concatenate(self._workload.places))
        bare = np.full(len(self._workload), np.nan)
        x = np.maximum(found.histogram, 1e-300)
        self._answered = Answered(
            workload=self._workload,
            n=n,
            shares=found.answers[place],
            low=bare,
            high=bare,
            how=tuple("measured" if corrected else "model" for corrected in found.corrected[place]),
            strategy="pmw",
            because="the paper prints it so",
            covers="nothing: as printed there are no intervals",
            steps=f"{int(found.corrected.sum()):,} corrections, threshold {threshold:g}",
            notes=(),
            state=State(domain).moved({columns: np.log(x / x.sum()).reshape(table.shape)}),
        )
        return self._answered.to_model()

    @property
    def _columns(self) -> tuple[int, ...]:
        return tuple(sorted({a for marginal in self._workload.marginals for a in marginal.attributes}))

    def _written_out(self, which: int) -> np.ndarray:
        """The weights of a batch over all cells of the histogram."""
        batch, sizes = self._workload.batches[which], [self._workload.domain[a].size for a in self._columns]
        codes = np.unravel_index(np.arange(prod(sizes)), sizes)
        own = tuple(codes[self._columns.index(a)] for a in batch.marginal.attributes)
        return batch.weights()[:, np.ravel_multi_index(own, batch.shape)]


def _learning_network(start: Method | None) -> Method | None:
    """A method whose models may be no networks, told to stay with those that are."""
    return replace(start, beyond=False) if isinstance(start, Adaptive | Auto) else start


def _listed(domain: Domain, attributes: Sequence[int]) -> str:
    names = [domain[a].name for a in attributes]
    return ", ".join(names[:5]) + (", …" if len(names) > 5 else "")
