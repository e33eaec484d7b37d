"""smartnoise-synth's MST, AIM or MWEM on codes whose domain is declared to it. Run with its own Python."""

from __future__ import annotations

import contextlib
import io
import json
import random
import warnings

import numpy as np
import pandas as pd
from _clock import Clock, arguments, write_report
from snsynth import Synthesizer
from snsynth.transform import LabelTransformer, TableTransformer

CELLS = 2000  # of a histogram of MWEM: it goes through every cell of it for every cell of every table it measured
DELTA = 1e-9  # its own default


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    method = options.settings["method"]
    codes = pd.read_csv(options.codes)
    # OpenDP's noise cannot be seeded; what the package draws from NumPy and `random` can
    np.random.seed(options.seed)
    random.seed(options.seed)
    own, privacy = settings_of(method, list(sizes.values()))
    clock = Clock()
    with contextlib.redirect_stdout(io.StringIO()):
        transformer = declared(sizes)
        with clock.phase("fit"):
            synthesizer = Synthesizer.create(method, epsilon=options.epsilon, **own)
            synthesizer.fit(codes, transformer=transformer)
        with clock.phase("sample"):
            synthetic = synthesizer.sample(options.rows)
    synthetic[list(sizes)].astype(int).to_csv(options.out, index=False)
    write_report(options.report, package="smartnoise-synth", clock=clock, privacy=privacy, settings=own)


def settings_of(method: str, sizes: list[int]) -> tuple[dict[str, object], str]:
    """Its own defaults; but MWEM, which by default keeps one histogram of all columns, gets groups of them.

    That histogram has two cells more a column while it is counted: 32 GiB for sixteen binary columns.
    """
    if method == "mwem":
        group = max(k for k in (1, 2, 4, 8, 16) if k == 1 or max(sizes) ** k <= CELLS)
        return {"split_factor": group}, "pure ε; noise calibrated to add/remove; uses the exact row count"
    return {"delta": DELTA}, f"(ε, δ = {DELTA:g}) by zCDP; noise calibrated to add/remove; uses the exact row count"


def declared(sizes: dict[str, int]) -> TableTransformer:
    """Its label encoder, shown every declared value once, so that none is read off the private rows."""
    values = {name: [i % size for i in range(max(sizes.values()))] for name, size in sizes.items()}
    transformer = TableTransformer([LabelTransformer(nullable=False) for _ in sizes])
    transformer.fit(pd.DataFrame(values))
    return transformer


if __name__ == "__main__":
    main()
