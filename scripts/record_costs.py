"""Record what experiments cost, for `research list`, from results of the quick form.

research run all --quick --out docs/research/experiments
python scripts/record_costs.py [RESULTS]
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from research import EXPERIMENTS, read_outcomes

TARGET = Path(__file__).resolve().parent.parent / "research" / "costs.json"


def main() -> None:
    """Write the file."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/research/experiments")
    outcomes = read_outcomes(folder, EXPERIMENTS)
    costs = {name: {"runs": found.runs, "cpu_seconds": found.cpu_seconds} for name, found in outcomes.items()}
    TARGET.write_text(json.dumps(costs, indent=1) + "\n", encoding="utf-8")
    minutes = sum(found.cpu_seconds for found in outcomes.values()) / 60
    sys.stdout.write(f"{TARGET.name}: {len(costs)} experiments, {minutes:.0f} CPU minutes\n")


if __name__ == "__main__":
    main()
