"""What the PrivABN paper's figures share: its lines, in both forms, and rules on how close noise comes to no noise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

from research._experiment import Finding, Results, Run, Scale, Verdict
from research._rules import NOTHING, times

Form = Literal["as printed", "repaired"]
FORMS: tuple[Form, ...] = ("as printed", "repaired")
OURS = {"as printed": "PrivABN as printed", "repaired": "PrivABN repaired"}
FLOOR = {"as printed": "NoPrivABN as printed", "repaired": "NoPrivABN repaired"}
TABLES = {"NLTCS": "nltcs", "ACS": "acs"}
L2 = "L2 error"
CLEAR = 2.0  # standard errors of a difference

# As printed there is no bound on parents; beyond 20 columns the tables of one would not fit a machine.
PRINTED = {
    "nltcs": "privabn-as-printed",
    "acs": "privabn-as-printed:k=12",
    "retail50": "privabn-as-printed:k=8",
}
_LARGEST = 1.0  # the budget by which the repaired form without noise sizes its tables


def with_and_without(scale: Scale, epsilons: Sequence[float], ways: Sequence[int]) -> list[Run]:
    """Both forms, with noise and without, on both tables, seeds outermost."""
    found = []
    for seed in range(scale.seeds):
        for group, dataset in TABLES.items():
            words = {"as printed": PRINTED[dataset], "repaired": "privabn"}
            for epsilon in epsilons:
                for form in FORMS:
                    common = {"dataset": dataset, "method": words[form], "ways": list(ways)}
                    noisy = {**common, "epsilon": epsilon}
                    silent = {**common, "epsilon": _LARGEST, "noiseless": "all"}
                    found += [
                        Run(series=series, x=epsilon, seed=seed, task="queries", params=params, group=group)
                        for series, params in ((OURS[form], noisy), (FLOOR[form], silent))
                    ]
    return found


@dataclass(frozen=True, kw_only=True)
class Approach:
    """How much of the gap between a line and its floor is left at a point, of the gap at the first point."""

    form: Form
    measures: tuple[str, ...]
    at: float
    left: float
    groups: tuple[str, ...] = tuple(TABLES)
    steadily: bool = False
    """Whether it must also shrink at every step."""

    @property
    def text(self) -> str:
        """The rule in words."""
        steady = f" and no step widens it by more than {CLEAR:g} standard errors" if self.steadily else ""
        return (
            f"Take the gap between '{OURS[self.form]}' and '{FLOOR[self.form]}' in every panel. Reproduced if in 90 % "
            f"of the panels at most {100 * self.left:g} % of the gap at the smallest ε is left at ε = {self.at:g}"
            f"{steady}; contradicted if in over half of them more is left; otherwise not reproduced."
        )

    def decide(self, results: Results) -> Finding:
        """The verdict that these results give."""
        far, back, seen = [], [], 0
        for group in self.groups:
            for measure in self.measures:
                floor = results.xs(measure, FLOOR[self.form], group)
                xs = [x for x in results.xs(measure, OURS[self.form], group) if x in floor]
                if self.at not in xs:
                    continue
                seen += 1
                gaps = [abs(self._gap(results, measure, x, group)) for x in xs]
                there = gaps[xs.index(self.at)]
                share = times(there, gaps[0]) if there else 0.0
                if share > self.left:
                    far.append((share, self._words(results, measure, group, share)))
                errors = [results.standard_error(measure, OURS[self.form], x, group) for x in xs]
                widest = [CLEAR * (a * a + b * b) ** 0.5 for a, b in pairwise(errors)]
                back += [
                    f"{group}, {measure} at {xs[i + 1]:g}"
                    for i in range(len(widest))
                    if gaps[i + 1] - gaps[i] > widest[i]
                ]
        if not seen:
            return NOTHING
        why = f"near in {seen - len(far)} of {seen} panels"
        if far:
            why += ": not " + "; ".join(words for _, words in sorted(far, reverse=True)[:3]) + "; …" * (len(far) > 3)
        if self.steadily and back:
            why += f"; wider again: {'; '.join(back[:3])}" + "; …" * (len(back) > 3)
        verdict: Verdict = "not reproduced"
        if len(far) > seen / 2:
            verdict = "contradicted"
        elif len(far) <= seen / 10 and not (self.steadily and back):
            verdict = "reproduced"
        return Finding(verdict=verdict, why=why + ".")

    def _gap(self, results: Results, measure: str, x: float, group: str) -> float:
        return results.mean(measure, OURS[self.form], x, group) - results.mean(measure, FLOOR[self.form], x, group)

    def _words(self, results: Results, measure: str, group: str, share: float) -> str:
        mine, floor = (results.mean(measure, series[self.form], self.at, group) for series in (OURS, FLOOR))
        return f"{group}, {measure}: {mine:.4f} beside {floor:.4f}, {100 * share:.0f} % of the gap left"
