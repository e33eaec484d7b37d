"""PRAM-BN, Tables I and II: parameters learnt from columns that are randomised unequally, in both setups."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.tasks import FIRST_PARAMETERS, GAMMA_OF_X, PARAMETERS, PRINTED_AMPLIFICATION

_ROWS, _REPEATED = 20_000, 5
_SETUPS = {"II": "Setup II, learnt", "I": "Setup I, learnt"}
_FORETOLD = {"II": "Setup II, Theorem 2", "I": "Setup I, Theorem 2"}
_DECLARED, _PRINTED, _OTHER_X = "declared", "printed", f"Setup II, Theorem 2 with X at p = {GAMMA_OF_X:g}"
_MATRIX = "by the matrix"
_NUMBERS = tuple(float(number) for number in range(1, PARAMETERS + 1))
_COLUMNS = tuple(PRINTED_AMPLIFICATION)
_PARAMETER, _GAP, _OFF, _ERROR, _GAMMA, _ORIGINS = "parameter", "gap", "off", "error of one data set", "γ", "K*"
_SPREADS = {"II": "standard deviation", "I": "standard deviation in Setup I"}


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


EXPERIMENT = Experiment(
    name="pram-table2",
    paper="PRAM-BN",
    where="Tables I and II",
    title="Parameters learnt from unequally randomised columns, 20,000 rows, 5 runs each",
    x="parameters of each node, in the order of Table II",
    datasets=(),
    runs=_runs,
    panels=(
        *(
            Panel(title=f"({letter}) {title}", measure=measure, y=y, joined=False, names=FIRST_PARAMETERS)
            for letter, title, measure, y in (
                ("a", "means beside the declared network", _GAP, "mean − declared"),
                ("b", "spread over 5 runs, Setup II", _SPREADS["II"], "standard deviation"),
                ("c", "spread over 5 runs, Setup I", _SPREADS["I"], "standard deviation"),
            )
        ),
        Panel(
            title="(d) γ of Table I",
            measure=_GAMMA,
            y="γ",
            joined=False,
            x="column",
            names=dict(enumerate(_COLUMNS, start=1)),
        ),
    ),
    quick_seeds=5,
    full_seeds=10,
    log_x=False,
)
