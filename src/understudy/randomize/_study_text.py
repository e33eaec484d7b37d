"""The study's README: what was found, how sure it is, what it rests on, and what not to do with it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from understudy.models import HasNetwork, edge_strengths
from understudy.release import PartyNote, Statement, clean_text, number_above, stamped_path

if TYPE_CHECKING:
    from understudy.randomize._study import Parameters, Study

_MOST_LINES = 60


def parameters_name(statement: Statement) -> str:
    """The file of all probabilities; without a guarantee its name says so, as a CSV has no other place for it.

    >>> parameters_name(Statement.example_of_parties(seeded=True))
    'parameters.NOT-PRIVATE.csv'
    """
    return stamped_path(Path("parameters.csv"), statement).name


def study_report(study: Study) -> str:
    """The study as a page of Markdown."""
    statement = study.statement
    people = f"{statement.n_rows:,} people"
    parties = len(statement.parties)
    shared = f"{people} whom all of them have" if parties > 1 else people
    if statement.trust == "mixed":
        shared = f"{people} or more for each column"
    parts = [
        f"# Study: {clean_text(statement.dataset)}",
        f"> **{statement.stamp}.** `PRIVACY.md` says why." if statement.stamp else "",
        f"A model of {len(study.model.schema.fields)} columns that {_counted(parties, 'party', 'parties')} hold and "
        f"never pooled, learnt from {shared}. What was promised to these people is in `PRIVACY.md`: "
        f"{statement.guarantee}"
        + (f", ε = {number_above(statement.epsilon)} for one person." if statement.private else "."),
        _found(study),
        _sent(statement),
        _settings(study),
        _errors(study),
        _warnings(),
        _use(study),
    ]
    return "\n\n".join(part for part in parts if part) + "\n"


def _found(study: Study) -> str:
    if not study.parameters:
        return ""
    owner = {name: party.name for party in study.statement.parties for name in party.columns}
    strengths = _strengths(study)
    lines = [_line(one, owner, strengths) for one in study.parameters[:_MOST_LINES]]
    more = len(study.parameters) - len(lines)
    across = sum(owner.get(parent) != owner.get(child) for parent, child in study.links)
    return "\n\n".join(
        [
            "## What was found",
            f"{_counted(len(study.links), 'link', 'links')}, {across} of them between columns of different parties. "
            "`network.svg` draws them. A strength is the mutual information in bits, in the model: 0 says nothing, "
            "1 settles a fair coin.",
            "| column | held by | depends on (strength) | standard error of its probabilities |\n|---|---|---|--:|\n"
            + "\n".join(lines)
            + (f"\n| … and {more} more columns | | | |" if more else ""),
        ]
    )


def _line(one: Parameters, owner: dict[str, str], strengths: dict[tuple[str, str], float]) -> str:
    parents = ", ".join(
        clean_text(parent) + (f" ({strengths[parent, one.column]:.2f})" if (parent, one.column) in strengths else "")
        for parent in one.parents
    )
    return f"| {clean_text(one.column)} | {clean_text(owner.get(one.column, ''))} | {parents or '–'} | {_error(one)} |"


def _error(one: Parameters) -> str:
    """The middle one of the errors, and the largest, in points of a percent."""
    if one.standard_error is None:
        return "not known"
    known = one.standard_error[~np.isnan(one.standard_error)]
    if not known.size:
        return "not known"
    middle, most = (f"{100 * value:.1f} %" for value in (float(np.median(known)), float(known.max())))
    return middle if middle == most else f"{middle}, at most {most}"


def _strengths(study: Study) -> dict[tuple[str, str], float]:
    model = study.model.model
    if not isinstance(model, HasNetwork):
        return {}
    names = [attribute.name for attribute in model.network.domain]
    return {(names[parent], names[child]): bits for (parent, child), bits in edge_strengths(model).items()}


def _sent(statement: Statement) -> str:
    rows = [
        f"| {clean_text(party.name)} | {', '.join(clean_text(name) for name in party.columns)} | {party.rows:,} "
        f"| {_epsilon(statement, party)} |"
        for party in statement.parties
    ]
    total = "unbounded" if statement.unbounded else number_above(statement.epsilon)
    rows_of_all = f"{statement.n_rows:,} in all files" if statement.trust == "local" else ""
    heading = (
        "What the parties sent"
        if statement.trust == "local"
        else "What the parties shared: randomised columns that others needed, and parameters of their own"
    )
    return (
        f"## {heading}\n\n| party | columns | rows | ε |\n|---|---|--:|--:|\n"
        + "\n".join([*rows, f"| **one person, all parties** | | {rows_of_all} | **{total}** |"])
        + "\n\nRows that not all parties have count where only columns of parties that have them are related."
    )  # fmt: skip


def _epsilon(statement: Statement, party: PartyNote) -> str:
    found = statement.epsilon_of(party.name)
    return "unbounded" if found is None else number_above(found)


def _settings(study: Study) -> str:
    statement = study.statement
    options = [f"{key} = {value}" for key, value in statement.options.items() if value is not None]
    lines = [
        f"Method `{clean_text(statement.method)}`" + (f": {clean_text(', '.join(options))}." if options else "."),
        *(clean_text(note) for note in study.notes),
    ]
    return "## How it was learnt\n\n" + "\n".join(f"- {line}" for line in lines)


def _errors(study: Study) -> str:
    if not any(one.standard_error is not None for one in study.parameters):
        return ""
    return (
        f"## How sure it is\n\n`{parameters_name(study.statement)}` has every probability with its standard error: "
        "about two times in three the true value lies within one of them, 19 times in 20 within two. "
        "They cover what randomising and the number "
        "of people may have done, given these links. They do not cover links that are missing or wrong, and where few "
        "people are behind a probability (the column `people`) they are rough."
    )


def _warnings() -> str:
    lines = [
        "Do not take a missing link for independence: weak links drown in what randomising adds.",
        "Do not read a link as a cause. Its direction is how the table is best told, no more.",
        "Do not look for persons in sampled rows. There are none.",
        "Do not ask the parties to randomise again for a better result: two copies can be averaged, and the cost adds "
        "up. More people help, and so do fewer and coarser columns.",
    ]
    return "## What not to do\n\n" + "\n".join(f"- {line}" for line in lines)


def _use(study: Study) -> str:
    name = study.model.schema.fields[-1].name
    return (
        "## What to do next\n\n```sh\nunderstudy sample model.understudy -n 10000 -o joint.csv\n"
        f'understudy query model.understudy "{name}"\n```'
    )


def _counted(count: int, one: str, more: str) -> str:
    return f"{count:,} {one if count == 1 else more}"
