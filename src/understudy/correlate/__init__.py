"""Recognising records that belong together: what it reads and finds is private to the holder of the table."""

from understudy.correlate._groups import Groups
from understudy.correlate._groups_file import read_groups, write_groups
from understudy.correlate._links import Links

__all__ = ["Groups", "Links", "read_groups", "write_groups"]
