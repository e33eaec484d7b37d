"""Any method of ours on un-mixed counts: it asks a curator as ever, and gets what was published already, un-mixed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from math import sqrt
from typing import Any

import numpy as np

from understudy._core.randomness import Streams
from understudy.methods import method_named, refuse_unpublishable
from understudy.models import Model, TakesErrors
from understudy.privacy import make_budget, make_noise, open_curator
from understudy.randomize._unmixed_counts import UnmixedCounts
from understudy.schema import Marginal

_LEAST, _MOST = 0.01, 10_000.0
_USEFUL = 4  # an average cell against the noise, as in PrivBayes
_TABLES_SHARE = 0.7  # of the budget, in most methods
_WIDEST, _LARGEST = 8, 1 << 16


def fit_method(
    counts: UnmixedCounts,
    name: str,
    options: Mapping[str, Any],
    progress: Callable[[str, int, int], None] | None = None,
) -> tuple[Model, float]:
    """The method's model, and the ε that it planned with. Raises OptionError for names and options that are none."""
    method = method_named(name, **options)
    refuse_unpublishable(method)
    epsilon = like_epsilon(counts)
    # the nearest counts without negative ones: a method may ask for thousands of tables
    curator = open_curator(
        UnmixedCounts(counts.inbox, how="projection"),
        budget=make_budget(Fraction(epsilon).limit_denominator(10**6)),
        noise=make_noise(seed=0),
        noiseless="all",
    )
    method.check(curator.domain, curator.terms)
    model = method.fit(curator, streams=Streams(0), progress=progress)
    if isinstance(model, TakesErrors):
        # its tables have errors, though none that a curator added: it must not claim to have none
        model = model.with_errors(())
    return model, epsilon


def like_epsilon(counts: UnmixedCounts) -> float:
    """The ε at which tables drown in Laplace noise from the same size on as they do in that of un-mixing.

    Methods choose the size of their tables by it (`methods/_usefulness.py`): an average cell must be some times the
    noise. Un-mixing's noise grows with each column of a table; so tables of one, two and more columns are looked at.
    """
    domain, n = counts.domain, counts.n
    width = len(domain)
    cells, columns = 1.0, 1
    for size in range(1, min(width, _WIDEST) + 1):
        # neighbours in the order of columns: as good a sample as any, and the same in every run
        some = [Marginal.of(*((first + step) % width for step in range(size))) for first in range(min(width, 20))]
        some = [marginal for marginal in some if marginal.n_cells(domain) <= _LARGEST]
        if not some:
            break
        spread = [sqrt(max(float(one.variance.mean()), 0.0)) for one in counts.estimates(some)]
        area = float(np.median([marginal.n_cells(domain) for marginal in some]))
        if n / area < _USEFUL * float(np.median(spread)):
            break
        cells, columns = area, size
    tables = max(width - columns + 1, 1)
    return float(np.clip(2 * _USEFUL * cells * tables / (_TABLES_SHARE * n), _LEAST, _MOST))
