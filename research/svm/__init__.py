"""The papers' classification tasks, the classifiers that they compare, and how often each is wrong."""

from research.svm._education import EDUCATION_ROWS, education_accuracy, rbf_accuracy
from research.svm._errors import CLASSIFIERS, NO_PRIVACY, draw_rows, svm_errors
from research.svm._features import Examples, FeatureMap
from research.svm._machine import (
    KERNELS,
    RBF_ROWS,
    Kernel,
    LinearClassifier,
    misclassification,
    split,
    train_svm,
)
from research.svm._majority import majority
from research.svm._private_erm import private_erm
from research.svm._privgene import privgene
from research.svm._targets import PAPER_TARGETS, SvmTarget, numeric_columns, svm_targets

__all__ = [
    "CLASSIFIERS",
    "EDUCATION_ROWS",
    "KERNELS",
    "NO_PRIVACY",
    "PAPER_TARGETS",
    "RBF_ROWS",
    "Examples",
    "FeatureMap",
    "Kernel",
    "LinearClassifier",
    "SvmTarget",
    "draw_rows",
    "education_accuracy",
    "majority",
    "misclassification",
    "numeric_columns",
    "private_erm",
    "privgene",
    "rbf_accuracy",
    "split",
    "svm_errors",
    "svm_targets",
    "train_svm",
]
