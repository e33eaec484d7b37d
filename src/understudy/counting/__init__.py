"""Contingency tables over codes: exact, sensitive, and only for the curator's eyes."""

from understudy.counting._choosing import CountingPlan, plan_counting
from understudy.counting._counter import Counter, Counts
from understudy.counting._engines import ENGINES, Engine, open_counter
from understudy.counting._memory import MemoryCounter
from understudy.counting._open_batches import open_batches
from understudy.counting._pairs import pair_parities
from understudy.counting._servers import MOST_QUERIES, on_server
from understudy.counting._threads import n_threads
from understudy.counting._units import UnitRule

__all__ = [
    "ENGINES",
    "MOST_QUERIES",
    "Counter",
    "CountingPlan",
    "Counts",
    "Engine",
    "MemoryCounter",
    "UnitRule",
    "n_threads",
    "on_server",
    "open_batches",
    "open_counter",
    "pair_parities",
    "plan_counting",
]
