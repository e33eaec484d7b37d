"""The papers' experiments, figure by figure: what they claim, put to the methods here, and decided by rules."""

from research._costs import Cost, cost_of, in_words
from research._current import Checked, check_current
from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale, Verdict
from research._outcome import Outcome, read_outcomes, run_experiment
from research._page import claims_page, findings
from research._ready import check_ready
from research._runner import STAGE as RUNNING
from research.figures import EXPERIMENTS, experiment_named

__all__ = [
    "EXPERIMENTS",
    "RUNNING",
    "Checked",
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
    "check_current",
    "check_ready",
    "claims_page",
    "cost_of",
    "experiment_named",
    "findings",
    "in_words",
    "read_outcomes",
    "run_experiment",
]
