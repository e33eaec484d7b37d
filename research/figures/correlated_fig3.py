"""Correlated release, Figure 3: accuracy against the threshold T, and how near the last histogram is to the data."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.correlated_lines import (
    DATASET,
    along_thresholds,
)

_ACCURACY, _DISTANCE = "accuracy", "distance"


def _runs(scale: Scale) -> list[Run]:
    return along_thresholds(scale.seeds)


EXPERIMENT = Experiment(
    name="correlated-fig3",
    paper="Correlated release",
    where="Figure 3",
    title="Accuracy of answers to 10,000 queries on Adult, and of the histogram behind them, ε = 1, μ = 0.7",
    x="T",
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) accuracy of answers", measure=_ACCURACY, y="1 − deviation", most=1.0),
        Panel(title="(b) last histogram, distance from the data", measure=_DISTANCE, y="total variation", most=1.0),
    ),
    quick_seeds=5,
    full_seeds=50,
)
