"""Answering workloads of queries: as the correlated-release paper prints it, without any guarantee."""

from understudy.answers._as_printed import MENDED, AsPrinted, Reading, answer_as_printed, printed_round, round_epsilon
from understudy.answers._product import ProductQueries

__all__ = [
    "MENDED",
    "AsPrinted",
    "ProductQueries",
    "Reading",
    "answer_as_printed",
    "printed_round",
    "round_epsilon",
]
