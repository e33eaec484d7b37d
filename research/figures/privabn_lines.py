"""What the PrivABN paper's figures share: its lines, in both forms, and rules on how close noise comes to no noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from research._experiment import Run, Scale

Form = Literal["as printed", "repaired"]
FORMS: tuple[Form, ...] = ("as printed", "repaired")
OURS = {"as printed": "PrivABN as printed", "repaired": "PrivABN repaired"}
FLOOR = {"as printed": "NoPrivABN as printed", "repaired": "NoPrivABN repaired"}
TABLES = {"NLTCS": "nltcs", "ACS": "acs"}
L2 = "L2 error"

# As printed there is no bound on parents; beyond 20 columns the tables of one would not fit a machine.
PRINTED = {
    "nltcs": "privabn-as-printed",
    "acs": "privabn-as-printed:k=12",
    "retail50": "privabn-as-printed:k=8",
}
_LARGEST = 1.0  # the budget by which the repaired form without noise sizes its tables


def with_and_without(scale: Scale, epsilons: Sequence[float], ways: Sequence[int]) -> list[Run]:
    """Both forms, with noise and without, on both tables, seeds outermost."""
    found = []
    for seed in range(scale.seeds):
        for group, dataset in TABLES.items():
            words = {"as printed": PRINTED[dataset], "repaired": "privabn"}
            for epsilon in epsilons:
                for form in FORMS:
                    common = {"dataset": dataset, "method": words[form], "ways": list(ways)}
                    noisy = {**common, "epsilon": epsilon}
                    silent = {**common, "epsilon": _LARGEST, "noiseless": "all"}
                    found += [
                        Run(series=series, x=epsilon, seed=seed, task="queries", params=params, group=group)
                        for series, params in ((OURS[form], noisy), (FLOOR[form], silent))
                    ]
    return found
