"""PrivABN, Figure 1: errors with noise and without, by the number of columns in a query."""

from __future__ import annotations

from itertools import product

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._budgets import EPSILON
from research.figures.privabn_lines import (
    TABLES,
    with_and_without,
)

_EPSILONS = (0.001, 0.005, 0.01, 0.05, 0.1, 1.0)
_WAYS = (3, 7, 12)
_KINDS = ("L1", "L2")


def _runs(scale: Scale) -> list[Run]:
    return with_and_without(scale, _EPSILONS, _WAYS)


EXPERIMENT = Experiment(
    name="privabn-fig1",
    paper="PrivABN",
    where="Figure 1",
    title="PrivABN with noise and without: errors of α-way queries on NLTCS and ACS",
    x=EPSILON,
    datasets=tuple(TABLES.values()),
    runs=_runs,
    panels=tuple(
        Panel(
            title=f"({letter}) {group}, {kind}, α = {way}",
            measure=f"{kind} {way}-way",
            y=f"{kind} error",
            group=group,
            log_y=True,
        )
        for letter, (way, group, kind) in zip("abcdefghijkl", product(_WAYS, TABLES, _KINDS), strict=True)
    ),
    quick_seeds=5,
)
