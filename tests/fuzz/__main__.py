"""`python -m tests.fuzz`: a round of cases, or one case again by its seed."""

from __future__ import annotations

import argparse
import json
import sys
import traceback
from pathlib import Path

from tests.fuzz.kinds import KINDS, round_of
from tests.fuzz.runner import Outcome, given_for, run_case, run_cases, to_json, work


def main() -> int:
    """Run what was asked for; 1 if any case failed."""
    options = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    options.add_argument("--kind", choices=sorted(KINDS), help="only this kind")
    options.add_argument("--seed", type=int, help="run this one case here, and show it")
    options.add_argument("--cases", type=int, default=2000, help="how many cases (2000)")
    options.add_argument("--first", type=int, default=0, help="first seed, or hundred of cases")
    options.add_argument("--plan", type=Path, help=argparse.SUPPRESS)
    options.add_argument("--report", type=Path, help=argparse.SUPPRESS)
    asked = options.parse_args()
    if asked.plan is not None:
        work(KINDS, asked.plan.read_text(encoding="utf-8").split(), asked.report)
        return 0
    if asked.seed is not None:
        return _show(asked.kind, asked.seed)
    seeds = range(asked.first, asked.first + asked.cases)
    cases = (
        [f"{asked.kind}:{seed}" for seed in seeds] if asked.kind else round_of(asked.cases // 100, first=asked.first)
    )
    report = run_cases(cases)
    print(*report.failures, report, sep="\n")
    return int(bool(report.failures))


def _show(name: str, seed: int) -> int:
    given = given_for(KINDS[name], name, seed)
    print(json.dumps(to_json(given), ensure_ascii=True)[:5000])
    try:
        outcome, detail = run_case(KINDS[name], given)
    except BaseException:
        traceback.print_exc()
        return 1
    print(outcome, detail, sep="\n")
    return int(outcome not in (Outcome.FINE, Outcome.TOLD))


if __name__ == "__main__":
    sys.exit(main())
