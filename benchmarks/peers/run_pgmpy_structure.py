"""pgmpy's structure learning from clean codes: hill-climbing with BIC, with an order or without. Needs its own Python.

`--settings` may hold `{"order": true}`: then a link may only go from an earlier column to a later one.
"""

from __future__ import annotations

import json
import logging
import warnings

import pandas as pd
from _clock import Clock, arguments, write_report
from pgmpy.estimators import ExpertKnowledge, HillClimbSearch


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    options = arguments()
    clock = Clock()
    table = pd.read_csv(options.codes)
    sizes = json.loads(options.sizes.read_text())
    for name in table:
        table[name] = pd.Categorical(table[name], categories=range(sizes[name]))
    names = list(table)
    backwards = [(later, earlier) for i, earlier in enumerate(names) for later in names[i + 1 :]]
    known = ExpertKnowledge(forbidden_edges=backwards) if options.settings.get("order") else None
    with clock.phase("fit"):
        found = HillClimbSearch(table).estimate(
            scoring_method="bic-d", max_indegree=4, expert_knowledge=known, show_progress=False
        )
    with clock.phase("sample"):
        pass  # nothing is drawn
    links = sorted([str(parent), str(child)] for parent, child in found.edges())
    write_report(options.report, package="pgmpy", clock=clock, privacy="none: clean rows", links=links)


if __name__ == "__main__":
    main()
