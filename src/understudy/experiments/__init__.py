"""The papers' experiments, figure by figure: what they claim, put to the methods here, and decided by rules."""

from understudy.experiments._check import check_ready
from understudy.experiments._costs import Cost, cost_of, in_words
from understudy.experiments._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from understudy.experiments._outcome import Outcome, read_outcomes, run_experiment
from understudy.experiments._page import claims_page, findings
from understudy.experiments.figures import EXPERIMENTS, experiment_named

__all__ = [
    "EXPERIMENTS",
    "Claim",
    "Cost",
    "Experiment",
    "Finding",
    "Outcome",
    "Panel",
    "Results",
    "Run",
    "Scale",
    "Verdict",
    "check_ready",
    "claims_page",
    "cost_of",
    "experiment_named",
    "findings",
    "in_words",
    "read_outcomes",
    "run_experiment",
]
