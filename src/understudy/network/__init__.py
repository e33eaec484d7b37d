"""Bayesian networks: scores, structure, tables, inference, sampling, export, drawing. All of it post-processing."""

from understudy.network._model import Evidence, Model, NetworkModel
from understudy.network._structure import Network, Node

__all__ = [
    "Evidence",
    "Model",
    "Network",
    "NetworkModel",
    "Node",
]
