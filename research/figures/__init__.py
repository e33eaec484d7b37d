"""The experiments by name: a module for each figure, or for several that are alike. A new one joins by a line here."""

from __future__ import annotations

from collections.abc import Mapping

from research._experiment import Experiment
from research.figures import (
    correlated_fig1,
    correlated_fig2,
    correlated_fig3,
    correlated_privacy,
    correlated_table1,
    hpprivbayes_fig3,
    hpprivbayes_fig4,
    hpprivbayes_fig5,
    hpprivbayes_fig6,
    hpprivbayes_tables,
    pram_fig4,
    pram_fig5,
    pram_printed,
    pram_real,
    pram_table2,
    privabn_fig1,
    privabn_fig2,
    privabn_fig3,
    privabn_table2,
    privabn_table3,
    privbayes_alpha_way,
    privbayes_classifiers,
    privbayes_encodings,
    privbayes_fig4,
    privbayes_fig9,
    privbayes_fig10,
    privbayes_fig11,
    privbayes_table5,
    soundness_leak,
)
from research.figures._budgets import EPSILONS
from research.figures._tuning import TASKS, TaskOf
from understudy._core.errors import OptionError, did_you_mean

__all__ = ["EPSILONS", "EXPERIMENTS", "TASKS", "TaskOf", "experiment_named"]

_ALL = (
    privbayes_table5.EXPERIMENT,
    privbayes_fig4.EXPERIMENT,
    *privbayes_encodings.EXPERIMENTS,
    privbayes_fig9.EXPERIMENT,
    privbayes_fig10.EXPERIMENT,
    privbayes_fig11.EXPERIMENT,
    *privbayes_alpha_way.EXPERIMENTS,
    *privbayes_classifiers.EXPERIMENTS,
    privabn_fig1.EXPERIMENT,
    privabn_fig2.EXPERIMENT,
    privabn_fig3.EXPERIMENT,
    privabn_table2.EXPERIMENT,
    privabn_table3.EXPERIMENT,
    hpprivbayes_tables.EXPERIMENT,
    hpprivbayes_fig3.EXPERIMENT,
    hpprivbayes_fig4.EXPERIMENT,
    hpprivbayes_fig5.EXPERIMENT,
    hpprivbayes_fig6.EXPERIMENT,
    pram_table2.EXPERIMENT,
    pram_fig4.EXPERIMENT,
    pram_fig5.EXPERIMENT,
    pram_real.EXPERIMENT,
    pram_printed.EXPERIMENT,
    correlated_table1.EXPERIMENT,
    correlated_fig1.EXPERIMENT,
    correlated_fig2.EXPERIMENT,
    correlated_fig3.EXPERIMENT,
    correlated_privacy.EXPERIMENT,
    soundness_leak.EXPERIMENT,
)
EXPERIMENTS: Mapping[str, Experiment] = {experiment.name: experiment for experiment in _ALL}


def experiment_named(name: str) -> Experiment:
    """The experiment of this name.

    >>> experiment_named("privbayes-fig12").where
    'Figure 12'
    """
    if name not in EXPERIMENTS:
        raise OptionError(
            f"there is no experiment '{name}'. {did_you_mean(name, EXPERIMENTS)} See them all with: research list"
        )
    return EXPERIMENTS[name]
