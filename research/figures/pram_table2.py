"""PRAM-BN, Tables I and II: parameters learnt from columns that are randomised unequally, in both setups."""

from __future__ import annotations

from math import sqrt

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._rules import Decided
from research.figures._pram import paired_gap
from research.tasks import GAMMA_OF_X, PARAMETERS, PRINTED_AMPLIFICATION, parameter_words

_ROWS, _REPEATED = 20_000, 5
_SETUPS = {"II": "Setup II, learnt", "I": "Setup I, learnt"}
_FORETOLD = {"II": "Setup II, Theorem 2", "I": "Setup I, Theorem 2"}
_DECLARED, _PRINTED, _OTHER_X = "declared", "printed", f"Setup II, Theorem 2 with X at p = {GAMMA_OF_X:g}"
_MATRIX = "by the matrix"
_NUMBERS = tuple(float(number) for number in range(1, PARAMETERS + 1))
_COLUMNS = tuple(PRINTED_AMPLIFICATION)
_PARAMETER, _GAP, _OFF, _ERROR, _GAMMA, _ORIGINS = "parameter", "gap", "off", "error of one data set", "γ", "K*"
_SPREADS = {"II": "standard deviation", "I": "standard deviation in Setup I"}
_FAR = 3.0  # standard errors
_SMALL = 0.02  # the paper's "very small parameter estimation error"
_FEW = 0.05
_RARE = 4.27  # of a normal variable: one in 100,000, both sides, so that 34 parameters are wrongly off in one of 3,000
_COVERAGE = (0.93, 0.97)
_NOTHING = 1e-18  # of a variance: rounding


def _places(setup: str) -> dict[str, tuple[str, float]]:
    """Where what is said of a parameter belongs: the spread of either setup has a panel of its own."""
    words = {"mean": _PARAMETER, "gap": _GAP, "sd": _SPREADS[setup], "off": _OFF, "se": _ERROR}
    return {f"{word} {number:g}": (measure, number) for number in _NUMBERS for word, measure in words.items()}


def _runs(scale: Scale) -> list[Run]:
    found = [
        Run(
            series=series,
            x=1.0,
            seed=seed,
            task="pram parameters",
            params={"setup": setup, "rows": _ROWS, "runs": _REPEATED},
            places=_places(setup),
        )
        for seed in range(scale.seeds)
        for setup, series in _SETUPS.items()
    ]
    put: dict[str, dict[str, object]] = {
        _DECLARED: {"what": "declared", "rows": _ROWS},
        _PRINTED: {"what": "printed"},
        _FORETOLD["II"]: {"what": "Theorem 2", "rows": _ROWS, "setup": "II"},
        _OTHER_X: {"what": "Theorem 2", "rows": _ROWS, "setup": "II", "p of X": GAMMA_OF_X},
        _FORETOLD["I"]: {"what": "Theorem 2", "rows": _ROWS, "setup": "I"},
    }
    found += [
        Run(series=series, x=1.0, seed=0, task="pram beside", params=params, places=_places(_setup(series)))
        for series, params in put.items()
    ]
    return found + [
        Run(series=series, x=1.0, seed=0, task="pram amplification", params={}, places=_columns(word))
        for series, word in ((_PRINTED, "printed"), (_MATRIX, "gamma"))
    ]


def _setup(series: str) -> str:
    return "I" if series == _FORETOLD["I"] else "II"


def _columns(word: str) -> dict[str, tuple[str, float]]:
    """Places of what is said of Table I's columns, number by number."""
    numbers = list(enumerate(_COLUMNS, start=1))
    return {f"{word} {name}": (_GAMMA, float(i)) for i, name in numbers} | {
        f"K* {name}": (_ORIGINS, float(i)) for i, name in numbers
    }


def _accurate(results: Results) -> Finding:
    """Whether means lie where the declared network says, and single runs near them."""
    parts, verdicts = [], []
    for setup, series in _SETUPS.items():
        scores: dict[float, float] = {}
        for number in _NUMBERS:
            repeats = len(results.values(_PARAMETER, series, number)) or 1
            one = results.mean(_ERROR, _DECLARED, number)
            noise = results.mean(_SPREADS[setup], _FORETOLD[setup], number)
            gap = results.mean(_PARAMETER, series, number) - results.mean(_PARAMETER, _DECLARED, number)
            error = sqrt((one**2 + noise**2 / _REPEATED) / repeats)
            scores[number] = abs(gap) / error if error else 0.0
        errors = sorted(results.mean(_OFF, series, number) for number in _NUMBERS)
        far = [number for number in _NUMBERS if scores[number] > _FAR]
        worst = max(_NUMBERS, key=lambda number: results.mean(_OFF, series, number))
        middle = errors[len(errors) // 2]
        parts.append(
            f"Setup {setup}: {len(_NUMBERS) - len(far)} of {len(_NUMBERS)} means within {_FAR:g} standard errors"
            f"{_but(far)}; randomising moves a parameter by {middle:.4f} in the middle and by {errors[-1]:.4f} at "
            f"most, {parameter_words(int(worst))}"
        )
        verdicts.append((len(far) <= _FEW * len(_NUMBERS) and middle <= _SMALL, len(far) > len(_NUMBERS) / 2))
    verdict: Verdict = "not reproduced"
    if all(right for right, _ in verdicts):
        verdict = "reproduced"
    elif any(wrong for _, wrong in verdicts):
        verdict = "contradicted"
    return Finding(verdict=verdict, why="; ".join(parts) + ".")


def _but(far: list[float]) -> str:
    return f", not {', '.join(parameter_words(int(number)) for number in far[:3])}" if far else ""


def _always_better(results: Results) -> Finding:
    """Whether Setup I's error is nowhere above Setup II's, differences taken run by run."""
    below, same, above = 0, 0, []
    for number in _NUMBERS:
        mean, error = paired_gap(results, _OFF, _SETUPS["I"], _SETUPS["II"], number)
        if -mean > _FAR * error:
            above.append(parameter_words(int(number)))
        else:
            below, same = below + (mean > 0), same + (mean == 0)
    verdict: Verdict = "not reproduced"
    if above:
        verdict = "contradicted"
    elif below + same >= 0.9 * len(_NUMBERS):
        verdict = "reproduced"
    why = (
        f"of {len(_NUMBERS)} parameters Setup I is better in {below}, the same in {same}, clearly worse in {len(above)}"
    )
    return Finding(verdict=verdict, why=why + (f": {', '.join(above[:3])}" if above else "") + ".")


def _as_theorem_2_says(results: Results) -> Finding:
    """Whether variances over runs are those foretold, as chi-square allows."""
    ratios, off = [], []
    for setup, series in _SETUPS.items():
        for number in _NUMBERS:
            foretold = results.mean(_SPREADS[setup], _FORETOLD[setup], number)
            results.mean(_SPREADS[setup], series, number)
            values = results.values(_SPREADS[setup], series, number)
            variance = sum(value**2 for value in values) / len(values)
            if foretold**2 <= _NOTHING:
                if variance > _NOTHING:
                    off.append(f"Setup {setup}, {parameter_words(int(number))}: {sqrt(variance):.4f} of 0")
                continue
            ratio, free = variance / foretold**2, (_REPEATED - 1) * len(values)
            ratios.append(ratio)
            wing = 2 / (9 * free)  # Wilson and Hilferty: the cube root of chi-square over its degrees is nearly normal
            if abs(ratio ** (1 / 3) - (1 - wing)) > _RARE * sqrt(wing):
                off.append(f"Setup {setup}, {parameter_words(int(number))}: {sqrt(variance):.4f} of {foretold:.4f}")
    total = 2 * len(_NUMBERS)
    mean = sum(ratios) / max(1, len(ratios))
    verdict: Verdict = "not reproduced"
    if len(off) > total / 2:
        verdict = "contradicted"
    elif not off and 0.8 <= mean <= 1.25:
        verdict = "reproduced"
    why = f"{total - len(off)} of {total} variances as foretold; over foretold ones they are {mean:.2f} on average"
    return Finding(verdict=verdict, why=why + (f"; not so: {'; '.join(off[:3])}" if off else "") + ".")


def _normal(results: Results) -> Finding:
    """Whether intervals of 95 % hold 95 %."""
    shares = {setup: results.mean("covered", series, 1.0) for setup, series in _SETUPS.items()}
    low, high = _COVERAGE
    verdict: Verdict = "not reproduced"
    if all(low <= share <= high for share in shares.values()):
        verdict = "reproduced"
    elif any(share < 0.9 for share in shares.values()):
        verdict = "contradicted"
    return Finding(
        verdict=verdict, why="; ".join(f"Setup {setup}: {100 * share:.1f} %" for setup, share in shares.items()) + "."
    )


def _gammas(results: Results) -> Finding:
    """Whether Table I's γ are those of its p."""
    pairs = {
        name: (results.mean(_GAMMA, _PRINTED, i), results.mean(_GAMMA, _MATRIX, i))
        for i, name in enumerate(_COLUMNS, start=1)
    }
    off = {name: pair for name, pair in pairs.items() if abs(pair[0] - pair[1]) > 0.005}
    why = f"{len(pairs) - len(off)} of {len(pairs)} columns agree"
    if off:
        why += "; not " + ", ".join(f"{name}: {mine:g}, printed {theirs:g}" for name, (theirs, mine) in off.items())
    return Finding(verdict="contradicted" if off else "reproduced", why=why + ".")


def _origins(results: Results) -> Finding:
    found = {name: results.mean(_ORIGINS, _MATRIX, i) for i, name in enumerate(_COLUMNS, start=1)}
    right = {name: 3.0 if name in "LB" else 2.0 for name in _COLUMNS}
    why = ", ".join(f"{name} {count:g}" for name, count in found.items())
    return Finding(verdict="reproduced" if found == right else "contradicted", why=f"{why}.")


def _fairly_good(results: Results) -> Finding:
    epsilon, clear = results.mean("epsilon", _MATRIX, 1.0), results.mean("clear", _MATRIX, 1.0)
    return Finding(
        verdict="not reproduced",
        why=f"Not testable: no level is named. By Table I's matrices a record's γ is the product of its columns', so "
        f"its ε is {epsilon:.1f}, and {clear:g} columns are sent in clear.",
    )


_CLAIMS = (
    Claim(
        sentence="It is clear from Table II that the proposed algorithms can accurately learn the BN parameters for "
        "both Setups.",
        rule=Decided(
            text=f"Of {PARAMETERS} parameters, hold the mean over all runs against the declared network. Reproduced if "
            f"in both setups at least {100 * (1 - _FEW):g} % lie within {_FAR:g} standard errors (of the rows and of "
            f"the randomising, by Theorem 2) and randomising moves the middle parameter by no more than {_SMALL:g} "
            f"in a run, which the paper calls very small; contradicted if over half lie farther in either; otherwise "
            f"not reproduced.",
            by=_accurate,
        ),
    ),
    Claim(
        sentence="The experimental results of Setup I are always better than those for Setup II.",
        rule=Decided(
            text="Compare what randomising adds to each parameter's error in Setup I and in Setup II on the same rows "
            f"with the same coins, difference by difference. Contradicted if any parameter is worse in Setup I by more "
            f"than {_FAR:g} standard errors of the difference; reproduced if none is and 90 % are better or the same; "
            "otherwise not reproduced.",
            by=_always_better,
        ),
    ),
    Claim(
        sentence="Theorem 2: N̂ is an unbiased estimator, and Cov(N̂) = (P⁻¹)ᵗ Cov(Ñ) P⁻¹; the variance of a parameter "
        "follows from it (section V).",
        rule=Decided(
            text="Hold the variance over runs of each parameter, in both setups, against the one foretold from the "
            "declared network. Reproduced if every one lies within what chi-square allows but once in 100,000 and "
            "their ratio is 0.8 to 1.25 on average; contradicted if over half do not; otherwise not reproduced.",
            by=_as_theorem_2_says,
        ),
    ),
    Claim(
        sentence="The approximation of the distribution of the ratio by a normal one works well.",
        rule=Decided(
            text="Count how many of the parameters learnt lie within 1.96 standard deviations, as foretold, of those "
            f"of the clean rows. Reproduced if {100 * _COVERAGE[0]:g} to {100 * _COVERAGE[1]:g} % do in both setups; "
            "contradicted if under 90 % do in either; otherwise not reproduced.",
            by=_normal,
        ),
    ),
    Claim(
        sentence="Table I: the γ of each column's randomisation.",
        rule=Decided(
            text="Compute γ from the printed p. Reproduced if all columns agree to the printed digits; contradicted if "
            "any does not, since it is arithmetic; not reproduced if it was not computed.",
            by=_gammas,
        ),
    ),
    Claim(
        sentence="K* = 2 for binary randomization while K* = 3 for ternary randomization.",
        rule=Decided(
            text="Count from the matrices. Reproduced if all columns agree; contradicted if any does not; not "
            "reproduced if it was not computed.",
            by=_origins,
        ),
    ),
    Claim(
        sentence="We showed that we obtain a fairly good level of privacy.",
        rule=Decided(
            text="It would be reproduced if Table I's ε for a record were below a level named beforehand, and "
            "contradicted if it were above; none is named, so it is not reproduced, and the ε is told.",
            by=_fairly_good,
        ),
    ),
)

EXPERIMENT = Experiment(
    name="pram-table2",
    paper="PRAM-BN",
    where="Tables I and II",
    title="Parameters learnt from unequally randomised columns, 20,000 rows, 5 runs each",
    x="parameter, in the order of Table II",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(title="(a) means beside the declared network", measure=_GAP, y="mean − declared", joined=False),
        Panel(title="(b) spread over 5 runs, Setup II", measure=_SPREADS["II"], y="standard deviation", joined=False),
        Panel(title="(c) spread over 5 runs, Setup I", measure=_SPREADS["I"], y="standard deviation", joined=False),
        Panel(
            title="(d) γ of " + ", ".join(_COLUMNS),
            measure=_GAMMA,
            y="γ",
            joined=False,
            x="column",
        ),
    ),
    claims=_CLAIMS,
    quick_seeds=10,
    full_seeds=100,
    log_x=False,
)
