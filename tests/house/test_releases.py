"""Seeded releases come out as they were recorded, whatever was rebuilt behind them."""

from __future__ import annotations

import json

import pytest

from tests.house.releases import BASELINES, RECORDED, RELEASES, baseline_fingerprints, release_fingerprints

BEFORE = json.loads(RECORDED.read_text(encoding="utf-8"))


@pytest.mark.parametrize("name", RELEASES)
def test_a_seeded_release_is_the_one_recorded(name: str) -> None:
    assert release_fingerprints(RELEASES[name]) == BEFORE[name]


@pytest.mark.parametrize("name", BASELINES)
def test_a_seeded_baseline_gives_the_tables_recorded(name: str) -> None:
    method, options = BASELINES[name]
    assert baseline_fingerprints(method, options) == BEFORE[name]


def test_every_recorded_run_is_still_compared() -> None:
    assert set(BEFORE) == {*RELEASES, *BASELINES}
