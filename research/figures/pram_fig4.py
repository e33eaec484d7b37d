"""PRAM-BN, Figure 4: parameters learnt from equally randomised columns, and how far they may be randomised."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale

_ROWS = 5_000
_PS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
_SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_CONFIGURATIONS = ("00", "01", "10", "11")
_C = 0.02
_TIMES = 3  # as many repetitions of the upper panel, which are cheap
_REPEATED = 10  # runs that a repetition averages, as the paper does
_ESTIMATE, _OFF, _SPREAD, _LARGEST = "P(D = 1 | B, C)", "off", "foretold", "p*"
_LIKELY = "likely"
_MEASURES = {"": _ESTIMATE, "likely ": _LIKELY, "off ": _OFF, "sd ": _SPREAD}
_MEASURED, _FORETOLD = "measured", "by Theorem 2"


def _series(configuration: str) -> str:
    return f"B, C = {', '.join(configuration)}"


def _runs(scale: Scale) -> list[Run]:
    found = [
        Run(
            series=_series(configuration),
            x=p,
            seed=seed,
            task="pram estimates",
            params={"rows": _ROWS, "p": p, "runs": _REPEATED},
            group="p",
            places={f"{word}{configuration}": (measure, p) for word, measure in _MEASURES.items()},
        )
        for seed in range(_TIMES * scale.seeds)
        for p in _PS
        for configuration in _CONFIGURATIONS
    ]
    return found + [
        Run(
            series=series,
            x=rows / 1000,
            seed=seed,
            task="pram largest p",
            params={"rows": rows, "c": _C, "runs": _REPEATED, "by": by},
            group="rows",
        )
        for seed in range(scale.seeds)
        for rows in _SIZES
        for series, by in ((_MEASURED, "runs"), (_FORETOLD, "Theorem 2"))
    ]


EXPERIMENT = Experiment(
    name="pram-fig4",
    paper="PRAM-BN",
    where="Figure 4",
    title="P(D | B, C) from equally randomised columns, and the largest p for an error of 2 %",
    x="p",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(title="(a) 5,000 rows (top in the paper)", measure=_ESTIMATE, y=_ESTIMATE, group="p", most=1.0),
        Panel(title="(b) the same by maximum likelihood (ours)", measure=_LIKELY, y=_ESTIMATE, group="p", most=1.0),
        Panel(title="(c) c = 2 % (bottom in the paper)", measure=_LARGEST, y="p*", group="rows", x="thousand rows"),
    ),
    quick_seeds=5,
    full_seeds=10,
)
