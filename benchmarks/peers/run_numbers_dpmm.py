"""dpmm's MST, PrivBayes or AIM on raw values, its own private bins for numbers, whose ranges are declared to it.

Run with its own Python. `--codes` is the raw table, `--sizes` its ranges: column name to lower and upper end.
"""

from __future__ import annotations

import json
import warnings

import pandas as pd
from _clock import Clock, arguments, write_report
from dpmm.pipelines import AIMPipeline, MSTPipeline, PrivBayesPipeline

PIPELINES = {"privbayes": PrivBayesPipeline, "mst": MSTPipeline, "aim": AIMPipeline}


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments()
    ranges = json.loads(options.sizes.read_text())
    delta = options.settings.get("delta", 1e-9)
    table = pd.read_csv(options.codes)
    for name in table.columns:
        table[name] = table[name].astype(float) if name in ranges else table[name].astype(str).astype("category")
    # the categories of other columns count as public, as they do for everybody here
    domain = {name: {"categories": table[name].cat.categories.tolist()} for name in table if name not in ranges}
    domain |= {name: {"lower": low, "upper": high} for name, (low, high) in ranges.items()}
    clock = Clock()
    with clock.phase("fit"):
        kind = PIPELINES[options.settings.get("method", "mst")]
        pipeline = kind(epsilon=options.epsilon, delta=delta, proc_epsilon=0.1, n_jobs=1)
        pipeline.fit(table, domain=domain, random_state=options.seed)
    with clock.phase("sample"):
        pipeline.generate(n_records=options.rows, random_state=options.seed).to_csv(options.out, index=False)
    privacy = f"(ε, δ = {delta:g}) by zCDP, 0.1 of ε for bins; add/remove as documented"
    write_report(options.report, package="dpmm", clock=clock, privacy=privacy)


if __name__ == "__main__":
    main()
