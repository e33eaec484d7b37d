"""The study: what was learnt from several parties' columns, with what was promised to the people in it, as a folder."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.models import HasNetwork, Saves, TakesErrors, why_not_releasable
from understudy.randomize._learn import Learned
from understudy.randomize._parameters import Family
from understudy.randomize._promise import Sent, study_statement, told_apart
from understudy.randomize._study_text import parameters_name, study_report
from understudy.release import PublishedModel, Statement, json_bytes, privacy_letter, whole_folder
from understudy.schema import Axis, Field, Schema

Floats = npt.NDArray[np.float64]
_NO_OPTIONS = ("method", "considered", "taken", "dropped", "too_large")  # the notes tell these in words


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameters:
    """The probabilities of one column, given its parents: one axis per parent, then the column's own.

    `unbiased` are what the files say by themselves, which may lie outside 0 to 1, and `standard_error` is theirs: NaN
    where next to nobody is behind one. Either is None where it is not known.

    >>> one = Parameters(column="smokes", parents=(), labels=(("no", "yes"),), probabilities=np.array([0.7, 0.3]))
    >>> next(one.rows())
    ['smokes', 'no', '', '0.700000', '', '', '']
    """

    column: str
    parents: tuple[str, ...]
    labels: tuple[tuple[str, ...], ...]
    """What the codes on each axis stand for."""
    probabilities: Floats
    unbiased: Floats | None = None
    standard_error: Floats | None = None
    people: Floats | None = None
    """About how many people have each configuration of the parents: one axis per parent."""

    def rows(self) -> Iterator[list[str]]:
        """A line for each probability, as `parameters.csv` has it."""
        for cell in np.ndindex(*self.probabilities.shape):
            *given, value = (values[code] for values, code in zip(self.labels, cell, strict=True))
            yield [
                self.column,
                value,
                "; ".join(f"{name}={label}" for name, label in zip(self.parents, given, strict=True)),
                f"{self.probabilities[cell]:.6f}",
                _written(self.unbiased, cell),
                _written(self.standard_error, cell),
                "" if self.people is None else f"{self.people[cell[:-1]]:.0f}",
            ]


def _written(table: Floats | None, cell: tuple[int, ...]) -> str:
    return "" if table is None or not np.isfinite(table[cell]) else f"{table[cell]:.6f}"


@dataclass(frozen=True, kw_only=True, repr=False)
class Study:
    """What was learnt, what it rests on, and where it was written, if it was. `write_study` makes one."""

    model: PublishedModel
    parameters: tuple[Parameters, ...]
    notes: tuple[str, ...] = ()
    path: Path | None = None
    files: tuple[Path, ...] = ()

    def __repr__(self) -> str:
        where = "" if self.path is None else f"{str(self.path)!r}, "
        return f"Study({where}{self.statement.summary()}, links={len(self.links)})"

    @property
    def statement(self) -> Statement:
        """The privacy statement."""
        return self.model.statement

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """Which column hangs on which: (parent, child), in the order of the network."""
        return tuple((parent, one.column) for one in self.parameters for parent in one.parents)


def study_of(learned: Learned, *, name: str | None = None) -> Study:
    """What was learnt, with the privacy statement of those who sent it. `name` is the parties' names by default."""
    inbox, schema = learned.inbox, learned.inbox.schema
    model = learned.model
    if not isinstance(model, Saves) or why_not_releasable(type(model)) is not None:
        raise OptionError(f"a model of kind '{model.kind}' cannot be written. Learn with another method, such as k2.")
    sent = [
        Sent(
            plan=party.plan,
            rows=party.n,
            keyed=party.pseudonyms is not None,
            times=party.times,
            earlier=party.earlier,
            seeded=bool(party.stamp),
            called=called,
        )
        for party, called in zip(inbox.parties, told_apart(inbox.plans), strict=True)
    ]
    statement = study_statement(
        sent,
        name=schema.name if name is None else name,
        schema=schema,
        n_rows=inbox.n,
        method=str(learned.settings["method"]),
        options={key: _plain(value) for key, value in learned.settings.items() if key not in _NO_OPTIONS},
    )
    parameters = tuple(_parameters(family, schema) for family in learned.families)
    return Study(
        model=PublishedModel(schema, with_errors(model, parameters), statement),
        parameters=parameters,
        notes=tuple(note for note in learned.notes if note not in inbox.notes),  # these name files of the miner's
    )


def with_errors(model: Saves, parameters: Sequence[Parameters]) -> Saves:
    """The model, with the errors of its parameters if it is a network and all are known: then its answers have some."""
    if not isinstance(model, TakesErrors) or not parameters:
        return model
    spreads = [one.standard_error for one in parameters if one.standard_error is not None]
    if [spread.shape for spread in spreads] != [table.shape for table in model.conditionals]:
        return model
    # next to nobody is behind a probability whose error is not a number: it may be anything
    known = model.with_errors([np.clip(np.nan_to_num(spread, nan=1.0), 0.0, 1.0) for spread in spreads])
    return known if isinstance(known, Saves) else model


def _plain(value: Any) -> Any:
    """A setting as a letter has it: no braces, no more digits than anybody reads."""
    if isinstance(value, Mapping):
        told = {key: str(_plain(item)) for key, item in value.items()}
        return next(iter(told.values())) if len(set(told.values())) == 1 else _joined(told)
    if isinstance(value, float):
        return float(f"{value:.4g}")
    return value if value is None or isinstance(value, bool | int | str) else str(value)


def _joined(told: Mapping[str, str]) -> str | None:
    return ", ".join(f"{key} {item}" for key, item in told.items()) or None


def _parameters(family: Family, schema: Schema) -> Parameters:
    axes = (*family.node.parents, Axis(family.node.child))
    fields = [schema.fields[axis.attribute] for axis in axes]
    return Parameters(
        column=fields[-1].name,
        parents=tuple(field.name for field in fields[:-1]),
        labels=tuple(_labels(field, axis.level) for field, axis in zip(fields, axes, strict=True)),
        probabilities=family.probabilities,
        unbiased=family.ratio,
        standard_error=family.population_error,
        people=family.counts,
    )


def _labels(field: Field, level: int) -> tuple[str, ...]:
    """What the codes of a field stand for, at a level of its hierarchy."""
    if level == 0:
        return field.labels
    groups = field.attribute.groups_at(level)
    return tuple(
        " or ".join(label for label, group in zip(field.labels, groups, strict=True) if group == code)
        for code in range(field.attribute.size_at(level))
    )


def write_study(out: str | Path, found: Study | Learned, *, name: str | None = None, overwrite: bool = False) -> Study:
    """Write the folder of what was learnt, whole or not at all; the study with its place.

    It has a README, the privacy letter and statement, the model, all parameters with their errors, the network as BIF
    and as a drawing.

    >>> import tempfile
    >>> import pyarrow as pa
    >>> from understudy.randomize import apply, learn, plan
    >>> made = plan({"name": "hospital", "fields": [{"name": "smokes", "categories": ["no", "yes"]}]}, epsilon=1)
    >>> with tempfile.TemporaryDirectory() as home:
    ...     sent, people = Path(home, "hospital.parquet"), pa.table({"smokes": ["no", "no", "yes"] * 100})
    ...     _ = apply(people, made, out=sent, ledger=Path(home, "ledger.db"), cap=1)
    ...     study = write_study(Path(home, "study"), learn([sent]))
    >>> study.statement.guarantee, float(study.statement.epsilon) <= 1
    ('epsilon-local differential privacy', True)
    """
    study = found if isinstance(found, Study) else study_of(found, name=name)
    out, model = Path(out), study.model
    with whole_folder(out, overwrite=overwrite) as folder:
        (folder / "README.md").write_text(study_report(study), encoding="utf-8")
        (folder / "PRIVACY.md").write_text(privacy_letter(model.statement), encoding="utf-8")
        (folder / "privacy.json").write_bytes(json_bytes(model.statement.to_dict()))
        model.save(folder / "model.understudy")
        names = ["README.md", "PRIVACY.md", "privacy.json", "model.understudy"]
        if study.parameters:
            names.append(parameters_name(model.statement))
            (folder / names[-1]).write_bytes(_csv(study.parameters))
        if isinstance(model.model, HasNetwork):
            (folder / "structure.bif").write_text(model.to_bif(), encoding="utf-8")
            names.append("structure.bif")
        if model.draws_itself:
            model.draw(folder / "network.svg")
            names.append("network.svg")
    return replace(study, path=out, files=tuple(out / name for name in names))


def _csv(parameters: Sequence[Parameters]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", "value", "given", "probability", "unbiased", "standard_error", "people"])
    for one in parameters:
        writer.writerows(one.rows())
    return text.getvalue().encode()
