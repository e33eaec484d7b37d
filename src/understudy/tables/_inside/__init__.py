"""Values inside bins: where they lie, in which order, and how far apart."""

from understudy.tables._inside._found import Inside, find_inside
from understudy.tables._inside._grids import draw_points, points_at
from understudy.tables._inside._in_order import InOrderDraw

__all__ = ["InOrderDraw", "Inside", "draw_points", "find_inside", "points_at"]
