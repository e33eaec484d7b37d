"""PRAM-BN, Figure 4: parameters learnt from equally randomised columns, and how far they may be randomised."""

from __future__ import annotations

from functools import partial
from math import sqrt

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Decided, Trend

_ROWS = 5_000
_PS = (0.0, 0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4, 0.45)
_SIZES = (1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
_CONFIGURATIONS = ("00", "01", "10", "11")
_C = 0.02
_FAIR = 0.05  # "reasonably good"
_SHARE = 0.9  # of the points
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


def _within(results: Results, most: float, limit: float) -> Finding:
    """Whether means of ten runs, as the figure draws them, are typically within a limit at every p up to one."""
    far, single = [], 0.0
    ps = _PS[1 : _PS.index(most) + 1]
    for configuration in _CONFIGURATIONS:
        series = _series(configuration)
        for p in ps:
            results.mean(_OFF, series, p, "p")
            values = results.values(_OFF, series, p, "p")
            typical = sqrt(sum(value**2 for value in values) / len(values))
            if typical > limit:
                far.append((typical, f"{typical:.3f} for {series} at p = {p:g}"))
        single = max(single, results.mean(_SPREAD, series, most, "p"))
    points = len(_CONFIGURATIONS) * len(ps)
    verdict: Verdict = "not reproduced"
    if len(far) > points / 2:
        verdict = "contradicted"
    elif points - len(far) >= _SHARE * points:
        verdict = "reproduced"
    why = f"{points - len(far)} of {points} points within {limit:g}"
    if far:
        why += "; not " + ", ".join(words for _, words in sorted(far, reverse=True)[:3])
    why += f"; a single run's standard deviation at p = {most:g} is {single:.3f} for the worst of the four"
    return Finding(verdict=verdict, why=why + ".")


def _near(most: float, limit: float) -> Decided:
    return Decided(
        text=f"Take the mean of ten runs of each of the four P(D | B, C), as the figure draws it, and its root mean "
        f"square distance from that of the clean rows over the repetitions. Reproduced if {100 * _SHARE:g} % of the "
        f"points with p up to {most:g} have one of {limit:g} or less; contradicted if over half have more; otherwise "
        "not reproduced.",
        by=partial(_within, most=most, limit=limit),
    )


EXPERIMENT = Experiment(
    name="pram-fig4",
    paper="PRAM-BN",
    where="Figure 4",
    title="P(D | B, C) from equally randomised columns, and the largest p for an error of 2 %",
    x="p",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(title="(top) 5,000 rows", measure=_ESTIMATE, y=_ESTIMATE, group="p", most=1.0),
        Panel(title="(ours) by maximum likelihood", measure=_LIKELY, y=_ESTIMATE, group="p", most=1.0),
        Panel(title="(bottom) c = 2 %", measure=_LARGEST, y="p*", group="rows", x="thousand rows"),
    ),
    claims=(
        Claim(
            sentence="It is clear from the figure that for randomization parameter p ≤ 0.25, we can estimate the BN "
            "parameters with almost no error.",
            rule=_near(0.25, _C),
        ),
        Claim(
            sentence="Even for p values up to 0.3, we get reasonably good parameter estimates.",
            rule=_near(0.3, _FAIR),
        ),
        Claim(
            sentence="Under the same accuracy requirement, the p value can be closer to 0.5 if more samples are "
            "available (Figure 4, bottom).",
            rule=Trend(series=(_MEASURED,), measures=(_LARGEST,), groups=("rows",), rises=True),
        ),
    ),
    quick_seeds=10,
    full_seeds=100,
)
