"""Fitting a junction tree to noisy tables."""

from understudy.models._treefit._engine import FittedTable, TreeFit
from understudy.models._treefit._kernels import cells_with
from understudy.models._treefit._structure import Attributes, Cliques, adjacency, centred, make_cliques

__all__ = ["Attributes", "Cliques", "FittedTable", "TreeFit", "adjacency", "cells_with", "centred", "make_cliques"]
