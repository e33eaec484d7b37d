"""Parties that may not pool their columns: post-randomisation, and learning from what was randomised. No curator."""

from understudy.randomize._asking import make_block
from understudy.randomize._exposure import keep_probabilities
from understudy.randomize._forms import invariant_matrix
from understudy.randomize._grouping import MAX_CELLS
from understudy.randomize._make_plan import plan, read_block, split_names
from understudy.randomize._matrix import Matrix, Response, TransitionMatrix
from understudy.randomize._plan import Block, Plan
from understudy.randomize._report import PlanReport, report

__all__ = [
    "MAX_CELLS",
    "Block",
    "Matrix",
    "Plan",
    "PlanReport",
    "Response",
    "TransitionMatrix",
    "invariant_matrix",
    "keep_probabilities",
    "make_block",
    "plan",
    "read_block",
    "report",
    "split_names",
]
