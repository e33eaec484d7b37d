"""PRAM-BN's formulas where the printed form and what holds differ: exact, and on randomised rows."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.tasks import TABLE_2_COLUMNS

_FORMS = ("as printed", "repaired")
_SHARES = (0.05, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95)
_BIAS = "bias"
_RUNS = 20
_NODES = tuple(float(number) for number in range(1, len(TABLE_2_COLUMNS) + 1))


def _runs(scale: Scale) -> list[Run]:
    nodes = [
        Run(
            series=f"{form}{words}",
            x=number,
            seed=0,
            task="pram order of factors",
            params={"node": int(number) - 1, "as_printed": form == "as printed", "runs": runs},
            group="order",
        )
        for number in _NODES
        for words, runs in (("", 0), (f", mean of {_RUNS} runs", _RUNS))
        for form in _FORMS
    ]
    return nodes + [
        Run(
            series=form,
            x=share,
            seed=0,
            task="pram marginal matrix",
            params={"share": share, "as_printed": form == "as printed"},
            group="marginal",
        )
        for share in _SHARES
        for form in _FORMS
    ]


EXPERIMENT = Experiment(
    name="pram-printed",
    paper="PRAM-BN",
    where="Theorem 1 and section IV",
    title="What is printed, and what holds: bias of un-mixed parameters",
    x="node, in the order of Table II",
    datasets=(),
    runs=_runs,
    panels=(
        Panel(
            title="(a) order of the factors",
            measure=_BIAS,
            y="largest bias",
            group="order",
            joined=False,
            names=dict(zip(_NODES, TABLE_2_COLUMNS, strict=True)),
        ),
        Panel(
            title="(b) case (d), marginal matrix",
            measure=_BIAS,
            y="bias of a share",
            group="marginal",
            x="share of the other column",
        ),
    ),
    quick_seeds=1,
    full_seeds=1,
    log_x=False,
)
