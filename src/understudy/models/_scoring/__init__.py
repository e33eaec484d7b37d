"""How well a parent set explains a child: the scores I, F and R of PrivBayes, with their true sensitivities."""

from understudy.models._scoring._scores import LARGEST_N_FOR_F, SCORES, FScore, InformationScore, RScore, score_named
from understudy.models._scoring._weighted import WeightedRScore

__all__ = ["LARGEST_N_FOR_F", "SCORES", "FScore", "InformationScore", "RScore", "WeightedRScore", "score_named"]
