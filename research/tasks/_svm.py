"""The papers' second task: how often classifiers of a table's four columns are wrong on rows held back."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from research.svm import svm_errors

_OPTIONS = ("kernel", "most", "one_hot", "independent", "noiseless", "targets")


def svm(params: Mapping[str, Any], seed: int, folder: Path) -> dict[str, float]:
    """Misclassification rate of each of the table's four tasks, by the task's name.

    Parameters: `dataset`, `method` ("no-privacy", a classifier of `research.svm`, or a method's word), `epsilon`,
    and where they are not the usual ones `kernel`, `most` (training rows of the RBF kernel), `one_hot` (the features of
    the authors' program), `independent` (rows drawn one by one, as the paper does), `noiseless` (a diagnostic's step
    without noise) and `targets` (a list of the tasks wanted).
    """
    options = {name: params[name] for name in _OPTIONS if name in params}
    return svm_errors(params["dataset"], params["method"], params["epsilon"], seed, folder, **options)
