"""Linear maps along one axis of a table, compiled."""

from understudy.randomize._linear._kernels import map_dense, map_shared

__all__ = ["map_dense", "map_shared"]
