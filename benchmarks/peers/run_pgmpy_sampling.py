"""pgmpy's forward sampling from a network in a BIF file. Run with its own Python."""

from __future__ import annotations

import logging
import warnings

from _clock import Clock, arguments, write_report
from pgmpy.readwrite import BIFReader
from pgmpy.sampling import BayesianModelSampling


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    options = arguments()
    clock = Clock()
    with clock.phase("load"):
        model = BIFReader(str(options.codes)).get_model()
    with clock.phase("sample"):
        sampler = BayesianModelSampling(model)
        synthetic = sampler.forward_sample(size=options.rows, seed=options.seed, show_progress=False)
    synthetic.head(1000).to_csv(options.out, index=False)
    write_report(options.report, package="pgmpy", clock=clock, privacy="none: samples a given network")


if __name__ == "__main__":
    main()
