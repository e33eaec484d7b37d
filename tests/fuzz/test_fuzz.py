"""Whatever comes in ends in a result or in one sentence: no traceback, no crash, no hang, no half output."""

from __future__ import annotations

import json
import resource
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.kinds import KINDS, SHARES, round_of
from tests.fuzz.runner import GOOD, Outcome, Report, from_json, given_for, run_case, run_cases, to_json

SAVED = json.loads(Path(__file__).with_name("corpus.json").read_text(encoding="utf-8"))
FAST, ALL = 1, 1000  # hundreds of cases


def check(report: Report, cases: list[str]) -> None:
    assert sum(report.counts.values()) == len(cases)
    assert not report.failures, "\n".join(map(str, report.failures[:10]))


def test_hostile_input_ends_in_a_result_or_a_sentence() -> None:
    cases = round_of(FAST)
    check(run_cases(cases), cases)


@pytest.mark.slow
@pytest.mark.parametrize("part", range(20))
def test_a_hundred_thousand_hostile_inputs_end_in_a_result_or_a_sentence(part: int) -> None:
    hundreds = ALL // 20
    cases = round_of(hundreds, first=FAST + part * hundreds)
    report = run_cases(cases)
    check(report, cases)
    # A generator whose inputs are all refused at the door tests only the door, and one that spoils none tests nothing.
    assert set(report.counts) == {(kind, outcome) for kind in KINDS for outcome in GOOD}


@pytest.mark.parametrize(
    ("kind", "given"),
    [pytest.param(case["kind"], case["given"], id=f"{case['kind']}: {case['why']}") for case in SAVED],
)
def test_what_once_failed_fails_no_more(kind: str, given: Any) -> None:
    outcome, detail = run_case(KINDS[kind], from_json(given))
    assert outcome in GOOD, detail


def test_a_case_leaves_its_process_as_it_was() -> None:
    """A limit left behind would end the process of the tests, some minutes later, in a test that is not to blame."""
    before = resource.getrlimit(resource.RLIMIT_CPU), signal.getsignal(signal.SIGPROF)
    case = SAVED[0]
    run_case(KINDS[case["kind"]], from_json(case["given"]))
    assert (resource.getrlimit(resource.RLIMIT_CPU), signal.getsignal(signal.SIGPROF)) == before
    assert signal.getitimer(signal.ITIMER_PROF) == (0, 0)


@pytest.mark.parametrize("kind", KINDS)
def test_a_seed_always_makes_the_same_input(kind: str) -> None:
    first, again = (to_json(given_for(KINDS[kind], kind, 5)) for _ in range(2))
    assert repr(first) == repr(again)


def test_every_kind_has_its_share_and_rounds_share_no_case() -> None:
    assert set(SHARES) == set(KINDS)
    assert sum(SHARES.values()) == 100
    assert not set(round_of(2)) & set(round_of(2, first=2))


def test_every_way_to_fail_is_caught() -> None:
    ways = ["fine", "told", "raises", "warns", "aborts", "loops", "sticks", "leaves", "exits"]
    report = run_cases([f"{way}:0" for way in ways], module="tests.fuzz.broken")
    found = dict(report.counts.keys())
    assert found == {
        "fine": Outcome.FINE,
        "told": Outcome.TOLD,
        "raises": Outcome.UNEXPECTED,
        "warns": Outcome.UNEXPECTED,
        "aborts": Outcome.CRASH,
        "loops": Outcome.HANG,
        "sticks": Outcome.HANG,
        "leaves": Outcome.HALF,
        "exits": Outcome.UNEXPECTED,
    }
