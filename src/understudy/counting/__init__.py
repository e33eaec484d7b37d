"""Contingency tables over codes: exact, sensitive, and only for the curator's eyes."""

from understudy.counting._counter import Counter, Counts
from understudy.counting._memory import MemoryCounter

__all__ = ["Counter", "Counts", "MemoryCounter"]
