"""The page of details: for each sentence every table with its numbers and rule, and for each experiment its remarks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from research._experiment import Experiment
from research._outcome import FIGURE, Outcome
from research._page import cell, papers, place_of
from research._reasons import reason_of
from research._remarks import remarks_on
from research._wording import needed_in_words, own_repetitions
from research.rules import Decision, Strength
from research.sentences import Assessed, Judged, Test

_HEAD = """\
# Claims in detail

What stands behind [the page of claims](claims.md): for each sentence the result on each table with its rule, and at
the end the experiments with their figures and remarks.

Lines are compared by paired differences over the same seeds (as two means, by Welch's test, where they have no five
seeds in common; with a fixed number, where a line has no chance in it). A point needs five runs of each line. A
difference is clear if it is so by Student's t, two-sided, at 5 % for all comparisons of the table together (Holm); and
it is clearly none, whoever is ahead, if both one-sided tests say that it is below 2 % of what is compared.
*Power*: the difference, as a share of the largest value compared, that would have been called clear four times out of
five; half of the comparisons see less, half more.
"""
_STRENGTHS: Mapping[Strength, str] = {"all": "said of all cases", "general": "said in general"}


def details_page(
    assessed: Sequence[Assessed], experiments: Sequence[Experiment], outcomes: Mapping[str, Outcome], *, figures: str
) -> str:
    """The page as Markdown; `figures` is the path from the page to the folder of results."""
    parts = [_HEAD]
    for paper in papers(assessed):
        parts.append(f"## {paper}\n")
        parts += [_section(one) for one in assessed if one.sentence.paper == paper]
    parts.append("## Experiments\n")
    parts += [_experiment(experiment, outcomes.get(experiment.name), figures) for experiment in experiments]
    return "\n".join(parts)


def _section(one: Assessed) -> str:
    sentence = one.sentence
    lines = [
        f"### {sentence.name}",
        "",
        f"> {sentence.quote} ({place_of(sentence)})",
        "",
        f"**{one.verdict}** {one.printed.tables}".rstrip()
        + f" · {_STRENGTHS[sentence.strength]}"
        + " of one table, which is not known" * (sentence.of_tables != sentence.strength)
        + " · about the method" * sentence.method,
    ]
    if sentence.missing:
        lines[-1] += f" · missing: {sentence.missing}"
    if reason := reason_of(sentence.name):
        lines += ["", reason]
    if sentence.tests:
        lines += ["", *_table(one.printed)]
    if one.ours is not None:
        lines += ["", f"Our forms: **{one.ours.verdict}** {one.ours.tables}", "", *_table(one.ours)]
    lines += ["", "<details><summary>Rules</summary>", "", *_rules(one), "", "</details>", ""]
    return "\n".join(lines)


def _table(judged: Judged) -> list[str]:
    lines = ["| table | experiment | verdict | numbers | runs | power |", "|---|---|---|---|--:|--:|"]
    for test, decision in judged.tests:
        why = decision.why
        if decision.verdict == "undecided":
            why += f" ({needed_in_words(decision.needed, own_repetitions(test.experiment), decision.power)}.)"
        cells = (
            test.table,
            f"[{test.experiment}](#{_anchor(test.experiment)})",
            decision.verdict,
            why,
            *_strength_of(decision),
        )
        lines.append("| " + " | ".join(map(cell, cells)) + " |")
    return lines


def _anchor(experiment: str) -> str:
    """Of its heading: not that of a sentence with the same name.

    >>> _anchor("privbayes-table5")
    'run-privbayes-table5'
    """
    return f"run-{experiment}"


def _strength_of(decision: Decision) -> tuple[str, str]:
    runs = "" if decision.runs is None else str(decision.runs)
    return runs, "" if decision.power is None else f"{100 * decision.power:.2g} %"


def _rules(one: Assessed) -> list[str]:
    """Each rule once, with the tables that it decides."""
    tests: tuple[Test, ...] = (*one.sentence.tests, *one.sentence.ours)
    users: dict[str, list[str]] = {}
    for test in tests:
        users.setdefault(test.rule.text(one.sentence.strength), []).append(test.table)
    return [f"- *{'; '.join(tables)}:* {text}" for text, tables in users.items()] or ["- None: it is not tested."]


def _options(experiment: Experiment, outcome: Outcome | None) -> str:
    """Those that run it in the form in which it was run."""
    if outcome is None:
        return " --quick"
    usual = experiment.scale(quick=outcome.quick).seeds
    return " --quick" * outcome.quick + f" --seeds {outcome.seeds}" * (outcome.seeds != usual)


def _experiment(experiment: Experiment, outcome: Outcome | None, figures: str) -> str:
    lines = [f"### Run: {experiment.name}", "", f"{experiment.paper}, {experiment.where}: {experiment.title}."]
    if outcome is not None:
        minutes = outcome.cpu_seconds / 60
        lines[-1] += f" {outcome.effort(experiment).capitalize()}, {outcome.runs:,} runs, {minutes:.1f} CPU minutes."
        lines += ["", f"![{experiment.where}]({figures}/{experiment.name}/{FIGURE}.svg)"]
    else:
        lines[-1] += " Not run."
    lines += ["", "```text", f"research run {experiment.name}{_options(experiment, outcome)}", "```"]
    if remarks := remarks_on(experiment.name):
        lines += ["", "<details><summary>Remarks</summary>", ""]
        lines += [f"{remark}\n" for remark in remarks]
        lines += ["</details>"]
    return "\n".join([*lines, ""])
