"""What the HPPrivBayes paper's figures share: its table, its budgets, the lines that are compared, and remarks."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

from research._experiment import Run, Scale
from research.tasks import ORIGINAL

DATASET = "adult_hp14"
BUDGETS = (0.2, 0.4, 0.6, 0.8, 1.0)
RATIOS = ("1/6", "1/5", "1/4", "1/3", "1/2")
ACCURACY = "accuracy"

PRINTED, REPAIRED = "HPPrivBayes as printed", "HPPrivBayes repaired"
RESTATED, OURS = "PrivBayes, plain", "PrivBayes"
EACH = "PrivBayes, plain, equal noise"
EQUAL = "HPPrivBayes as printed, equal noise"
REPAIRED_USEFUL, USEFUL = "HPPrivBayes repaired, θ-useful", "PrivBayes, θ-useful"
UNTOUCHED = "original data"

# Algorithm 4's group A with threshold 0.1 on this table, in bits, and S itself. The author's program has the same list.
_GROUP_A = "workclass,education,education-num,occupation,relationship,sex,hours-per-week"
_ROWS, _QUICK_ROWS = 5000, 1500
QUICK_WORDS = f"{_QUICK_ROWS:,} training rows instead of {_ROWS:,}"

AS_PRINTED, AS_REPAIRED = "as printed", "repaired"


def word(line: str, *, k: int = 4, r: str = "1/3") -> dict[str, Any]:
    """The method of a line, as parameters of a run.

    >>> word(OURS)
    {'method': 'privbayes:k=4'}
    """
    ratio = "" if r == "1/3" else f":r={r}"
    printed = f"hpprivbayes-as-printed:sensitive=occupation:k={k}{ratio}"
    repaired = f"hpprivbayes:sensitive={_GROUP_A}"
    restated = f"privbayes:score=I:encoding=vanilla:k={k}:postprocessing=printed"
    words: dict[str, dict[str, Any]] = {
        PRINTED: {"method": printed, "independent": True},
        REPAIRED: {"method": f"{repaired}:k={k}{ratio}"},
        RESTATED: {"method": restated, "independent": True},
        OURS: {"method": f"privbayes:k={k}"},
        EACH: {"method": restated, "independent": True, "each table": True},
        EQUAL: {"method": printed, "independent": True, "each table": True},
        REPAIRED_USEFUL: {"method": f"{repaired}{ratio}"},
        USEFUL: {"method": "privbayes"},
        UNTOUCHED: {"method": ORIGINAL},
    }
    return words[line]


def over(
    scale: Scale, lines: Mapping[str, Mapping[str, Any]], *, task: str, group: str = "", **params: Any
) -> list[Run]:
    """Runs of lines (label → parameters) at every budget, seeds outermost.

    >>> len(over(Scale(seeds=2, quick=True), {OURS: word(OURS)}, task="cells", ways=[2]))
    10
    """
    return [
        Run(
            series=label,
            x=epsilon,
            seed=seed,
            task=task,
            # the original data are the same at every budget: one run, drawn as a line
            params={
                "dataset": DATASET,
                **method,
                "epsilon": None if method["method"] == ORIGINAL else epsilon,
                **params,
            },
            group=group,
        )
        for seed, epsilon, (label, method) in product(range(scale.seeds), BUDGETS, lines.items())
    ]


def classification(scale: Scale) -> dict[str, Any]:
    """The parameters of the paper's classification task."""
    return {"rows": _QUICK_ROWS if scale.quick else _ROWS}


def lines(*names: str) -> dict[str, dict[str, Any]]:
    """Lines by name, with their parameters at k = 4 and r = 1/3."""
    return {name: word(name) for name in names}
