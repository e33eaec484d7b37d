"""Parties that may not pool their columns: post-randomisation, and learning from what was randomised. No curator."""

from understudy.randomize._apply import Applied, apply
from understudy.randomize._asking import make_block
from understudy.randomize._assemble import assemble
from understudy.randomize._covariance import exact_covariance
from understudy.randomize._cross import Cross, CrossParty, cross
from understudy.randomize._estimate import MarginalEstimate, estimate
from understudy.randomize._exposure import keep_probabilities
from understudy.randomize._file import RandomizedFile, open_randomized
from understudy.randomize._forms import invariant_matrix
from understudy.randomize._grouping import MAX_CELLS
from understudy.randomize._inbox import Inbox, PartyColumns
from understudy.randomize._judge import Rule, Weighed
from understudy.randomize._k2 import Found
from understudy.randomize._learn import Learned, learn
from understudy.randomize._likelihood import most_likely
from understudy.randomize._make_plan import plan, read_block, split_names
from understudy.randomize._matrix import Matrix, Response, TransitionMatrix
from understudy.randomize._open_inbox import open_inbox
from understudy.randomize._own import own
from understudy.randomize._parameters import Family, learn_families
from understudy.randomize._pieces import LearntVariable, Piece, ReceivedFile
from understudy.randomize._plan import Block, Plan
from understudy.randomize._pseudonyms import read_secret, write_secret
from understudy.randomize._published import Published, Unmixed
from understudy.randomize._report import PartyReport, PlanReport, report
from understudy.randomize._study import Parameters, Study, write_study
from understudy.randomize._unmix import unmix
from understudy.randomize._unmixed_counts import UnmixedCounts

__all__ = [
    "MAX_CELLS",
    "Applied",
    "Block",
    "Cross",
    "CrossParty",
    "Family",
    "Found",
    "Inbox",
    "Learned",
    "LearntVariable",
    "MarginalEstimate",
    "Matrix",
    "Parameters",
    "PartyColumns",
    "PartyReport",
    "Piece",
    "Plan",
    "PlanReport",
    "Published",
    "RandomizedFile",
    "ReceivedFile",
    "Response",
    "Rule",
    "Study",
    "TransitionMatrix",
    "Unmixed",
    "UnmixedCounts",
    "Weighed",
    "apply",
    "assemble",
    "cross",
    "estimate",
    "exact_covariance",
    "invariant_matrix",
    "keep_probabilities",
    "learn",
    "learn_families",
    "make_block",
    "most_likely",
    "open_inbox",
    "open_randomized",
    "own",
    "plan",
    "read_block",
    "read_secret",
    "report",
    "split_names",
    "unmix",
    "write_secret",
    "write_study",
]
