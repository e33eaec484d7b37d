"""Correlated release, definitions and Algorithm 2: correlated sensitivity, and what noise of that scale gives away."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.correlated_lines import DATASET
from research.tasks import MOST_ASKED

_EPSILON = 1.0
ONE_CORRECTION = 0.0433  # ε₀ = μ·ϑ₀·ε/ln N at ε = 1, μ = 0.7, ϑ₀ = 0.6 and N = 16,384, as in our Figure 2
_ROUNDS = (1, 10, 100, 1_000, 10_000)
_OTHERS = (1, 3, 5, 7, 9, 11)
TRIALS, _FULL_TIMES = 2_000, 10
_PRINTED, _NOISY = "as printed", "threshold with noise"
_LOCAL, _GROUP = "noise of Definition 2", "noise for the whole group"
_TUNED = {0.02: 3.0, 0.005: 5.0}  # the thresholds and events of the review
_TUNED_ROW, _NOBODY_ROW = 8.0, 9.0
_NOBODY = "a query that nobody matches"
_CS, _ON_ADULT = "CS", "Definition 2, on Adult"


def _runs(scale: Scale) -> list[Run]:
    trials = TRIALS * (1 if scale.quick else _FULL_TIMES)
    audits = [
        Run(
            series=f"tuned to T = {threshold:g}",
            x=_TUNED_ROW,
            seed=0,
            task="correlated tuned queries",
            params={"threshold": threshold, "over": over, "trials": trials},
            group="audit",
        )
        for threshold, over in _TUNED.items()
    ]
    audits.append(
        Run(
            series=_NOBODY,
            x=_NOBODY_ROW,
            seed=0,
            task="correlated answers about nobody",
            params={"trials": trials},
            group="audit",
        )
    )
    losses = [
        Run(
            series=series,
            x=float(rounds),
            seed=0,
            task="correlated free rounds",
            params={"rounds": rounds, "epsilon": ONE_CORRECTION, "above": 0.1, "noisy": series == _NOISY},
            group="rounds",
        )
        for rounds in _ROUNDS
        for series in (_PRINTED, _NOISY)
    ]
    losses += [
        Run(
            series=series,
            x=float(others),
            seed=0,
            task="correlated wrong quantity",
            params={"others": others, "share": 0.01, "rows": rows, "epsilon": _EPSILON},
            group="links",
        )
        for others in _OTHERS
        for series, rows in ((_LOCAL, 1), (_GROUP, others + 1))
    ]
    return audits + losses + _sensitivities(scale.seeds)


def _sensitivities(seeds: int) -> list[Run]:
    places = {f"CS {n}": (_CS, float(n)) for n in range(1, MOST_ASKED + 1)}
    return [
        Run(
            series=_ON_ADULT,
            x=0.0,
            seed=seed,
            task="correlated sensitivities",
            params={"dataset": DATASET},
            group="sensitivity",
            places=places,
        )
        for seed in range(seeds)
    ]


EXPERIMENT = Experiment(
    name="correlated-privacy",
    paper="Correlated release",
    where="Definitions 1, 2 and 4 and Algorithm 2",
    title="Correlated sensitivity, and what noise of that scale gives away, at a claimed ε of 1",
    x="",
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(
            title="(a) ε proved by trials",
            measure="proved",
            y="ε",
            group="audit",
            names={_TUNED_ROW: "tuned counts", _NOBODY_ROW: "a count of nobody"},
            joined=False,
            level=1.0,
            level_words="claimed ε =",
        ),
        Panel(
            title="(b) rounds that never correct",
            measure="loss",
            y="loss (an ε)",
            group="rounds",
            log_y=True,
            x="rounds",
        ),
        Panel(
            title="(c) others that follow a record",
            measure="loss",
            y="loss (an ε)",
            group="links",
            x="linked records",
            level=1.0,
            level_words="claimed ε =",
        ),
        Panel(
            title="(d) sensitivity of counts, Adult",
            measure=_CS,
            y="CS (global: 1, group: 12)",
            group="sensitivity",
            x="columns asked about",
        ),
    ),
    quick_words="a tenth of the trials",
    quick_lighter=True,
    quick_seeds=5,
    full_seeds=20,
)
