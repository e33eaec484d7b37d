"""PrivABN, Figure 3: Retail, against PriView, PrivBayes and JTree."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures.privabn_lines import L2, OURS, PRINTED

_WAYS = (4, 6, 8)
_GROUPS = {"ε = 0.1": 0.1, "ε = 1": 1.0}
_JTREE = {"as printed": "JTree as printed", "repaired": "JTree repaired"}
_PRIVBAYES = "PrivBayes, as printed"
_METHODS = {
    OURS["as printed"]: PRINTED["retail50"],
    OURS["repaired"]: "privabn",
    "PriView": "priview",
    _PRIVBAYES: "privbayes:postprocessing=printed",
    "PrivBayes": "privbayes",
    _JTREE["as printed"]: "jtree-as-printed",
    _JTREE["repaired"]: "jtree",
}
_AS_PRINTED = (OURS["as printed"], "PriView", _PRIVBAYES, _JTREE["as printed"])
_FORMS = (OURS["repaired"], "PriView", "PrivBayes", _JTREE["repaired"])


def _runs(scale: Scale) -> list[Run]:
    return [
        Run(
            series=label,
            x=_WAYS[0],
            seed=seed,
            task="queries",
            params={
                "dataset": "retail50",
                "method": word,
                "epsilon": epsilon,
                "ways": list(_WAYS),
                **({"independent": True} if label == _PRIVBAYES else {}),  # other printed forms are without being told
            },
            group=group,
            places={f"L2 {way}-way": (L2, float(way)) for way in _WAYS},
        )
        for seed in range(scale.seeds)
        for group, epsilon in _GROUPS.items()
        for label, word in _METHODS.items()
    ]


EXPERIMENT = Experiment(
    name="privabn-fig3",
    paper="PrivABN",
    where="Figure 3",
    title="PrivABN on Retail: L2 error of α-way queries against PriView, PrivBayes and JTree",
    x="α",
    datasets=("retail50",),
    runs=_runs,
    panels=tuple(
        Panel(title=f"({letter}) {group}{words}", measure=L2, y=L2, group=group, log_y=True, series=lines)
        for lines, words, letters in ((_AS_PRINTED, "", "ab"), (_FORMS, ", our forms", "cd"))
        for letter, group in zip(letters, _GROUPS, strict=True)
    ),
    quick_seeds=5,
    log_x=False,
)
