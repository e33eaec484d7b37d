"""dpmm's PrivBayes or MST on codes whose domain is declared to it, its own binning switched off.

Run with its own Python.
"""

from __future__ import annotations

import json
import warnings

import pandas as pd
from _clock import Clock, arguments, write_report
from dpmm.pipelines import MSTPipeline, PrivBayesPipeline


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    delta = options.settings.get("delta", 1e-9)
    mst = options.settings.get("method") == "mst"
    own = {} if mst else {"degree": options.settings.get("degree", 2)}
    codes = pd.read_csv(options.codes)
    clock = Clock()
    with clock.phase("fit"):
        pipeline = (MSTPipeline if mst else PrivBayesPipeline)(
            epsilon=options.epsilon,
            delta=delta,
            disable_processing=True,  # the table is encoded already: no budget should go to bins
            n_jobs=1,
            gen_kwargs=own,
        )
        pipeline.fit(codes, domain=sizes, random_state=options.seed)
    with clock.phase("sample"):
        synthetic = pipeline.generate(n_records=options.rows, random_state=options.seed)
    synthetic[list(sizes)].astype(int).to_csv(options.out, index=False)
    privacy = f"(ε, δ = {delta:g}) by zCDP; add/remove as documented"
    write_report(options.report, package="dpmm", clock=clock, privacy=privacy)


if __name__ == "__main__":
    main()
