"""Answering queries over a private table: workloads, strategies that spend a budget on them, answers with errors.

Beside them Algorithm 2 of the correlated-release paper as it is printed, without any guarantee.
"""

from understudy.answers._answering import Answered, AnswerSettings, Strategy, answer_workload
from understudy.answers._as_printed import MENDED, AsPrinted, Reading, answer_as_printed, printed_round, round_epsilon
from understudy.answers._lines import Line, read_lines
from understudy.answers._method import Answering, AnsweringAsPrinted
from understudy.answers._planning import TablesPlan, direct_error, plan_tables
from understudy.answers._product import ProductQueries
from understudy.answers._state import State, start_of
from understudy.answers._workload import LinearQuery, Workload, make_workload

__all__ = [
    "MENDED",
    "AnswerSettings",
    "Answered",
    "Answering",
    "AnsweringAsPrinted",
    "AsPrinted",
    "Line",
    "LinearQuery",
    "ProductQueries",
    "Reading",
    "State",
    "Strategy",
    "TablesPlan",
    "Workload",
    "answer_as_printed",
    "answer_workload",
    "direct_error",
    "make_workload",
    "plan_tables",
    "printed_round",
    "read_lines",
    "round_epsilon",
    "start_of",
]
