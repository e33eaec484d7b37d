"""Recipes over a curator. A new method joins by a line in `METHODS`."""

from understudy.methods._adaptive import Adaptive
from understudy.methods._auto import Auto
from understudy.methods._contingency import Contingency
from understudy.methods._flaw import Flaw, flaw_of, refuse_unprinted_terms
from understudy.methods._forecast import KEPT, STRENGTHS, Forecast, Measures, forecast
from understudy.methods._fourier import Fourier
from understudy.methods._hp_as_printed import HPPrivBayesAsPrinted
from understudy.methods._hpprivbayes import HPPrivBayes
from understudy.methods._independent import Independent
from understudy.methods._jtree import JTree
from understudy.methods._jtree_as_printed import JTreeAsPrinted
from understudy.methods._laplace import Laplace
from understudy.methods._mwem import MWEM
from understudy.methods._outlook import Outlook, outlook_of
from understudy.methods._outlook_table import OUTLOOK_HEADER, column_error_text, error_text, outlook_notes, outlook_rows
from understudy.methods._plan import AttributePlan, Plan, PromisePlan, expected_error
from understudy.methods._privabn import PrivABN
from understudy.methods._privabn_as_printed import PrivABNAsPrinted
from understudy.methods._privbayes import PrivBayes
from understudy.methods._priview import PriView
from understudy.methods._registry import (
    AS_PRINTED,
    BASELINES,
    METHODS,
    Method,
    describe_method,
    label_method,
    method_named,
    models_made,
    read_method,
    read_method_options,
    refuse_unpublishable,
    usual_methods,
)
from understudy.methods._settings import ROWS_SHARE, refuse_drowning_noise
from understudy.methods._uniform import Uniform

__all__ = [
    "AS_PRINTED",
    "BASELINES",
    "KEPT",
    "METHODS",
    "MWEM",
    "OUTLOOK_HEADER",
    "ROWS_SHARE",
    "STRENGTHS",
    "Adaptive",
    "AttributePlan",
    "Auto",
    "Contingency",
    "Flaw",
    "Forecast",
    "Fourier",
    "HPPrivBayes",
    "HPPrivBayesAsPrinted",
    "Independent",
    "JTree",
    "JTreeAsPrinted",
    "Laplace",
    "Measures",
    "Method",
    "Outlook",
    "Plan",
    "PriView",
    "PrivABN",
    "PrivABNAsPrinted",
    "PrivBayes",
    "PromisePlan",
    "Uniform",
    "column_error_text",
    "describe_method",
    "error_text",
    "expected_error",
    "flaw_of",
    "forecast",
    "label_method",
    "method_named",
    "models_made",
    "outlook_notes",
    "outlook_of",
    "outlook_rows",
    "read_method",
    "read_method_options",
    "refuse_drowning_noise",
    "refuse_unprinted_terms",
    "refuse_unpublishable",
    "usual_methods",
]
