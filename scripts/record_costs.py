"""Record what experiments cost in both forms, for `research list`, from results of either.

research run all --same --out docs/research/experiments
python scripts/record_costs.py [RESULTS]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from research import EXPERIMENTS, Cost, cost_of, read_outcomes

TARGET = Path(__file__).resolve().parent.parent / "research" / "costs.json"


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/research/experiments")
    outcomes = read_outcomes(folder, EXPERIMENTS)
    costs = {name: recorded(cost_of(EXPERIMENTS[name], found)) for name, found in outcomes.items()}
    TARGET.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
    minutes = sum(cost["quick"] or 0.0 for cost in costs.values()) / 60
    sys.stdout.write(f"{TARGET.name}: {len(costs)} experiments, {minutes:.0f} CPU minutes in the quick form\n")


def recorded(cost: Cost) -> dict[str, float | bool | None]:
    """The seconds of both forms, to a tenth, and whether they are the most or the least that it can be."""
    forms = {"quick": cost.quick_seconds, "full": cost.full_seconds}
    seconds = {form: None if known is None else round(known, 1) for form, known in forms.items()}
    bounds = {"at_most": cost.quick_at_most, "at_least": cost.full_at_least}
    return seconds | {name: True for name, holds in bounds.items() if holds}


if __name__ == "__main__":
    main()
