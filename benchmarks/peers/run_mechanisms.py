"""AIM and MST as mbi's authors wrote them: the scripts in the folder `mechanisms` of its repository. Own Python.

`--settings` holds `method`; for AIM also what goes to its constructor, and `degree`, the
width of the tables in its workload. Both are calibrated to add/remove.
"""

from __future__ import annotations

import contextlib
import io
import json
import sys
import warnings
from importlib import import_module
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
from _clock import Clock, arguments, write_report

warnings.simplefilter("ignore")
from mbi import Dataset, Domain  # noqa: E402

MAX_CELLS = 10_000  # of a table in AIM's workload: its own default
FOLDER = Path(__file__).resolve().parents[2] / ".bench" / "sources" / "mbi" / "mechanisms"


def main() -> None:
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    own = dict(options.settings)
    method, delta = own.pop("method"), own.pop("delta", 1e-9)
    sys.path.insert(0, str(FOLDER))
    script = import_module(method)
    codes = pd.read_csv(options.codes)
    np.random.seed(options.seed)  # the mechanisms and mbi draw from this one
    clock = Clock()
    with clock.phase("fit"), contextlib.redirect_stdout(io.StringIO()):
        data = Dataset({name: codes[name].to_numpy() for name in sizes}, Domain(tuple(sizes), tuple(sizes.values())))
        if method == "mst":
            synthetic = script.MST(data, options.epsilon, delta)
        else:
            degree = own.pop("degree", 2)
            tables = [t for t in combinations(data.domain, degree) if data.domain.size(t) <= MAX_CELLS]
            mechanism = script.AIM(options.epsilon, delta, **own)
            _, synthetic = mechanism.run(data, [(t, 1.0) for t in tables], num_synth_rows=options.rows)
    with clock.phase("sample"):
        pd.DataFrame(synthetic.to_dict())[list(sizes)].astype(int).to_csv(options.out, index=False)
    privacy = f"(ε, δ = {delta:g}) by zCDP; calibrated to add/remove"
    write_report(options.report, package="mbi", clock=clock, privacy=privacy)


if __name__ == "__main__":
    main()
