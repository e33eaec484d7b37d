"""HPPrivBayes, Figure 3: the quality of networks, with the first node chosen by average mutual information or not."""

from __future__ import annotations

from statistics import stdev

from research._experiment import Claim, Experiment, Finding, Panel, Results, Run, Scale
from research._rules import NOTHING, Beats, Decided, Near
from research.figures._hp import (
    AS_PRINTED,
    AS_REPAIRED,
    DATASET,
    OURS,
    PRINTED,
    REPAIRED,
    RESTATED,
    word,
)

_DEGREES = (1, 2, 3, 4)
_MORE = tuple(float(k) for k in _DEGREES if k > 1)
_LINES = (PRINTED, RESTATED, REPAIRED, OURS)
_MEASURE = "information"
_NOISY, _NOISELESS = "ε = 1", "without noise"
_GROUPS = {_NOISY: 1.0, _NOISELESS: 1e6}


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=line,
            x=float(k),
            seed=seed,
            task="network",
            params={"dataset": DATASET, "method": word(line, k=k)["method"], "epsilon": epsilon},
            group=group,
        )
        for seed in range(scale.seeds)
        for group, epsilon in _GROUPS.items()
        for k in _DEGREES
        for line in _LINES
    ]


def _unstable(results: Results) -> Finding:
    ratios = {}
    for group in _GROUPS:
        for k in _MORE:
            ours, theirs = (results.values(_MEASURE, line, k, group) for line in (PRINTED, RESTATED))
            if min(len(ours), len(theirs)) < 2:
                return NOTHING
            ratios[f"{group}, k = {k:g}"] = (stdev(theirs), stdev(ours))
    why = "; ".join(f"{place}: PrivBayes {a:.3f}, HPPrivBayes {b:.3f}" for place, (a, b) in ratios.items()) + "."
    larger = [a > 1.5 * b for a, b in ratios.values()]
    smaller = [b > 1.5 * a for a, b in ratios.values()]
    if all(larger):
        return Finding(verdict="reproduced", why=why)
    return Finding(verdict="contradicted" if sum(smaller) > len(ratios) / 2 else "not reproduced", why=why)


EXPERIMENT = Experiment(
    name="hpprivbayes-fig3",
    paper="HPPrivBayes",
    where="Figure 3",
    title="Network quality: sum of mutual information against the degree",
    x="k",
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(
        Panel(title="(a) ε = 1", measure=_MEASURE, y="sum of mutual information (bits)", group=_NOISY),
        Panel(title="(b) without noise", measure=_MEASURE, y="sum of mutual information (bits)", group=_NOISELESS),
    ),
    quick_seeds=20,
    full_seeds=20,
    claims=(
        *(
            Claim(
                sentence="With k = 1, the mutual information that a network captures does not depend on the choice "
                "of its first node: HPPrivBayes and PrivBayes are alike.",
                rule=Near(
                    first=ours, second=theirs, measures=(_MEASURE,), factor=1.1, groups=tuple(_GROUPS), xs=(1.0,)
                ),
                form=form,
            )
            for ours, theirs, form in ((PRINTED, RESTATED, AS_PRINTED), (REPAIRED, OURS, AS_REPAIRED))
        ),
        *(
            Claim(
                sentence="With k above 1, HPPrivBayes builds better networks than PrivBayes.",
                rule=Beats(
                    ours=(ours,), others=(theirs,), measures=(_MEASURE,), groups=tuple(_GROUPS), xs=_MORE, higher=True
                ),
                form=form,
            )
            for ours, theirs, form in ((PRINTED, RESTATED, AS_PRINTED), (REPAIRED, OURS, AS_REPAIRED))
        ),
        Claim(
            sentence="PrivBayes' networks are of unstable quality because their first node is random; HPPrivBayes' "
            "order solves that.",
            rule=Decided(
                text="Compare the standard deviations over repetitions at k = 2, 3 and 4 in both panels. Reproduced "
                f"if that of '{RESTATED}' is more than 1.5 times that of '{PRINTED}' at every point; contradicted if "
                "at over half of them the second is more than 1.5 times the first; otherwise not reproduced.",
                by=_unstable,
            ),
            form=AS_PRINTED,
        ),
    ),
)
