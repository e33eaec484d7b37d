"""What was learnt of a table: the kinds of model, what each can do, and how networks are scored, fitted and drawn."""

from understudy.models._beliefs import Beliefs
from understudy.models._bif import BifNetwork, BifVariable, parents_first, parse_bif, read_bif
from understudy.models._doubts import columns_off, knows_no_relation, part_off
from understudy.models._drawing import draw_svg, edge_strengths
from understudy.models._elimination import Scopes, find_order
from understudy.models._export import bif_word, to_bif, to_networkx, to_pgmpy
from understudy.models._fitting import conditionals_from, consistent_tables, fit_clipped, fit_conditionals
from understudy.models._inference import Factor, Problem
from understudy.models._kinds import KINDS, shows_network, why_not_releasable
from understudy.models._network_model import NetworkModel
from understudy.models._posterior import Evidence
from understudy.models._priview import ViewsModel, consistent_views
from understudy.models._protocol import (
    Array,
    DrawsItself,
    DrawsRows,
    HasNetwork,
    KnowsNoise,
    KnowsTables,
    Model,
    Parts,
    PartsReader,
    Saves,
    TakesErrors,
)
from understudy.models._reading import read_probabilities, read_whole
from understudy.models._redrawing import rows_that_keep, unknown_rules
from understudy.models._rows_model import RowsModel
from understudy.models._rows_values import WeightedRows
from understudy.models._rowsfit import MOST_VALUES, RowsFit, draw_from
from understudy.models._scoring import (
    LARGEST_N_FOR_F,
    SCORES,
    FScore,
    InformationScore,
    RScore,
    WeightedRScore,
    score_named,
)
from understudy.models._simplex import project_to_simplex
from understudy.models._structure import Network, Node
from understudy.models._tables import (
    JointModel,
    NoisyJoint,
    TablesModel,
    all_sums,
    clip_and_rescale,
    joint_shape,
    read_marginal,
)
from understudy.models._tree_model import TreeModel
from understudy.models._tree_values import CliqueTree, TreeMeasurement, Within
from understudy.models._treefit import FittedTable, TreeFit, adjacency, cells_with, centred
from understudy.models._uncertainty import REPLICATES, STUDENT_95, Estimate

__all__ = [
    "KINDS",
    "LARGEST_N_FOR_F",
    "MOST_VALUES",
    "REPLICATES",
    "SCORES",
    "STUDENT_95",
    "Array",
    "Beliefs",
    "BifNetwork",
    "BifVariable",
    "CliqueTree",
    "DrawsItself",
    "DrawsRows",
    "Estimate",
    "Evidence",
    "FScore",
    "Factor",
    "FittedTable",
    "HasNetwork",
    "InformationScore",
    "JointModel",
    "KnowsNoise",
    "KnowsTables",
    "Model",
    "Network",
    "NetworkModel",
    "Node",
    "NoisyJoint",
    "Parts",
    "PartsReader",
    "Problem",
    "RScore",
    "RowsFit",
    "RowsModel",
    "Saves",
    "Scopes",
    "TablesModel",
    "TakesErrors",
    "TreeFit",
    "TreeMeasurement",
    "TreeModel",
    "ViewsModel",
    "WeightedRScore",
    "WeightedRows",
    "Within",
    "adjacency",
    "all_sums",
    "bif_word",
    "cells_with",
    "centred",
    "clip_and_rescale",
    "columns_off",
    "conditionals_from",
    "consistent_tables",
    "consistent_views",
    "draw_from",
    "draw_svg",
    "edge_strengths",
    "find_order",
    "fit_clipped",
    "fit_conditionals",
    "joint_shape",
    "knows_no_relation",
    "parents_first",
    "parse_bif",
    "part_off",
    "project_to_simplex",
    "read_bif",
    "read_marginal",
    "read_probabilities",
    "read_whole",
    "rows_that_keep",
    "score_named",
    "shows_network",
    "to_bif",
    "to_networkx",
    "to_pgmpy",
    "unknown_rules",
    "why_not_releasable",
]
