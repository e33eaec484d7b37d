"""From a counter to a curator: the run is charged here, before any count is taken."""

from __future__ import annotations

from typing import get_args

from understudy._core.errors import OptionError
from understudy.counting import Counter
from understudy.privacy._accountant import Accountant
from understudy.privacy._budget import Budget
from understudy.privacy._curator import CuratedRun, Curator, warn_of_large_delta
from understudy.privacy._ledger import Ledger
from understudy.privacy._neighbours import Neighbours
from understudy.privacy._noise import Noise, make_noise, refuse_discrete_gaussian
from understudy.privacy._protection import View
from understudy.privacy._question import Noiseless, PrivateRows
from understudy.privacy._terms import PrivacyTerms
from understudy.privacy._unit import ONE_ROW, PrivacyUnit


def open_curator(
    counter: Counter,
    *,
    budget: Budget,
    neighbours: Neighbours = Neighbours.REPLACE_ONE,
    unit: PrivacyUnit = ONE_ROW,
    ledger: Ledger | None = None,
    noise: Noise | None = None,
    noiseless: Noiseless | None = None,
    no_guarantee: bool = False,
    method: str = "",
    note: str = "",
) -> Curator:
    """A curator over the rows of any counting engine.

    The whole budget is charged to `ledger`, durably, before this returns; a rehearsal, a diagnostic and a run without
    a guarantee are never charged.

    >>> import numpy as np
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.privacy import make_budget
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1], dtype=np.uint8),))
    >>> open_curator(MemoryCounter(table), budget=make_budget(1)).rows
    3
    """
    if noiseless is not None and noiseless not in get_args(Noiseless):
        raise OptionError(
            f"The 'noiseless' parameter must be None, 'all', 'selection' or 'tables'. Got {noiseless!r} instead."
        )
    noise = make_noise() if noise is None else noise
    refuse_discrete_gaussian(noise, pure=budget.pure)
    run = CuratedRun(
        terms=PrivacyTerms(budget=budget, neighbours=neighbours, unit=unit),
        accountant=Accountant(),
        noise=noise,
        domain=counter.domain,
        noiseless=noiseless,
        no_guarantee=no_guarantee,
        rows=None,
    )
    if run.terms.public_rows:
        run.rows = counter.n
        warn_of_large_delta(run.terms, run.rows)
    if ledger is not None and run.guarantee:
        run.ledger_entry = ledger.charge(run.terms, method=method, note=note)
    return Curator(run, PrivateRows(counter), View(counter.domain))
