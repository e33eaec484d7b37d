"""Beyond the PRAM-BN paper: structure of ALARM and INSURANCE from columns that three parties randomised."""

from __future__ import annotations

from itertools import product
from math import exp

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.pram_lines import KL, LINKS, MISSING, OUR_C, OURS, VARIABLE
from research.tasks import variable_eta

_NETWORKS = {"ALARM": "alarm", "INSURANCE": "insurance"}
_ROWS = 50_000
_EPSILONS = (1.0, 2.0, 4.0, 6.0)
_CLOSE = "η = 0.99"
_LINES: dict[str, dict[str, object]] = {
    "as if clean": {"method": "bic", "penalty": 1.0, "as_if_clean": True},
    _CLOSE: {"method": "bayes", "eta": 0.99},
    VARIABLE: {"method": "bayes", "eta": "variable"},
    "C* = 4": {"method": "bic", "penalty": 4.0},
    "C* = 8": {"method": "bic", "penalty": 8.0},
    OUR_C: {"method": "bic"},
    OURS: {"method": "likelihood"},
}
_DRAWN = tuple(line for line in _LINES if line != _CLOSE)
_MEASURES = {LINKS: LINKS, MISSING: "missing links", KL: "KL distance (nats)"}


def _at(epsilon: float, how: dict[str, object]) -> dict[str, object]:
    """With the paper's variable η put in, by the p of a binary column at this ε."""
    return how | {"eta": variable_eta(1 / (1 + exp(epsilon)))} if how.get("eta") == "variable" else how


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=series,
            x=epsilon,
            seed=seed,
            task="pram structure",
            params={"network": name, "rows": _ROWS, "epsilon": epsilon, **_at(epsilon, how)},
            group=label,
        )
        for seed in range(scale.seeds)
        for label, name in _NETWORKS.items()
        for epsilon in _EPSILONS
        for series, how in _LINES.items()
    ]


EXPERIMENT = Experiment(
    name="pram-real",
    paper="PRAM-BN",
    where="section VI, beyond the paper's networks",
    title="Structure of ALARM and INSURANCE from columns that three parties randomised, 50,000 rows",
    x="ε a column",
    datasets=(),
    runs=_runs,
    panels=tuple(
        Panel(title=f"({letter}) {label}", measure=measure, y=y, group=label, log_y=measure != MISSING, series=_DRAWN)
        for letter, (label, (measure, y)) in zip("abcdef", product(_NETWORKS, _MEASURES.items()), strict=True)
    ),
    note=f"{_CLOSE} is in the values and not drawn: it differs little from {VARIABLE}",
    quick_seeds=5,
    full_seeds=5,
)
