"""Seeded releases come out as they were recorded, whatever was rebuilt behind them."""

from __future__ import annotations

import json

import pytest

from tests.house.releases import (
    BASELINES,
    RECORDED,
    RELEASES,
    Fingerprint,
    baseline_fingerprints,
    release_fingerprints,
)

BEFORE = json.loads(RECORDED.read_text(encoding="utf-8"))


def same(found: dict[str, Fingerprint], before: dict[str, Fingerprint]) -> bool:
    """Whether hashes are equal, and sums of floating-point numbers but for their last digits."""
    sums = {name: pytest.approx(own, rel=1e-8, abs=1e-10) for name, own in before.items() if isinstance(own, list)}
    return found == before | sums


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", RELEASES)
def test_a_seeded_release_is_the_one_recorded(name: str) -> None:
    assert same(release_fingerprints(RELEASES[name]), BEFORE[name])


@pytest.mark.parametrize("name", BASELINES)
def test_a_seeded_baseline_gives_the_tables_recorded(name: str) -> None:
    method, options = BASELINES[name]
    assert same(baseline_fingerprints(method, options), BEFORE[name])


def test_a_change_of_one_number_is_seen() -> None:
    name = "mwem, add-remove, delta None"
    table = next(key for key in BEFORE[name] if isinstance(BEFORE[name][key], list))
    other = {**BEFORE[name], table: [sums * (1 + 1e-6) for sums in BEFORE[name][table]]}
    assert same(BEFORE[name], BEFORE[name])
    assert not same(other, BEFORE[name])


def test_every_recorded_run_is_still_compared() -> None:
    assert set(BEFORE) == {*RELEASES, *BASELINES}
