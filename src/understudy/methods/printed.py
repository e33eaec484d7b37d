"""Parts of the methods as their papers print them: for audits, and for the papers' experiments."""

from understudy.methods._groups import read_split
from understudy.methods._hp_as_printed import (
    PrintedSpec,
    fit_as_printed,
    mutual_information,
    noisy_tables,
    order_by_information,
    pairwise_information,
    split_groups,
    value_weights,
)
from understudy.methods._jtree_as_printed import margins, noise_scale, passing
from understudy.methods._privabn_as_printed import ParentSets, adaptive_network, information, noisy_conditionals

__all__ = [
    "ParentSets",
    "PrintedSpec",
    "adaptive_network",
    "fit_as_printed",
    "information",
    "margins",
    "mutual_information",
    "noise_scale",
    "noisy_conditionals",
    "noisy_tables",
    "order_by_information",
    "pairwise_information",
    "passing",
    "read_split",
    "split_groups",
    "value_weights",
]
