"""What the PRAM-BN paper's figures share: names of groups, measures and lines of structure learning."""

from __future__ import annotations

BAYES, BIC, GRID, BY_ROWS = "Bayesian score", "BIC", "thresholds", "rows"
LINKS, EXTRA, MISSING, KL = "links in error", "extra", "missing", "KL"
VARIABLE, PENALTY = "η variable", "penalty N/2, as printed"
OUR_ETA, OUR_C, OURS = "η calibrated (ours)", "C* calibrated (ours)", "likelihood (ours)"
FIXED, PENALTIES = ("η = 1", "η = 0.99"), ("C* = 1", "C* = 4", "C* = 8")
"""The thresholds that the paper tries, beside its variable one."""
PS = (0.05, 0.1, 0.15, 0.2, 0.25, 0.3, 0.35, 0.4)
PAPERS = tuple(p for p in PS if p <= 0.3)
"""The levels of randomisation that the paper has thresholds for."""
ETAS = (1.0, 0.99, 0.98, 0.97, 0.95, 0.9)
CS = (1.0, 2.0, 4.0, 8.0, 16.0)
"""Thresholds that are tried, the laxest first."""
