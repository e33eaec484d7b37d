"""Bayesian networks: scores, structure, tables, inference, sampling, export, drawing. All of it post-processing."""

from understudy.models._answers import (
    JointModel,
    NoisyJoint,
    TablesModel,
    all_sums,
    clip_and_rescale,
    joint_shape,
    read_marginal,
)
from understudy.models._drawing import draw_svg, edge_strengths
from understudy.models._export import to_bif, to_networkx, to_pgmpy
from understudy.models._fitting import conditionals_from, consistent_tables, fit_clipped, fit_conditionals
from understudy.models._model import Answers, Model, NetworkModel
from understudy.models._posterior import Evidence
from understudy.models._priview import ViewsModel, consistent_views
from understudy.models._scoring import SCORES, FScore, InformationScore, RScore, WeightedRScore, score_named
from understudy.models._simplex import project_to_simplex
from understudy.models._structure import Network, Node
from understudy.models._uncertainty import Estimate

__all__ = [
    "SCORES",
    "Answers",
    "Estimate",
    "Evidence",
    "FScore",
    "InformationScore",
    "JointModel",
    "Model",
    "Network",
    "NetworkModel",
    "Node",
    "NoisyJoint",
    "RScore",
    "TablesModel",
    "ViewsModel",
    "WeightedRScore",
    "all_sums",
    "clip_and_rescale",
    "conditionals_from",
    "consistent_tables",
    "consistent_views",
    "draw_svg",
    "edge_strengths",
    "fit_clipped",
    "fit_conditionals",
    "joint_shape",
    "project_to_simplex",
    "read_marginal",
    "score_named",
    "to_bif",
    "to_networkx",
    "to_pgmpy",
]
