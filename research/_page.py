"""The page of claims: every claim of the papers' experiments, its rule, its verdict, its figure, its command."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

from research._experiment import Claim, Experiment, Finding
from research._outcome import FIGURE, Outcome
from research._remarks import remarks_on

_NOT_RUN = "not run"
_HEAD = """\
# What the papers claim, and what came out here

Every claim that the papers make of their experiments, in a sentence each; the rule that decides it, written before the
run (some were not blind, and a few were corrected after it: [which](experiments.md#how-a-claim-is-decided)); the
verdict; the figure; and the command that computes it. *Reproduced*: the rule is met. *Contradicted*: the opposite holds
by the rule. *Not reproduced*: neither. A claim that is put to two forms of a method, or to several tables, is counted
once for each. The page is generated from the results in the folder beside it:

```text
research run all --quick --out {folder}
research claims --out {folder} --markdown {page}
```
"""


def claims_page(
    experiments: Sequence[Experiment], outcomes: Mapping[str, Outcome], *, figures: str, folder: str, page: str
) -> str:
    """The page as Markdown; `figures` is the path from the page to the folder of results."""
    parts = [_HEAD.format(folder=folder, page=page), _summary(experiments, outcomes)]
    for paper in dict.fromkeys(experiment.paper for experiment in experiments):
        parts.append(f"\n## {paper}\n")
        parts += [
            _section(experiment, outcomes.get(experiment.name), figures)
            for experiment in experiments
            if experiment.paper == paper
        ]
    return "\n".join(parts)


def findings(experiment: Experiment, outcome: Outcome | None) -> list[tuple[Claim, Finding | None]]:
    """Each claim with its finding, if there is one."""
    found = outcome.verdicts if outcome is not None and outcome.verdicts else (None,) * len(experiment.claims)
    return list(zip(experiment.claims, found, strict=True))


def _summary(experiments: Sequence[Experiment], outcomes: Mapping[str, Outcome]) -> str:
    lines = ["| paper | claims | reproduced | not reproduced | contradicted | not run |", "|---|---|---|---|---|---|"]
    for paper in dict.fromkeys(experiment.paper for experiment in experiments):
        counts = Counter(
            _NOT_RUN if finding is None else finding.verdict
            for experiment in experiments
            if experiment.paper == paper
            for _, finding in findings(experiment, outcomes.get(experiment.name))
        )
        words = ("reproduced", "not reproduced", "contradicted", _NOT_RUN)
        lines.append(f"| {paper} | {counts.total()} | " + " | ".join(str(counts[word]) for word in words) + " |")
    return "\n".join(lines)


def _rules(claims: Iterable[Claim]) -> list[tuple[str, str]]:
    """Each rule once, with the numbers of the claims that it decides."""
    users: dict[str, list[int]] = {}
    for number, claim in enumerate(claims, 1):
        users.setdefault(claim.rule.text, []).append(number)
    return [(", ".join(map(str, used)), text) for text, used in users.items()]


def _section(experiment: Experiment, outcome: Outcome | None, figures: str) -> str:
    lines = [f"### {experiment.where}: {experiment.title}", "", f"`{experiment.name}`"]
    if outcome is not None:
        lines[-1] += f" · {outcome.effort}, {outcome.runs:,} runs, {outcome.cpu_seconds / 60:.1f} CPU minutes"
        lines += ["", f"![{experiment.where}]({figures}/{experiment.name}/{FIGURE}.svg)"]
    found = findings(experiment, outcome)
    lines += ["", "| | verdict | claim | numbers |", "|--:|---|---|---|"]
    for number, (claim, finding) in enumerate(found, 1):
        verdict = _NOT_RUN if finding is None else f"**{finding.verdict}**"
        form = f" *({claim.form})*" if claim.form else ""
        cells = (str(number), verdict, claim.sentence + form, "" if finding is None else finding.why)
        lines.append("| " + " | ".join(cell.replace("|", "\\|").replace("\n", " ") for cell in cells) + " |")
    lines += ["", "<details><summary>The rules</summary>", ""]
    lines += [f"- *Of {numbers}:* {text}" for numbers, text in _rules(claim for claim, _ in found)]
    lines += ["", "</details>"]
    lines += [f"\n{remark}" for remark in remarks_on(experiment.name)]
    option = " --quick" if outcome is None or outcome.quick else ""
    lines += ["", "```text", f"research run {experiment.name}{option}", "```", ""]
    return "\n".join(lines)
