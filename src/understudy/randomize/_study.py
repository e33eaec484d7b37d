"""The study: what was learnt from several parties' columns, with what was promised to the people in it, as a folder."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from understudy.models import HasNetwork
from understudy.randomize._study_text import study_report
from understudy.release import PublishedModel, Statement, json_bytes, privacy_letter, whole_folder

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, kw_only=True, eq=False)
class Parameters:
    """The probabilities of one column, given its parents: one axis per parent, then the column's own.

    `unbiased` are what the files say by themselves, which may lie outside 0 to 1, and `standard_error` is theirs: NaN
    where next to nobody is behind one. Either is None where it is not known.
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
    """What was learnt, what it rests on, and where it was written, if it was."""

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


def write_study(out: str | Path, study: Study, *, overwrite: bool = False) -> Study:
    """Write the study's folder, whole or not at all; the study with its place."""
    out = Path(out)
    model = study.model
    with whole_folder(out, overwrite=overwrite) as folder:
        (folder / "README.md").write_text(study_report(study), encoding="utf-8")
        (folder / "PRIVACY.md").write_text(privacy_letter(model.statement), encoding="utf-8")
        (folder / "privacy.json").write_bytes(json_bytes(model.statement.to_dict()))
        model.save(folder / "model.understudy")
        names = ["README.md", "PRIVACY.md", "privacy.json", "model.understudy"]
        if study.parameters:
            (folder / "parameters.csv").write_bytes(_csv(study.parameters))
            names.append("parameters.csv")
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
