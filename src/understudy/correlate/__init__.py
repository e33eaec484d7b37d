"""Recognising records that belong together: what it reads and finds is private to the holder of the table."""

from understudy.correlate._groups import Groups
from understudy.correlate._groups_file import read_groups, write_groups
from understudy.correlate._links import Links
from understudy.correlate._sensitivity import (
    Sensitivities,
    compare_sensitivities,
    correlated_sensitivity,
    group_sensitivity,
    workload_sensitivity,
)

__all__ = [
    "Groups",
    "Links",
    "Sensitivities",
    "compare_sensitivities",
    "correlated_sensitivity",
    "group_sensitivity",
    "read_groups",
    "workload_sensitivity",
    "write_groups",
]
