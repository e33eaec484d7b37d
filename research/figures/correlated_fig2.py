"""Correlated release, Figure 2: corrections against the threshold T, and what they cost by the paper's own ε₀."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.correlated_lines import DATASET, along_thresholds

_CORRECTIONS, _SPENT = "corrections", "spent"


def _runs(scale: Scale) -> list[Run]:
    return along_thresholds(scale.seeds)


EXPERIMENT = Experiment(
    name="correlated-fig2",
    paper="Correlated release",
    where="Figure 2",
    title="Corrections of the histogram during 10,000 queries on Adult, ε = 1, μ = 0.7, ϑ₀ = 0.6",
    x="T",
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) corrections", measure=_CORRECTIONS, y="corrections", log_y=True),
        Panel(
            title="(b) their cost by the paper's own ε₀",
            measure=_SPENT,
            y="times ε",
            log_y=True,
            level=1.0,
            level_words="the whole of ε:",
        ),
    ),
    quick_seeds=5,
    full_seeds=50,
)
