"""Values inside bins: where they lie, in which order, and how far apart."""

from understudy.tables._inside._grids import draw_points, points_at
from understudy.tables._inside._in_order import InOrderDraw
from understudy.tables._inside._lengths import Length, find_lengths

__all__ = ["InOrderDraw", "Length", "draw_points", "find_lengths", "points_at"]
