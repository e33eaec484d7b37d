"""Recognising records that belong together: what it reads and finds is private to the holder of the table.

The room is called as the function that it is about: `us.correlate(table, fields=…)`.
"""

from understudy.correlate._called import make_callable
from understudy.correlate._correlation import Correlation
from understudy.correlate._groups import Groups
from understudy.correlate._groups_file import read_groups, refuse_release_folder, write_groups
from understudy.correlate._links import Links
from understudy.correlate._recognise import correlate
from understudy.correlate._sensitivity import (
    Sensitivities,
    compare_sensitivities,
    correlated_sensitivity,
    group_sensitivity,
    workload_sensitivity,
)
from understudy.correlate._tags import TAGS, Tag

__all__ = [
    "TAGS",
    "Correlation",
    "Groups",
    "Links",
    "Sensitivities",
    "Tag",
    "compare_sensitivities",
    "correlate",
    "correlated_sensitivity",
    "group_sensitivity",
    "make_callable",
    "read_groups",
    "refuse_release_folder",
    "workload_sensitivity",
    "write_groups",
]

make_callable(__name__, correlate)
