"""What the correlated-release paper's figures share: its settings, the forms of its algorithm, and their runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from research._experiment import Run

DATASET = "adult_privbayes16"
THRESHOLD = 0.3
THRESHOLDS = (0.001, 0.003, 0.01, 0.03, 0.1, 0.2, 0.3, 0.5, 0.7, 1.0)
NOISE = 0.197
"""The scale of noise that 62 corrections of 10,000 at T = 1 ask for, if they are noise: −1/ln(0.0062)."""
PRINTED, MENDED, FITTED = "CS as printed", "CS, mended reading", "CS, mended, noise of scale 0.197"
_PARAMS: Mapping[str, dict[str, Any]] = {
    PRINTED: {"method": "as printed"},
    MENDED: {"method": "mended"},
    FITTED: {"method": "mended", "noise": NOISE},
}


def along_thresholds(seeds: int) -> list[Run]:
    """All forms against T at ε = 1: the runs of Figures 2 and 3."""
    return [
        Run(
            series=series,
            x=threshold,
            seed=seed,
            task="correlated answers",
            params={"dataset": DATASET, "epsilon": 1.0, "threshold": threshold, **params},
        )
        for seed in range(seeds)
        for series, params in _PARAMS.items()
        for threshold in THRESHOLDS
    ]
