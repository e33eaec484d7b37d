"""What runs compute: functions from JSON-able parameters, a seed and the data folder to named values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from research.tasks._correlated import BOUND, MOST_ASKED, Setting, answers, sensitivities, setting
from research.tasks._correlated_privacy import (
    answers_about_nobody,
    attack,
    attack_limit,
    free_rounds,
    tuned_queries,
    wrong_quantity,
)
from research.tasks._enumeration import adaptive_pairs, missed_parents, pairs_by_definition, pairs_of_run
from research.tasks._hp import ORIGINAL, cell_distances, column_sizes, printed_noise, radial_accuracy
from research.tasks._leak import audit, real_records, star, threshold
from research.tasks._marginals import marginals
from research.tasks._network import network_information
from research.tasks._pram import (
    FIRST_PARAMETERS,
    GAMMA_OF_X,
    PARAMETERS,
    PRINTED_AMPLIFICATION,
    amplification,
    beside,
    estimates,
    largest_p,
    marginal_matrix,
    order_of_factors,
    parameter_words,
    parameters,
)
from research.tasks._pram_networks import DRAWN, TABLE_2_COLUMNS
from research.tasks._pram_structure import REAL, network_file, structure, variable_eta
from research.tasks._queries import QUERIES, mean_errors, query_errors, sharper_choices
from research.tasks._sizes import sizes
from research.tasks._svm import svm

Values: TypeAlias = dict[str, float]
Task: TypeAlias = Callable[[Mapping[str, Any], int, Path], Values]

TASKS: Mapping[str, Task] = {
    "marginals": marginals,
    "network": network_information,
    "queries": query_errors,
    "queries, sharper choices": sharper_choices,
    "pairs": pairs_by_definition,
    "pairs of a run": pairs_of_run,
    "missed parents": missed_parents,
    "audit": audit,
    "loss on a star": star,
    "loss of a threshold": threshold,
    "loss of real records": real_records,
    "radial": radial_accuracy,
    "cells": cell_distances,
    "printed noise": printed_noise,
    "column sizes": column_sizes,
    "svm": svm,
    "sizes": sizes,
    "pram parameters": parameters,
    "pram beside": beside,
    "pram amplification": amplification,
    "pram estimates": estimates,
    "pram largest p": largest_p,
    "pram order of factors": order_of_factors,
    "pram marginal matrix": marginal_matrix,
    "pram structure": structure,
    "correlated answers": answers,
    "correlated sensitivities": sensitivities,
    "correlated attack": attack,
    "correlated attack limit": attack_limit,
    "correlated free rounds": free_rounds,
    "correlated wrong quantity": wrong_quantity,
    "correlated tuned queries": tuned_queries,
    "correlated answers about nobody": answers_about_nobody,
}
"""By the name that runs are stored under."""
TIMES = frozenset({"cpu_seconds"})
"""Values that are never the same twice."""

__all__ = [
    "BOUND",
    "DRAWN",
    "FIRST_PARAMETERS",
    "GAMMA_OF_X",
    "MOST_ASKED",
    "ORIGINAL",
    "PARAMETERS",
    "PRINTED_AMPLIFICATION",
    "QUERIES",
    "REAL",
    "TABLE_2_COLUMNS",
    "TASKS",
    "TIMES",
    "Setting",
    "Task",
    "Values",
    "adaptive_pairs",
    "amplification",
    "answers",
    "answers_about_nobody",
    "attack",
    "attack_limit",
    "audit",
    "beside",
    "cell_distances",
    "column_sizes",
    "estimates",
    "free_rounds",
    "largest_p",
    "marginal_matrix",
    "marginals",
    "mean_errors",
    "missed_parents",
    "network_file",
    "network_information",
    "order_of_factors",
    "pairs_by_definition",
    "pairs_of_run",
    "parameter_words",
    "parameters",
    "printed_noise",
    "query_errors",
    "radial_accuracy",
    "real_records",
    "sensitivities",
    "setting",
    "sharper_choices",
    "sizes",
    "star",
    "structure",
    "svm",
    "threshold",
    "tuned_queries",
    "variable_eta",
    "wrong_quantity",
]
