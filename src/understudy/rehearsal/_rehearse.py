"""What a method learns of a table with seeded noise, and rows drawn from it."""

from __future__ import annotations

import warnings
from collections.abc import Callable

import numpy as np

from understudy._core.randomness import Streams
from understudy.counting import Counter
from understudy.methods import Method, flaw_of, read_method
from understudy.models import DrawsRows, Model
from understudy.privacy import (
    ONE_ROW,
    Budget,
    Curator,
    Neighbours,
    Noiseless,
    PrivacyUnit,
    PrivacyWarning,
    make_noise,
    open_curator,
)
from understudy.tables import Table


def rehearse(
    counter: Counter,
    method: str | Method,
    budget: Budget,
    *,
    seed: int,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    unit: PrivacyUnit = ONE_ROW,
    noiseless: Noiseless | None = None,
    first: Callable[[Curator], Curator] | None = None,
) -> Model:
    """What a method learns of a table with seeded noise; no ledger is touched. `noiseless` leaves noise out of a stage.

    `first` is asked for before the method runs, on the same budget, and gives the curator that the method is to ask.
    Where a unit may have several rows, the counter must keep to its bound.

    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Attribute, Domain
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1, 1]),))
    >>> rehearse(MemoryCounter(table), "uniform", make_budget(1), seed=0).n
    4
    """
    recipe = read_method(method) if isinstance(method, str) else method
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        curator = open_curator(
            counter,
            budget=budget,
            neighbours=neighbours,
            unit=unit,
            noise=make_noise(seed=seed),
            noiseless=noiseless,
            no_guarantee=flaw_of(recipe) is not None,
            method=recipe.name,
        )
        return recipe.fit(curator if first is None else first(curator), streams=Streams(seed))


def sample_table(model: DrawsRows, n: int, coins: Streams, *, independent: bool = False) -> Table:
    """Rows drawn from a model, as one table of codes; with the coins of a seed, those that `publish` would write.

    `independent` draws each row by itself, as the papers do.
    """
    batches = list(model.sample_codes(n, streams=coins, independent=independent))
    columns = (np.concatenate([batch[i] for batch in batches]) for i in range(len(model.domain)))
    return Table(model.domain, tuple(columns))
