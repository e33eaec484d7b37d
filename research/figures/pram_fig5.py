"""PRAM-BN, Figure 5: structure learnt by K2 from equally randomised columns, with the paper's thresholds and ours."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.pram_lines import (
    BAYES,
    BIC,
    BY_ROWS,
    CS,
    ETAS,
    EXTRA,
    FIXED,
    GRID,
    KL,
    LINKS,
    MISSING,
    OUR_C,
    OUR_ETA,
    OURS,
    PAPERS,
    PENALTIES,
    PENALTY,
    PS,
    VARIABLE,
)
from research.tasks import DRAWN, variable_eta

_ROWS = 10_000
_DISTANCE = "KL distance (nats)"
_MORE_ROWS, _FAR_P = (10_000, 40_000, 160_000), 0.35
_LINES: dict[str, dict[str, dict[str, object]]] = {
    BAYES: {
        "η = 1": {"method": "bayes", "eta": 1.0},
        "η = 0.99": {"method": "bayes", "eta": 0.99},
        VARIABLE: {"method": "bayes", "eta": "variable"},
        OUR_ETA: {"method": "bayes"},
        OURS: {"method": "likelihood"},
    },
    BIC: {
        "C* = 1": {"method": "bic", "penalty": 1.0},
        "C* = 4": {"method": "bic", "penalty": 4.0},
        "C* = 8": {"method": "bic", "penalty": 8.0},
        PENALTY: {"method": "bic", "penalty": "N/2"},
        OUR_C: {"method": "bic"},
    },
    GRID: {
        **{f"η = {eta:g}": {"method": "bayes", "eta": eta} for eta in ETAS},
        **{f"C* = {c:g}": {"method": "bic", "penalty": c} for c in CS},
    },
}


def _at(p: float, how: dict[str, object]) -> dict[str, object]:
    """With the paper's variable η put in: where it is one of the fixed ones, the run is the same."""
    return how | {"eta": variable_eta(p)} if how.get("eta") == "variable" else how


def _runs(scale: Scale) -> list[Run]:
    found = [
        Run(
            series=series,
            x=p,
            seed=seed,
            task="pram structure",
            params={"network": "figure 3", "rows": _ROWS, "p": p, **_at(p, how)},
            group=group,
        )
        for seed in range(scale.seeds)
        for p in PS
        for group, lines in _LINES.items()
        for series, how in lines.items()
        if group != GRID or p in PAPERS
    ]
    found += [
        Run(
            series=series,
            x=p,
            seed=seed,
            task="pram structure",
            params={"network": network, "rows": _ROWS, "p": p, **_at(p, _LINES[group][series])},
            group=network,
        )
        for seed in range(scale.seeds)
        for network in DRAWN
        for group, lines in ((BAYES, (*FIXED, VARIABLE)), (BIC, PENALTIES))
        for p in PAPERS
        for series in lines
    ]
    return found + [
        Run(
            series=series,
            x=rows / 1000,
            seed=seed,
            task="pram structure",
            params={"network": "figure 3", "rows": rows, "p": _FAR_P, **_at(_FAR_P, _LINES[group][series])},
            group=BY_ROWS,
        )
        for seed in range(scale.seeds)
        for rows in _MORE_ROWS
        for group, series in ((BAYES, VARIABLE), (BIC, "C* = 4"), (BAYES, OURS))
    ]


EXPERIMENT = Experiment(
    name="pram-fig5",
    paper="PRAM-BN",
    where="Figure 5",
    title="Structure learnt from equally randomised columns, 10,000 rows: links in error and KL distance",
    x="p",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(title="(a) Bayesian score, links (paper: left)", measure=LINKS, y=LINKS, group=BAYES),
        Panel(title="(b) Bayesian score, KL (paper: right)", measure=KL, y=_DISTANCE, group=BAYES, log_y=True),
        Panel(title="(c) Bayesian score, missing links alone", measure=MISSING, y="missing links", group=BAYES),
        Panel(title=f"(d) more rows, p = {_FAR_P:g}", measure=LINKS, y=LINKS, group=BY_ROWS, x="thousand rows"),
        Panel(title="(e) BIC, links", measure=LINKS, y=LINKS, group=BIC),
        Panel(title="(f) BIC, KL", measure=KL, y=_DISTANCE, group=BIC, log_y=True),
        Panel(title="(g) BIC, missing links alone", measure=MISSING, y="missing links", group=BIC),
        Panel(title="(h) BIC, extra links alone", measure=EXTRA, y="extra links", group=BIC),
        *(
            Panel(title=f"({letter}) both scores, probabilities {network}", measure=LINKS, y=LINKS, group=network)
            for letter, network in zip("ijkl", DRAWN, strict=True)
        ),
    ),
    note="(a) to (h): the network declared here. (i) to (l): its links with other probabilities",
    quick_seeds=5,
    full_seeds=15,
    log_x=False,
)
