"""Bayesian networks: scores, structure, tables, inference, sampling, export, drawing. All of it post-processing."""

from understudy.network._model import Model, NetworkModel
from understudy.network._posterior import Evidence
from understudy.network._structure import Network, Node
from understudy.network._uncertainty import Estimate

__all__ = [
    "Estimate",
    "Evidence",
    "Model",
    "Network",
    "NetworkModel",
    "Node",
]
