"""Parties that may not pool their columns: post-randomisation, and learning from what was randomised. No curator."""

from understudy.randomize._matrix import Matrix, Response, TransitionMatrix
from understudy.randomize._plan import Block, Plan

__all__ = ["Block", "Matrix", "Plan", "Response", "TransitionMatrix"]
