"""What Figures 9 to 11 of the PrivBayes paper share: eight tasks, and runs over the values of a parameter."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from research._experiment import Panel, Run, Scale
from research.figures._budgets import DISTANCE, ERROR

_PRINTED = ":postprocessing=printed"


@dataclass(frozen=True, kw_only=True)
class TaskOf:
    """One of the eight tasks: a set of counting queries or a classifier, on one table."""

    group: str
    table: str
    dataset: str
    measure: str
    counts: bool

    @property
    def task(self) -> str:
        """The task's name."""
        return "marginals" if self.counts else "svm"

    def params(self, options: str, epsilon: float, *, printed: bool = True, **more: Any) -> dict[str, Any]:
        """What a run of PrivBayes with these options needs; as printed, each row is drawn by itself."""
        own: dict[str, Any] = {"ways": [int(self.measure[1:])]} if self.counts else {"targets": [self.measure]}
        word = f"privbayes{_PRINTED if printed else ''}{options}"
        alone = {"independent": True} if printed else {}
        return {"dataset": self.dataset, "method": word, "epsilon": epsilon, **alone, **own, **more}


TASKS = tuple(
    TaskOf(group=f"{table}, {measure}", table=table, dataset=dataset, measure=measure, counts=counts)
    for table, dataset, queries, target in (
        ("NLTCS", "nltcs", "Q4", "outside"),
        ("ACS", "acs", "Q4", "dwell"),
        ("Adult", "adult_privbayes16", "Q3", "gender"),
        ("BR2000", "br2000_privbayes16", "Q3", "religion"),
    )
    for measure, counts in ((queries, True), (target, False))
)
DATASETS = tuple(dict.fromkeys(task.dataset for task in TASKS))
PANELS = tuple(
    Panel(
        title=f"({letter}) {task.table}, {task.measure if task.counts else f'Y = {task.measure}'}",
        measure=task.measure,
        y=DISTANCE if task.counts else ERROR,
        group=task.group,
    )
    for letter, task in zip("abcdefgh", TASKS, strict=True)
)


def tuning_runs(
    scale: Scale,
    values: Sequence[float],
    epsilons: Sequence[float],
    options: Callable[[float], str],
    *,
    printed: bool = True,
) -> list[Run]:
    """The eight tasks with one parameter at each value, a line for each budget."""
    return [
        Run(
            series=f"ε = {epsilon:g}",
            x=value,
            seed=seed,
            task=task.task,
            params=task.params(options(value), epsilon, printed=printed),
            group=task.group,
        )
        for seed, task, epsilon, value in product(range(scale.seeds), TASKS, epsilons, values)
    ]
