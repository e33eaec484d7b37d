"""A method put to a benchmark table, as a rehearsal."""

from __future__ import annotations

import warnings
from dataclasses import fields
from typing import Any, Literal

from understudy._core.randomness import Streams
from understudy.counting import Counter
from understudy.methods import Method, flaw_of, read_method
from understudy.models import Answers
from understudy.privacy import PrivacyWarning, make_budget, make_noise, open_curator

Exact = Literal["all", "selection", "tables"]


def rehearse(counter: Counter, method: str | Method, epsilon: float, seed: int, exact: Exact | None = None) -> Answers:
    """What a method learns of a table with seeded noise. `exact` leaves the noise out of a step, as diagnostics do.

    >>> import numpy as np
    >>> from understudy.counting import MemoryCounter
    >>> from understudy.schema import Attribute, Domain
    >>> from understudy.tables import Table
    >>> table = Table(Domain((Attribute(name="sex", size=2),)), (np.array([0, 1, 1, 1]),))
    >>> rehearse(MemoryCounter(table), "uniform", 1.0, seed=0).n
    4
    """
    recipe = read_method(method) if isinstance(method, str) else method
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PrivacyWarning)
        curator = open_curator(
            counter,
            budget=make_budget(epsilon),
            noise=make_noise(seed=seed),
            noiseless=exact,
            no_guarantee=flaw_of(recipe) is not None,
            method=recipe.name,
        )
        return recipe.fit(curator, streams=Streams(seed))


def options_of(method: Method) -> dict[str, Any]:
    """A method's options by name."""
    kind: Any = type(method)
    return {field.name: getattr(method, field.name) for field in fields(kind)}
