"""Parties that may not pool their columns: post-randomisation, and learning from what was randomised. No curator."""

from understudy.randomize._apply import Applied, apply
from understudy.randomize._file import RandomizedFile, open_randomized
from understudy.randomize._matrix import Matrix, Response, TransitionMatrix
from understudy.randomize._plan import Block, Plan

__all__ = [
    "Applied",
    "Block",
    "Matrix",
    "Plan",
    "RandomizedFile",
    "Response",
    "TransitionMatrix",
    "apply",
    "open_randomized",
]
