"""When lost correlations count against the verdict on relations."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest

import understudy as us
from understudy.evaluation._lost_relations import tone_of_lost
from understudy.evaluation._ties import Tie


class _Column:
    def __init__(self, name: str, ties: list[Tie]) -> None:
        self.name, self.ties, self.groups, self.ratios = name, tuple(ties), (), True


class _Result:
    def __init__(self, columns: list[_Column]) -> None:
        self.numbers = columns


@pytest.fixture(scope="module")
def ties() -> dict[str, list[Tie]]:
    """Ties of a report: of two numbers that lose all they have in common, and of some that keep it."""
    rng = np.random.default_rng(0)
    base = rng.normal(0, 1, 4_000)
    real = pd.DataFrame({f"x{i}": base + rng.normal(0, 1, 4_000) for i in range(3)})
    made = real.copy()
    made["x0"] = rng.permutation(made["x0"])
    report = us.evaluate(real, made, schema=us.draft_schema(real), classifiers=False)
    found = [tie for known in report.results for column in known.numbers for tie in column.ties]
    return {"lost": [tie for tie in found if tie.lost], "kept": [tie for tie in found if not tie.lost]}


@pytest.mark.parametrize(("real", "lost", "kept", "tone"), [
    (0.3, 1, 7, "close"),
    (0.3, 2, 7, "close"),
    (0.3, 2, 6, "fair"),
    (0.3, 1, 0, "close"),
    (0.5, 1, 20, "fair"),
])  # fmt: skip
def test_one_strong_correlation_or_several_clear_ones_count(
    ties: dict[str, list[Tie]], real: float, lost: int, kept: int, tone: str
) -> None:
    def named(tie: Tie, i: int, **changed: Any) -> Tie:
        return replace(tie, column=f"c{i}", **changed)

    some = [named(ties["lost"][0], i, real=real, synthetic=0.0) for i in range(lost)]
    some += [named(ties["kept"][0], lost + i) for i in range(kept)]
    assert all(tie.lost for tie in some[:lost])
    results: Any = [_Result([_Column("a", some)])]
    assert tone_of_lost(results).name == tone
