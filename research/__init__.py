"""The papers' experiments, figure by figure: what they claim, put to the methods here, and decided by rules."""

from research._costs import Cost, cost_of, in_words
from research._current import Checked, check_current
from research._details import details_page
from research._experiment import Experiment, Panel, Results, Run, Scale
from research._findings import Cited, Number, read_findings
from research._outcome import Outcome, draw_again, read_outcomes, read_results
from research._page import claims_page, with_counts, with_findings
from research._ready import check_ready
from research._reasons import reason_of
from research._runner import STAGE as RUNNING
from research._running import run_experiment
from research._wording import runs_in_words
from research.figures import EXPERIMENTS, experiment_named

__all__ = [
    "EXPERIMENTS",
    "RUNNING",
    "Checked",
    "Cited",
    "Cost",
    "Experiment",
    "Number",
    "Outcome",
    "Panel",
    "Results",
    "Run",
    "Scale",
    "check_current",
    "check_ready",
    "claims_page",
    "cost_of",
    "details_page",
    "draw_again",
    "experiment_named",
    "in_words",
    "read_findings",
    "read_outcomes",
    "read_results",
    "reason_of",
    "run_experiment",
    "runs_in_words",
    "with_counts",
    "with_findings",
]
