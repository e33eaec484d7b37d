"""google/dpsynth's SWIFT, AIM-GDP or MST on codes whose domain is declared to it. Run with its own Python.

`--settings` holds `method`, and `degree`, the width of the tables in its workload, where its own default (three) is not
meant; what else it holds goes to the method's own configuration. The wrapper that its authors
recommend for tables of codes (`DiscreteConfig`) measures the columns first; `compress` merges their rare values.
It draws as many rows as its noisy total says, not exactly as many as it was given.
"""

from __future__ import annotations

import json
import logging
import warnings
from itertools import combinations

import pandas as pd
from _clock import Clock, arguments, write_report

warnings.simplefilter("ignore")
import numpy as np  # noqa: E402
from dpsynth import discrete_mechanisms as mechanisms  # noqa: E402
from mbi import Dataset, Domain  # noqa: E402
from scipy.optimize import brentq  # noqa: E402
from scipy.stats import norm  # noqa: E402

METHODS = {"swift": mechanisms.SWIFTConfig, "aim-gdp": mechanisms.AIMGDPConfig, "mst": mechanisms.MSTConfig}
GAUSSIAN = ("swift", "aim-gdp")


def main() -> None:
    logging.disable(logging.WARNING)
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    own = dict(options.settings)
    method, delta, compress = own.pop("method"), own.pop("delta", 1e-9), own.pop("compress", False)
    if "degree" in own:
        own["workload"] = list(combinations(sizes, own.pop("degree")))
    codes = pd.read_csv(options.codes)
    np.random.seed(options.seed)  # mbi samples with this one
    clock = Clock()
    with clock.phase("fit"):
        data = Dataset({name: codes[name].to_numpy() for name in sizes}, Domain(tuple(sizes), tuple(sizes.values())))
        config = mechanisms.DiscreteConfig(mechanism=METHODS[method](**own), compress_columns=compress)
        # the released dp-accounting starts its search at no budget at all, where SWIFT divides by zero; both methods
        # of Gaussian noise alone are calibrated here, which is exact
        budget = gaussian_rho(options.epsilon, delta)
        calibrated = (
            config.configure(zcdp_rho=budget)
            if method in GAUSSIAN
            else config.calibrate(epsilon=options.epsilon, delta=delta)
        )
        result = calibrated(np.random.default_rng(options.seed), data)
    with clock.phase("sample"):
        synthetic = pd.DataFrame(result.synthetic_data.to_dict())[list(sizes)].astype(int)
    synthetic.to_csv(options.out, index=False)
    privacy = f"(ε, δ = {delta:g}) by Gaussian differential privacy or loss distributions; add/remove"
    write_report(options.report, package="dpsynth", clock=clock, privacy=privacy)


def gaussian_rho(epsilon: float, delta: float) -> float:
    """The largest ρ = μ²/2 whose Gaussian mechanisms together keep (ε, δ) (Balle and Wang 2018)."""

    def excess(mu: float) -> float:
        return norm.cdf(mu / 2 - epsilon / mu) - np.exp(epsilon) * norm.cdf(-mu / 2 - epsilon / mu) - delta

    return float(brentq(excess, 1e-6, 100)) ** 2 / 2


if __name__ == "__main__":
    main()
