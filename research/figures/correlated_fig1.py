"""Correlated release, Figure 1: how far answers to 10,000 counts are off, by Laplace noise and by Algorithm 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.correlated_lines import DATASET, MENDED, PRINTED, THRESHOLD

_EPSILONS = tuple(round(0.1 * step, 1) for step in range(1, 11))
_NUMBERS = (10, 100, 1_000, 10_000)
_LAPLACE, _GROUPS, _UNIFORM = "Laplace", "Laplace, groups of 12", "uniform, no data"
_OURS, _OUR_GROUPS = "ours", "ours, groups of 12"
_FEW_EPSILONS, _FEW_NUMBERS, _FEW_SEEDS = (0.1, 1.0), (10.0, 10_000.0), 5  # of ours in the quick form
_DEVIATION = "deviation"
_LINES: Mapping[str, dict[str, Any]] = {
    _LAPLACE: {"method": "laplace"},
    _GROUPS: {"method": "laplace for groups"},
    PRINTED: {"method": "as printed", "threshold": THRESHOLD},
    MENDED: {"method": "mended", "threshold": THRESHOLD},
    _UNIFORM: {"method": "uniform"},
    _OURS: {"method": "ours"},
    _OUR_GROUPS: {"method": "ours for groups"},
}
_AS_PRINTED = (_LAPLACE, PRINTED, MENDED, _UNIFORM)
_FORMS = (_LAPLACE, _GROUPS, _UNIFORM, _OURS, _OUR_GROUPS)


def _runs(scale: Scale) -> list[Run]:
    settings = [("ε", epsilon, {"epsilon": epsilon}) for epsilon in _EPSILONS]
    settings += [("queries", float(number), {"epsilon": 1.0, "queries": number}) for number in _NUMBERS[:-1]]
    settings += [("queries", float(_NUMBERS[-1]), {"epsilon": 1.0})]
    return [
        Run(
            series=series,
            x=x,
            seed=seed,
            task="correlated answers",
            params={"dataset": DATASET, **own, **params},
            group=group,
        )
        for seed in range(scale.seeds)
        for group, x, own in settings
        for series, params in _LINES.items()
        if not (scale.quick and series in (_OURS, _OUR_GROUPS)) or _cheap(group, x, seed)
    ]


def _cheap(group: str, x: float, seed: int) -> bool:
    """Where ours, which takes much longer than the others, is run in the quick form."""
    return seed < _FEW_SEEDS and x in (_FEW_NUMBERS if group == "queries" else _FEW_EPSILONS)


EXPERIMENT = Experiment(
    name="correlated-fig1",
    paper="Correlated release",
    where="Figure 1",
    title="Deviation of answers to random counts on Adult (eq. 23), T = 0.3, μ = 0.7, ϑ₀ = 0.6",
    x="ε",
    datasets=(DATASET,),
    runs=_runs,
    panels=tuple(
        Panel(
            title=f"({letter}) {title}",
            measure=_DEVIATION,
            y=_DEVIATION,
            group=group,
            log_y=True,
            x=x,
            series=lines,
        )
        for letters, lines, titles in (
            ("ab", _AS_PRINTED, ("10,000 queries: CS as printed ≈ uniform", "ε = 1")),
            ("cd", _FORMS, ("10,000 queries, our forms", "ε = 1, our forms")),
        )
        for letter, title, group, x in zip(letters, titles, ("ε", "queries"), ("", "number of queries"), strict=True)
    ),
    quick_words=f"ours at a few points, {_FEW_SEEDS} times",
    quick_seeds=5,
    full_seeds=50,
)
