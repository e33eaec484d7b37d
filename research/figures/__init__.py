"""The experiments by name, one module each. A new one joins by a line here."""

from __future__ import annotations

from collections.abc import Mapping

from research._experiment import Experiment
from research.figures import (
    hpprivbayes_fig3,
    hpprivbayes_fig4,
    hpprivbayes_fig5,
    hpprivbayes_fig6,
    privabn_fig1,
    privabn_fig2,
    privabn_fig3,
    privabn_table2,
    privbayes_fig4,
    privbayes_fig5,
    privbayes_fig6,
    privbayes_fig7,
    privbayes_fig8,
    privbayes_fig9,
    privbayes_fig10,
    privbayes_fig11,
    privbayes_fig12,
    privbayes_fig13,
    privbayes_fig14,
    privbayes_fig15,
    privbayes_fig16,
    privbayes_fig17,
    privbayes_fig18,
    privbayes_fig19,
    soundness_leak,
)
from understudy._core.errors import OptionError, did_you_mean

_MODULES = (
    privbayes_fig4,
    privbayes_fig5,
    privbayes_fig6,
    privbayes_fig7,
    privbayes_fig8,
    privbayes_fig9,
    privbayes_fig10,
    privbayes_fig11,
    privbayes_fig12,
    privbayes_fig13,
    privbayes_fig14,
    privbayes_fig15,
    privbayes_fig16,
    privbayes_fig17,
    privbayes_fig18,
    privbayes_fig19,
    privabn_fig1,
    privabn_fig2,
    privabn_fig3,
    privabn_table2,
    hpprivbayes_fig3,
    hpprivbayes_fig4,
    hpprivbayes_fig5,
    hpprivbayes_fig6,
    soundness_leak,
)
EXPERIMENTS: Mapping[str, Experiment] = {module.EXPERIMENT.name: module.EXPERIMENT for module in _MODULES}


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
