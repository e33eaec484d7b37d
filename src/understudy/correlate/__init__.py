"""Recognising records that belong together: what it reads and finds is private to the holder of the table."""

from understudy.correlate._correlation import Correlation
from understudy.correlate._groups import Groups
from understudy.correlate._groups_file import read_groups, refuse_release_folder, write_groups
from understudy.correlate._links import Links
from understudy.correlate._recognise import correlate
from understudy.correlate._tags import TAGS, Tag

__all__ = [
    "TAGS",
    "Correlation",
    "Groups",
    "Links",
    "Tag",
    "correlate",
    "read_groups",
    "refuse_release_folder",
    "write_groups",
]
