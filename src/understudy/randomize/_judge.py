"""Weighing candidate links: what each gains, and the margin it must exceed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from math import inf, log
from typing import Literal, NamedTuple, TypeAlias

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.randomness import Streams
from understudy.models import project_to_simplex
from understudy.randomize._calibration import (
    WithoutLink,
    draw_null_gain,
    false_link_chance,
    fit_without_link,
    pair_test,
    score_test,
    separate,
)
from understudy.randomize._published import Published
from understudy.randomize._scores import bayes_gain, likelihood_gain
from understudy.randomize._tails import chi_squared_quantile
from understudy.randomize._unmix import Floats
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.schema import Marginal

Score: TypeAlias = Literal["likelihood", "bic", "bayes"]
SCORES: tuple[Score, ...] = ("likelihood", "bic", "bayes")
MOST_CELLS = 512
"""Of a candidate's table. Its covariance has as many rows; and more cells than this hold little but noise."""
MOST_CELLS_OF_A_PAIR = 1 << 16
"""Of two columns in blocks of their own, which need no covariance."""


class Candidate(NamedTuple):
    """A new parent for a child that has some already; attributes by position, parents in rising order."""

    child: int
    link: int
    parents: tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Weighed:
    """What a candidate gains, and what it must gain at least, in nats."""

    candidate: Candidate
    gain: float
    margin: float
    freedom: int
    """Parameters that the link adds."""
    eta: float = 1.0
    """The paper's threshold that comes to this margin: new log-score > η · old log-score."""
    penalty: float = 0.0
    """The paper's penalty C* that comes to this margin: C*·(ln n / 2) for each parameter."""

    inflation: float = 1.0
    """How many times larger than in clean rows the noise is."""

    @property
    def excess(self) -> float:
        """Gain beyond the margin: a link is taken if this is above 0."""
        return self.gain - self.margin

    @property
    def worth(self) -> float:
        """The excess on the scale of clean rows, so that no column is chosen for being less randomised than others."""
        return self.excess * self.inflation

    @property
    def too_large(self) -> bool:
        """Whether its table has too many cells to be looked at."""
        return self.gain == -inf


def _too_large(candidate: Candidate) -> Weighed:
    return Weighed(candidate=candidate, gain=-inf, margin=0.0, freedom=0)


@dataclass(frozen=True, kw_only=True)
class Rule:
    """How links are weighed. Without `eta` or `penalty`, margins follow from the plan's randomisation.

    >>> Rule(score="bayes", eta=0.99).calibrated
    False
    """

    score: Score = "likelihood"
    eta: float | None = None
    penalty: float | None = None
    by_chance: float = 0.1
    """Links expected by chance among all pairs, if nothing depends on anything."""
    alpha: float = 1.0
    """The Bayesian score's prior count for each cell."""
    most_cells: int = MOST_CELLS

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise OptionError(f"there is no score '{self.score}'. {did_you_mean(str(self.score), SCORES)}")
        if self.eta is not None and not 0 < self.eta <= 1:
            raise OptionError(f"The 'eta' parameter must lie above 0 and be at most 1. Got {self.eta} instead.")
        if self.penalty is not None and not 0 < self.penalty < inf:
            raise OptionError(f"The 'penalty' parameter must be a number above 0. Got {self.penalty} instead.")
        if self.eta is not None and self.score != "bayes":
            raise OptionError("'eta' is the threshold of the Bayesian score. Give score='bayes' with it.")
        if self.penalty is not None and self.score == "bayes":
            raise OptionError("'penalty' is a factor of BIC's penalty. Give score='bic' with it, or 'likelihood'.")
        if not 0 < self.by_chance < inf or not 0 < self.alpha < inf or self.most_cells < 4:
            raise OptionError("'false_links' and 'alpha' must be numbers above 0, and 'most_cells' at least 4.")

    @property
    def calibrated(self) -> bool:
        """Whether margins are worked out, not given."""
        return self.eta is None and self.penalty is None


@dataclass
class Judge:
    """Weighs candidates by a rule, each once, many in one pass over the rows."""

    counts: UnmixedCounts
    rule: Rule = field(default_factory=Rule)
    known: dict[Candidate, Weighed] = field(default_factory=dict)

    @property
    def chance(self) -> float:
        """Of one false link."""
        return false_link_chance(self.counts.n, len(self.counts.domain), by_chance=self.rule.by_chance)

    def weigh(self, candidates: Sequence[Candidate]) -> list[Weighed]:
        """One verdict for each candidate."""
        new = list(dict.fromkeys(one for one in candidates if one not in self.known))
        domain = self.counts.domain
        marginals = {one: Marginal.of(one.child, one.link, *one.parents) for one in new}
        fitting = [
            one
            for one in new
            if marginals[one].n_cells(domain) <= (self.rule.most_cells if one.parents else MOST_CELLS_OF_A_PAIR)
        ]
        for start in range(0, len(fitting), 256):  # some at a time: their tables are held together
            some = fitting[start : start + 256]
            published = self.counts.published([marginals[one] for one in some])
            self.known.update((one, self._weigh(one, table)) for one, table in zip(some, published, strict=True))
        for one in new:
            self.known.setdefault(one, _too_large(one))
        return [self.known[one] for one in candidates]

    def _weigh(self, candidate: Candidate, published: Published) -> Weighed:
        counts = published.unmixed().counts
        three = counts.reshape(counts.shape[0], counts.shape[1], -1)
        large = counts.size > self.rule.most_cells
        if large and not separate(published):
            return _too_large(candidate)
        if self.rule.score == "likelihood":
            fit = None if large else fit_without_link(published, three)
            test = pair_test(published) if fit is None else score_test(published, three, fit)
            if not test.freedom:
                return Weighed(candidate=candidate, gain=0.0, margin=0.0, freedom=0)
            margin = chi_squared_quantile(self.chance, test.freedom) / 2
            weighed = self._told(candidate, test.statistic / 2, margin, test.freedom)
            return replace(weighed, inflation=test.inflation)
        return self._weigh_fitted(candidate, published, three)

    def _weigh_fitted(self, candidate: Candidate, published: Published, counts: Floats) -> Weighed:
        """The paper's scores, on the nearest counts without negative ones."""
        size, other, rows = counts.shape
        freedom = (size - 1) * (other - 1) * rows
        fitted = project_to_simplex(counts.ravel(), float(published.n)).reshape(counts.shape)
        bayes, before = (float(value) for value in bayes_gain(fitted, self.rule.alpha))
        gain = bayes if self.rule.score == "bayes" else float(likelihood_gain(fitted))
        if not freedom:
            return Weighed(candidate=candidate, gain=0.0, margin=0.0, freedom=0)
        margin = 0.0
        if self.rule.calibrated:
            margin = self._null_margin(candidate, published, fit_without_link(published, counts), counts.shape)
        elif self.rule.eta is not None:
            margin = (1 - self.rule.eta) * abs(before)
        return self._told(candidate, gain, margin, freedom, before)

    def _null_margin(
        self, candidate: Candidate, published: Published, fit: WithoutLink, shape: tuple[int, ...]
    ) -> float:
        rng = Streams(0).get("links by noise", *map(str, (candidate.child, candidate.link, *candidate.parents)))
        null = draw_null_gain(published, fit, shape, alpha=self.rule.alpha, rng=rng)
        if self.rule.score == "bic":
            return null.likelihood_margin(self.chance)
        return max(0.0, null.bayes_margin(self.chance))  # η ≤ 1: the score's own prior is penalty enough on clean data

    def _told(self, candidate: Candidate, gain: float, margin: float, freedom: int, before: float = 0.0) -> Weighed:
        unit = freedom * log(max(self.counts.n, 2)) / 2
        if self.rule.penalty is not None:
            margin = self.rule.penalty * unit
        return Weighed(
            candidate=candidate,
            gain=gain,
            margin=margin,
            freedom=freedom,
            eta=1 - margin / abs(before) if before else 1.0,
            penalty=margin / unit,
        )
