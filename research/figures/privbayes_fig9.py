"""PrivBayes, Figure 9: the share β of the budget that goes into the choice of the network."""

from __future__ import annotations

from research._experiment import Claim, Experiment, Finding, NothingRunError, Results, Run, Scale
from research._rules import Decided
from research.figures import _tuning
from research.figures._tuning import PRINTED, at, best, lines

_EPSILONS = (0.1, 0.4, 1.6)
_BETAS = (0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
_QUICK = (0.05, 0.1, 0.3, 0.5, 0.7, 0.9)
_DEGREES = "degree"


def _word(beta: float) -> str:
    return PRINTED if beta == 0.3 else f"{PRINTED}:beta={beta:g}"


def _runs(scale: Scale) -> list[Run]:
    degree = Run(
        series="PrivBayes",
        x=_BETAS[-1],
        seed=0,
        task="network",
        params={"dataset": "acs", "method": _word(_BETAS[-1]), "epsilon": _EPSILONS[0]},
        group=_DEGREES,
    )
    return [*_tuning.tuning_runs(scale, _QUICK if scale.quick else _BETAS, _EPSILONS, _word), degree]


def _ends_are_worse(results: Results) -> Finding:
    found = lines(results)
    low = [name for name, line in found.items() if line[min(line)] > at(line, 0.3)]
    high = [name for name, line in found.items() if line[max(line)] > at(line, 0.3)]
    of = len(found)
    why = f"Of {of} lines, {len(low)} are higher at {_BETAS[0]:g} than at 0.3, and {len(high)} at {_BETAS[-1]:g}."
    if min(len(low), len(high)) >= 0.75 * of:
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if max(len(low), len(high)) < of / 2 else "not reproduced", why=why)


def _best_is_below_half(results: Results) -> Finding:
    places = [best(line) for line in lines(results).values()]
    below, above = sum(x < 0.5 for x in places), sum(x > 0.5 for x in places)
    why = f"The least error is below 0.5 in {below} of {len(places)} lines, at 0.5 in {len(places) - below - above}."
    if below > len(places) / 2:
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if above > len(places) / 2 else "not reproduced", why=why)


def _exception(results: Results) -> Finding:
    degree = results.mean("degree", "PrivBayes", _BETAS[-1], _DEGREES)
    line = lines(results).get(f"ACS, Q4, ε = {_EPSILONS[0]:g}", {})
    if len(line) < 2:
        raise NothingRunError("Nothing was run for Q4 of ACS")
    before, last = sorted(line)[-2:]
    why = f"The degree is {degree:g}; the error is {line[before]:.4f} at {before:g} and {line[last]:.4f} at {last:g}."
    if degree > 0:
        return Finding(verdict="contradicted", why=why)
    return Finding(verdict="reproduced" if line[last] < line[before] else "not reproduced", why=why)


EXPERIMENT = Experiment(
    name="privbayes-fig9",
    paper="PrivBayes",
    where="Figure 9",
    title="Choice of β",
    x="β",
    datasets=_tuning.DATASETS,
    runs=_runs,
    panels=_tuning.PANELS,
    log_x=False,
    quick_seeds=5,
    claims=(
        Claim(
            sentence="The error tends to be higher when β is very small or very large.",
            rule=Decided(
                text=f"Compare each line's mean at the ends of the axis ({_BETAS[0]:g} and {_BETAS[-1]:g}) with that "
                "at 0.3. Reproduced if in at least three quarters of the lines it is higher at the left end, and in as "
                "many at the right one; contradicted if neither is so in half of them; otherwise not reproduced.",
                by=_ends_are_worse,
            ),
        ),
        Claim(
            sentence="On ACS, Q4 is an exception at β = 0.9: no relation is θ-useful there, so that β is reset to 0 "
            "and the error is no higher.",
            rule=Decided(
                text=f"Look at ε = {_EPSILONS[0]:g}. Reproduced if the network at β = 0.9 has no edges and the mean "
                "error is lower than at the next smaller β; contradicted if it has edges; otherwise not reproduced.",
                by=_exception,
            ),
        ),
        Claim(
            sentence="There is a good range of values of β where the error is comparable to the least.",
            rule=_tuning.wide(lambda low, high: high - low >= 0.199, "span 0.2 or more"),
        ),
        Claim(
            sentence="The good range of β, here the place of the least error, tends to be below one half.",
            rule=Decided(
                text="Take the β of least mean of each line. Reproduced if it is below 0.5 in over half of them; "
                "contradicted if above 0.5 in over half; otherwise not reproduced.",
                by=_best_is_below_half,
            ),
        ),
        Claim(sentence="An appropriate β lies in [0.2, 0.5].", rule=_tuning.best_within(0.2, 0.5)),
        Claim(sentence="β = 0.3 is a satisfying default for a range of tasks.", rule=_tuning.good_default(0.3)),
        Claim(
            sentence="Counting queries want a small β, classification a somewhat larger one.",
            rule=_tuning.classifiers_prefer(larger=True),
        ),
    ),
)
