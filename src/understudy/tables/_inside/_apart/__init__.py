"""Columns in a declared order drawn as far apart as they lie."""

from understudy.tables._inside._apart._draw import Apart, new_state

__all__ = ["Apart", "new_state"]
