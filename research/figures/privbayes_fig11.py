"""PrivBayes, Figure 11: whether errors come from the choice of the network or from the noise in its tables."""

from __future__ import annotations

from itertools import product
from math import exp, log, sqrt

from research._experiment import Claim, Experiment, Finding, Results, Run, Scale
from research._rules import NOTHING, Beats, Decided
from research.figures._budgets import EPSILON, EPSILONS
from research.figures._tuning import DATASETS, PANELS, PRINTED, TASKS

_OURS, _NETWORK, _MARGINAL = "PrivBayes", "BestNetwork", "BestMarginal"
_NOISELESS = {_OURS: None, _NETWORK: "selection", _MARGINAL: "tables"}
_COUNTS = [task for task in TASKS if task.counts]
_CLASSES = [task for task in TASKS if not task.counts]


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=series,
            x=epsilon,
            seed=seed,
            task=task.task,
            params=task.params(PRINTED, epsilon, **({} if noiseless is None else {"noiseless": noiseless})),
            group=task.group,
        )
        for seed, task, epsilon, (series, noiseless) in product(range(scale.seeds), TASKS, EPSILONS, _NOISELESS.items())
    ]


def _more_on_others(results: Results) -> Finding:
    gains = {}
    for task in _COUNTS:
        errors = [
            tuple(results.mean(task.measure, line, x, task.group) for line in (_OURS, _MARGINAL))
            for x in results.xs(task.measure, _OURS, task.group)
        ]
        ratios = [log(mine / best) for mine, best in errors if mine > 0 and best > 0]
        if not ratios:
            return NOTHING
        gains[task.table] = exp(sum(ratios) / len(ratios))
    why = "; ".join(f"{table} × {gain:.2f}" for table, gain in gains.items()) + "."
    binary, others = [gains["NLTCS"], gains["ACS"]], [gains["Adult"], gains["BR2000"]]
    if min(others) > max(binary):
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if max(others) < min(binary) else "not reproduced", why=why)


def _average(results: Results, line: str) -> tuple[float, float]:
    """A line's mean over the panels of classifiers and the axis, with its standard error."""
    points = [(task.measure, line, x, task.group) for task in _CLASSES for x in EPSILONS]
    mean = sum(results.mean(*point) for point in points) / len(points)
    return mean, sqrt(sum(results.standard_error(*point) ** 2 for point in points)) / len(points)


def _classifiers_suffer(results: Results) -> Finding:
    (network, error), (marginal, other) = (_average(results, line) for line in (_NETWORK, _MARGINAL))
    reach = 2 * sqrt(error**2 + other**2)
    why = (
        f"BestNetwork {network:.4f}, BestMarginal {marginal:.4f}; 2 standard errors of the difference are {reach:.4f}."
    )
    if marginal - network > reach:
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if network - marginal > reach else "not reproduced", why=why)


EXPERIMENT = Experiment(
    name="privbayes-fig11",
    paper="PrivBayes",
    where="Figure 11",
    title="Source of error",
    x=EPSILON,
    datasets=DATASETS,
    runs=_runs,
    panels=PANELS,
    quick_seeds=5,
    claims=(
        Claim(
            sentence="The error of counting queries comes mainly from the noise in tables: BestMarginal significantly "
            "outperforms the other two.",
            rule=Beats(
                ours=(_MARGINAL,),
                others=(_OURS, _NETWORK),
                measures=tuple(dict.fromkeys(task.measure for task in _COUNTS)),
                groups=tuple(task.group for task in _COUNTS),
                clearly=True,
            ),
        ),
        Claim(
            sentence="On counts, BestMarginal outperforms PrivBayes most on the non-binary tables Adult and BR2000.",
            rule=Decided(
                text="Take PrivBayes' mean over BestMarginal's, and its geometric mean over the axis. Reproduced if it "
                "is larger on Adult and on BR2000 than on either binary table; contradicted if smaller on both than on "
                "either; otherwise not reproduced.",
                by=_more_on_others,
            ),
        ),
        Claim(
            sentence="Classifiers, in contrast, suffer more from noisy networks: BestNetwork is better than "
            "BestMarginal.",
            rule=Decided(
                text="Average both lines over the panels of classifiers and the axis. Reproduced if BestNetwork's "
                "average is lower by more than 2 standard errors; contradicted if higher by more than that; otherwise "
                "not reproduced.",
                by=_classifiers_suffer,
            ),
        ),
    ),
)
