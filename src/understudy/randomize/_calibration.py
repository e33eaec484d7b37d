"""When a link is more than the noise of randomising: margins that keep the chance of a false link where it should be.

Three ways to weigh a new parent Z of a child X that has parents A. The first is ours and the default; the other two are
the paper's scores on fitted counts, with its threshold η or penalty C* worked out instead of fixed. `proof.md` derives
them, and `docs/parties.md` shows what they do.

- *likelihood*: half the score statistic of "X and Z are independent given A" in the likelihood of what was published.
  If they are, twice that is chi-squared, whatever the randomisation: there is nothing to inflate.
- *bic*, *bayes*: the gain in the score on fitted counts. What noise alone would gain is found by drawing published
  tables from the fit in which X and Z are independent given A.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log, sqrt

import numpy as np
import numpy.typing as npt

from understudy._core.randomness import Rng
from understudy.models import project_to_simplex
from understudy.randomize._published import Published
from understudy.randomize._scores import bayes_gain, likelihood_gain
from understudy.randomize._tails import chi_squared_tail, gamma_quantile
from understudy.randomize._unmix import Floats, Shared, apply_maps

DRAWS = 40
_SMOOTHED = 0.5  # counts added to each cell of the fit without the link, so that none is impossible


def false_link_chance(n: int, columns: int, *, by_chance: float = 0.1) -> float:
    """The chance that one candidate link is accepted though there is none.

    No larger than BIC's on clean data for a link of one parameter, P(χ²₁ > ln n), and so small that over all pairs of
    columns `by_chance` links are expected if nothing depends on anything.

    >>> f"{false_link_chance(20_000, 8):.2g}", f"{false_link_chance(20_000, 37):.2g}"
    ('0.0016', '0.00015')
    """
    pairs = max(columns * (columns - 1) // 2, 1)
    return min(chi_squared_tail(log(max(n, 2)), 1), by_chance / pairs)


@dataclass(frozen=True, eq=False)
class WithoutLink:
    """The fit in which child and new parent are independent given the others: what noise is measured against."""

    child: Floats
    """P(child | parents), an axis for each."""
    link: Floats
    """P(new parent | parents)."""
    parents: Floats
    """Counts of the parents' configurations."""
    expected: Floats
    """Published counts to expect, shaped like the published table."""


def fit_without_link(published: Published, counts: Floats) -> WithoutLink:
    """From un-mixed counts of (child, new parent, parents' configurations)."""
    n = float(published.n)
    size, other, rows = counts.shape
    child = project_to_simplex(counts.sum(axis=1).ravel(), n).reshape(size, rows) + _SMOOTHED
    link = project_to_simplex(counts.sum(axis=0).ravel(), n).reshape(other, rows) + _SMOOTHED
    above = project_to_simplex(counts.sum(axis=(0, 1)), n) + _SMOOTHED
    child, link = child / child.sum(axis=0), link / link.sum(axis=0)
    above *= n / above.sum()
    return WithoutLink(child, link, above, _as_published(published, child[:, None] * link[None] * above))


def _as_published(published: Published, joint: Floats) -> Floats:
    """Expected published counts of a table of true ones, over the asked axes."""
    asked = joint.reshape([published.sizes[place] for place in published.order])
    grouped = asked.transpose(np.argsort(published.order)).reshape([c.n_asked for c in published.channels])
    whole = np.ascontiguousarray(grouped)
    if any(channel.after is not None for channel in published.channels):
        # blocks that are counted whole: what was not asked for is shared out as the published counts say
        cells = apply_maps(published.table, [channel.inverse for channel in published.channels])
        cells = project_to_simplex(cells.ravel(), float(published.n)).reshape(cells.shape) + 1e-9
        sums = cells
        for axis, channel in enumerate(published.channels):
            sums = channel.finish(sums, axis)
        places = [np.arange(c.n_cells) if c.after is None else c.after for c in published.channels]
        whole = cells * (whole / sums)[np.ix_(*places)]
    return apply_maps(whole, [channel.forward for channel in published.channels])


@dataclass(frozen=True)
class ScoreTest:
    """The score statistic of independence given the parents: chi-squared if there is no link."""

    statistic: float
    freedom: int
    inflation: float
    """How many times larger than in clean rows the variance of what is summed up is."""


def score_test(published: Published, counts: Floats, fit: WithoutLink) -> ScoreTest:
    """Test independence of child and new parent given the parents, in the likelihood of what was published.

    Each published row has a value s with mean 0 if there is no link: the un-mixed indicator of (x, z, a), centred in x
    and in z given a. The statistic is uᵀ·Cov(u)⁻¹·u of their sum u, with the covariance that the fit without the link
    expects. For two columns in blocks of their own it is Pearson's chi-squared of the published table.
    """
    size, other, rows = counts.shape
    freedom = (size - 1) * (other - 1) * rows
    if freedom == 0:
        return ScoreTest(0.0, 0, 1.0)
    if published.condition <= 1 + 1e-12:
        # nothing was randomised: the likelihood ratio itself, which sparse tables mislead less
        return ScoreTest(2 * float(likelihood_gain(np.maximum(counts, 0.0))), freedom, 1.0)
    values = _centred(_unmixing_matrix(published, counts.shape), fit)
    scores = np.ascontiguousarray(values[:, :-1, :-1]).reshape(-1, freedom)
    total = _centred(counts[None], fit)[0, :-1, :-1].ravel()
    covariance = (scores * fit.expected.reshape(-1, 1)).T @ scores
    clean = fit.parents * (fit.child * (1 - fit.child))[:-1].sum(axis=0) * (fit.link * (1 - fit.link))[:-1].sum(axis=0)
    inflation = float(np.trace(covariance) / clean.sum())
    statistic, rank = _quadratic(covariance, total)
    return ScoreTest(statistic, rank, inflation)


def separate(published: Published) -> bool:
    """Whether it is a table of two columns in blocks of their own, each counted by itself."""
    return len(published.channels) == 2 == len(published.sizes) and all(c.after is None for c in published.channels)


def pair_test(published: Published) -> ScoreTest:
    """The same for two columns in blocks of their own, however many values they have: Pearson's statistic.

    True values are independent if and only if published ones are, so the published table tells all there is to know.
    """
    table, n = published.table, float(published.n)
    sides = [table.sum(axis=1), table.sum(axis=0)]
    expected = np.outer(sides[0], sides[1]) / n
    seen = expected > 0
    statistic = float(((table - expected)[seen] ** 2 / expected[seen]).sum())
    inflation = 1.0
    for channel, published_side in zip(published.channels, sides, strict=True):
        true = project_to_simplex(channel.unmixing.along(published_side) / n, 1.0)
        spread = channel.squared.along(published_side / n) - true**2
        inflation *= float(spread.sum()) / max(float((true * (1 - true)).sum()), 1e-9)
    return ScoreTest(statistic, (len(sides[0]) - 1) * (len(sides[1]) - 1), max(inflation, 1.0))


def _quadratic(covariance: Floats, total: Floats) -> tuple[float, int]:
    """uᵀS⁻¹u and its degrees of freedom; of the directions that have any noise, where some have none."""
    try:
        solved = np.linalg.solve(covariance, total)
        statistic = float(total @ solved)
        if statistic >= 0 and np.abs(covariance @ solved - total).max() <= 1e-6 * np.abs(total).max():
            return statistic, len(total)
    except np.linalg.LinAlgError:
        pass
    roots, vectors = np.linalg.eigh(covariance)
    kept = roots > roots[-1] * 1e-10
    along = vectors[:, kept].T @ total
    return float((along**2 / roots[kept]).sum()), int(kept.sum())


def _centred(values: Floats, fit: WithoutLink) -> Floats:
    """Values of (…, child, new parent, parents), centred in the first two by the fit's conditionals."""
    centred = values - fit.child[:, None] * values.sum(axis=1, keepdims=True)
    return np.asarray(centred - fit.link * centred.sum(axis=2, keepdims=True), dtype=np.float64)


def _unmixing_matrix(published: Published, shape: tuple[int, ...]) -> Floats:
    """Published cell → its part in each un-mixed count, shaped (published cells, child, new parent, parents)."""
    matrix: Floats = np.ones((1, 1))
    for channel in published.channels:
        one = channel.unmixing
        rows = one.dense if isinstance(one, Shared) else one.matrix
        matrix = (matrix[:, None, :, None] * rows[None, :, None, :]).reshape(
            matrix.shape[0] * rows.shape[0], matrix.shape[1] * rows.shape[1]
        )
    cells = matrix.reshape(-1, *published.sizes).transpose(0, *(1 + place for place in published.order))
    return np.ascontiguousarray(cells).reshape(-1, *shape)


@dataclass(frozen=True)
class NullGain:
    """What a score on fitted counts gains by noise alone: means and standard deviations over draws, in nats."""

    likelihood: tuple[float, float]
    bayes: tuple[float, float]

    def likelihood_margin(self, chance: float) -> float:
        """The gain in log-likelihood that noise exceeds with this chance: a gamma variable of the same moments."""
        mean, spread = self.likelihood
        if not spread > 0:
            return mean
        return gamma_quantile(chance, (mean / spread) ** 2) * spread**2 / mean

    def bayes_margin(self, chance: float) -> float:
        """The same for the Bayesian score, whose gain by noise is the other's less nearly a constant."""
        mean, spread = self.bayes
        own, width = self.likelihood
        return mean if not width > 0 else mean + spread * (self.likelihood_margin(chance) - own) / width


def draw_null_gain(
    published: Published, fit: WithoutLink, shape: tuple[int, ...], *, alpha: float, rng: Rng, draws: int = DRAWS
) -> NullGain:
    """Draw published tables from the fit without the link, and score each as the real one is scored."""
    chances = np.maximum(fit.expected.ravel(), 0.0)
    drawn = rng.multinomial(published.n, chances / chances.sum(), size=draws).astype(np.float64)
    tables = drawn.reshape(draws, *fit.expected.shape)
    for axis, channel in enumerate(published.channels):
        tables = channel.unmixing.along(tables, axis + 1)
    asked = tables.reshape(draws, *published.sizes).transpose(0, *(1 + place for place in published.order))
    cells = np.ascontiguousarray(asked).reshape(draws, -1)
    fitted = project_to_simplex(cells, float(published.n)).reshape(draws, *shape)
    plain, bayes = likelihood_gain(fitted), bayes_gain(fitted, alpha)[0]
    return NullGain(_moments(plain), _moments(bayes))


def _moments(values: npt.NDArray[np.float64]) -> tuple[float, float]:
    return float(values.mean()), sqrt(float(values.var(ddof=1)))
