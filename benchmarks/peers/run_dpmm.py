"""dpmm's PrivBayes, MST or AIM on codes whose domain is declared to it, its own binning switched off.

Run with its own Python.
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
    sizes = json.loads(options.sizes.read_text())
    delta = options.settings.get("delta", 1e-9)
    method = options.settings.get("method", "privbayes")
    own = {"degree": options.settings.get("degree", 2)} if method == "privbayes" else {}
    codes = pd.read_csv(options.codes)
    clock = Clock()
    with clock.phase("fit"):
        pipeline = PIPELINES[method](
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
