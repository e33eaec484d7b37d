"""Whether a synthetic table is any good: measures against the real table. What they find is private to the holder."""

from understudy.evaluate._counts import Joint, choose_groups, joint_counts
from understudy.evaluate._facts import BudgetLine, ReportFacts
from understudy.evaluate._interval import mean_interval
from understudy.evaluate._network import measure_network
from understudy.evaluate._pair import Found, Pair, Progress, TableFound, pair_of_codes, read_pair
from understudy.evaluate._privabn import QUERIES, measure_l1_l2
from understudy.evaluate._property import Better, Property, find_property
from understudy.evaluate._public import PublicReport, make_public_report
from understudy.evaluate._reference import References, ceiling_table, floor_table, make_references
from understudy.evaluate._report import PRIVATE, Report, make_report
from understudy.evaluate._summaries import Cell, Histogram, Shares, WorstTable
from understudy.evaluate._tables import MAX_TABLES, measure_tables, total_variation
from understudy.evaluate._verdict import beside_references, columns_named, points

__all__ = [
    "MAX_TABLES",
    "PRIVATE",
    "QUERIES",
    "Better",
    "BudgetLine",
    "Cell",
    "Found",
    "Histogram",
    "Joint",
    "Pair",
    "Progress",
    "Property",
    "PublicReport",
    "References",
    "Report",
    "ReportFacts",
    "Shares",
    "TableFound",
    "WorstTable",
    "beside_references",
    "ceiling_table",
    "choose_groups",
    "columns_named",
    "find_property",
    "floor_table",
    "joint_counts",
    "make_public_report",
    "make_references",
    "make_report",
    "mean_interval",
    "measure_l1_l2",
    "measure_network",
    "measure_tables",
    "pair_of_codes",
    "points",
    "read_pair",
    "total_variation",
]
