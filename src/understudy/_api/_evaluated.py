"""What is to be evaluated: a release folder, a model file, or a table that any tool made."""

from __future__ import annotations

import os
from dataclasses import dataclass
from glob import has_magic
from pathlib import Path
from typing import Any

import numpy as np

from understudy._api._options import make_method
from understudy._api._outlook import Planned, in_same_bins
from understudy._api._settings import budget_of
from understudy._core.errors import OptionError, TableError, UserError
from understudy._core.files import exists, is_file, is_folder
from understudy._core.formats import FORMATS, format_of
from understudy.databases import is_server, refuse_other_schemes, shown_source, table_in_file
from understudy.evaluation import BudgetLine, Pair, ReportFacts
from understudy.methods import METHODS, HPPrivBayes
from understudy.models import RowsModel, TreeModel
from understudy.privacy import Neighbours, PrivacyTerms, PrivacyUnit
from understudy.release import (
    CardFacts,
    PublishedModel,
    Release,
    about_release,
    declared_facts,
    load_model,
    privacy_letter,
    table_name,
)
from understudy.schema import Schema, SchemaLike, read_schema

MODEL_FILE = "model.understudy"
ABOUT_FILE = "README.md"
_ENDINGS = (*(ending for format in FORMATS.values() for ending in format.endings), ".arrow")
_TABLES = tuple(f"synthetic{ending}" for ending in _ENDINGS)
_NAME_REAL = "Name the private table that it was made from: understudy evaluate real.csv release."
_KINDS_OF_ROWS = 20
_FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)


@dataclass(frozen=True, kw_only=True)
class EvaluatedRelease:
    """Synthetic tables, the schema they follow, and the model they came from if there is one."""

    tables: tuple[Any, ...]
    schema: Schema
    model: PublishedModel | None = None
    folder: Path | None = None
    """The release folder, if it is one."""

    def facts(self, **more: Any) -> ReportFacts:
        """What the release says of itself, as a report shows it."""
        if self.model is None:
            return ReportFacts(dataset=self.schema.name, n_columns=len(self.schema.fields), **more)
        statement = self.model.statement
        return ReportFacts(
            dataset=statement.dataset,
            n_columns=len(self.schema.fields),
            created=statement.created,
            version=statement.version,
            method=statement.ran,
            epsilon=float(statement.epsilon),
            delta=float(statement.delta),
            neighbours=statement.neighbours,
            unit=statement.unit,
            stamp=statement.stamp,
            privacy_letter=privacy_letter(statement),
            about=self._about(more.get("rows_synthetic", statement.n_rows)),
            network_svg=self.model.to_svg() if self.model.draws_itself else None,
            directed=self.model.model.kind not in (TreeModel.kind, RowsModel.kind),
            budgets=budget_lines(self.model),
            **more,
        )

    def _about(self, n_rows: int) -> str | None:
        """The page of the release for its readers: its own, or what the model alone can tell."""
        if self.model is None:
            return None
        own = None if self.folder is None else self.folder / ABOUT_FILE
        if own is not None and is_file(own):
            try:
                return own.read_text(encoding="utf-8")
            except (OSError, UnicodeDecodeError):
                pass  # somebody else's: the model tells enough
        said = declared_facts(self.schema.properties, CardFacts())
        name = table_name(self.model.statement, "csv")
        return about_release(self.schema, self.model.statement, table=name, n_rows=n_rows, facts=said)


def open_evaluated(
    synthetic: Any,
    schema: SchemaLike | None,
    *,
    draws: int = 1,
    seed: int = 0,
    otherwise: SchemaLike | None = None,
) -> EvaluatedRelease:
    """The tables to look at. With `draws` above 1 the model gives more of them, which costs no privacy.

    A model brings its own schema; `otherwise` is for a table without one.

    >>> open_evaluated("people.csv", None)
    Traceback (most recent call last):
    understudy._core.errors.TableError: there is no file or folder 'people.csv' to evaluate.
    """
    tables, model = _opened(synthetic)
    if schema is None and model is None:
        schema = otherwise
    declared = read_schema(schema) if schema is not None else None if model is None else model.schema
    if declared is None:
        raise OptionError(
            "a table by itself needs a schema: --schema (schema=…). Or name its release folder or model file."
        )
    if draws > 1 and model is None:
        raise OptionError("only a model can draw more tables. Name a release folder or a model file, or give one draw.")
    if model is not None:
        drawn = [model.sample(seed=seed + i, kind="pyarrow") for i in range(draws - len(tables))]
        tables = (*tables, *drawn)
    return EvaluatedRelease(tables=tuple(tables), schema=declared, model=model)


def open_release(release: Any) -> EvaluatedRelease:
    """A release or a model, for a page that is made from nothing else."""
    tables, model = _opened(release)
    if model is None:
        raise OptionError(
            "a public page is made from a release: there is no model here to tell how the table was made. Name the "
            f"folder that 'understudy publish' made, or its {MODEL_FILE}."
        )
    drawn = tables or (model.sample(seed=0, kind="pyarrow"),)
    return EvaluatedRelease(tables=drawn, schema=model.schema, model=model, folder=_folder_of(release))


def _folder_of(release: Any) -> Path | None:
    if isinstance(release, Release):
        return release.path
    return Path(release) if isinstance(release, str | os.PathLike) and is_folder(Path(release)) else None


def refuse_swapped(real: Any, synthetic: Any) -> None:
    """Refuse a release in the place of the real table: held against itself, a release looks perfect.

    >>> refuse_swapped("people.csv", "release")
    """
    if not _is_release(real):
        return
    named = [f"'{shown_source(one)}'" for one in (synthetic, real) if isinstance(one, str | os.PathLike)]
    what = f"{named[-1]} is a release" if isinstance(real, str | os.PathLike) else "the first is a release"
    if _is_release(synthetic):
        raise OptionError(f"the real table comes first, and {what}. {_NAME_REAL}")
    command = f"understudy evaluate {' '.join(named)}; in Python, " if len(named) > 1 else ""
    raise OptionError(
        f"the real table comes first and the release second, and they look swapped: {what}. Try: "
        f"{command}evaluate(real, release)."
    )


def refuse_release_itself(pair: Pair, evaluated: EvaluatedRelease) -> None:
    """Refuse a copy of a release's own table in the place of the real one, whatever it is called and made of.

    Rows that are the same in the same order are no chance, unless there are next to no kinds of them.
    """
    if evaluated.model is None or pair.whole is not None or pair.real.n != pair.first.n or not _same_cells(pair):
        return
    if len(set(zip(*(column.tolist() for column in pair.real.columns), strict=True))) >= _KINDS_OF_ROWS:
        raise OptionError(
            f"the real table comes first, and this one is the release's own synthetic table. {_NAME_REAL}"
        )


def _same_cells(pair: Pair) -> bool:
    return all(np.array_equal(own, made) for own, made in zip(pair.real.columns, pair.first.columns, strict=True))


def _is_release(given: Any) -> bool:
    """Whether it is a model, a release, its folder, or the synthetic table in it."""
    if isinstance(given, Release | PublishedModel):
        return True
    if not isinstance(given, str | os.PathLike) or is_server(given):
        return False
    path = Path(given)
    if is_folder(path):
        return any(is_file(path / name) for name in (MODEL_FILE, *_TABLES))
    if path.suffix == Path(MODEL_FILE).suffix:
        return True
    return path.name.startswith("synthetic.") and is_file(path) and is_file(path.parent / MODEL_FILE)


def budget_lines(model: PublishedModel) -> tuple[BudgetLine, ...]:
    """What other budgets would give, from the dry run: nothing is spent to know it.

    The plan takes the method's own defaults, but for the columns that were called sensitive. A method that plans
    nothing has no such lines, nor has one as its paper prints it: it keeps no budget.
    """
    statement = model.statement
    if statement.method not in METHODS:
        return ()
    unit = PrivacyUnit(statement.unit, max_rows=statement.max_rows)
    relation, n = Neighbours(statement.neighbours), max(statement.n_rows, 1)
    try:
        terms = PrivacyTerms(budget=budget_of(statement.epsilon, statement.delta), neighbours=relation, unit=unit)
        method = make_method(statement.method, _sensitive(model))
        spent = Planned(method=method, schema=_before_bins(model.schema), terms=terms, n=n)
        others = in_same_bins(spent, [statement.epsilon * int(4 * factor) / 4 for factor in _FACTORS])
        lines = [_budget_line(other, factor == 1) for other, factor in zip(others, _FACTORS, strict=True)]
    except UserError:  # the release stands without its plan, say where a name holds a comma
        return ()
    return tuple(line for line in lines if line is not None) if all(lines) else ()


def _budget_line(planned: Planned, current: bool) -> BudgetLine | None:
    found = planned.outlook()
    noise = planned.dry_run().noise_mean
    if found.column_error is None or not noise:
        return None
    return BudgetLine(
        epsilon=found.epsilon,
        noise_per_cell=noise,
        column_error=found.column_error,
        pair_error=found.pair_error,
        independent_error=found.independent_error,
        pairs_kept=found.pairs_kept,
        pairs=found.pairs,
        relations=found.relations,
        current=current,
    )


def _before_bins(schema: Schema) -> Schema:
    """The schema as it was declared: bins that were found would be others under another budget."""
    written = schema.to_dict()
    for field, properties in zip(schema.fields, written["fields"], strict=True):
        if field.bins is not None and field.bins.shape is not None:
            properties["bins"] = "auto" if field.has_found_bins else {**properties["bins"], "inside": "auto"}
    return Schema.from_dict(written)


def _sensitive(model: PublishedModel) -> dict[str, Any]:
    """Columns that were called sensitive beside those that the schema declares, as the method's option."""
    listed = model.statement.options.get("sensitive")
    if model.statement.method != HPPrivBayes.name or not isinstance(listed, str):
        return {}
    declared = {field.name for field in model.schema.fields if field.sensitivity}
    return {"sensitive": tuple(name for name in listed.split(", ") if name not in declared)}


def _opened(synthetic: Any) -> tuple[tuple[Any, ...], PublishedModel | None]:
    """The tables at hand, and the model. A model alone is asked for a table."""
    if isinstance(synthetic, Release):
        return (synthetic.synthetic,), synthetic.model
    if isinstance(synthetic, PublishedModel):
        return (), synthetic
    if isinstance(synthetic, list | tuple):
        return tuple(synthetic), None
    if not isinstance(synthetic, str | os.PathLike):
        return (synthetic,), None
    refuse_other_schemes(synthetic)
    if is_server(synthetic) or table_in_file(synthetic) is not None:
        return (synthetic,), None
    path = Path(synthetic)
    if not exists(path):
        if has_magic(str(path)):  # of files that are a table together
            return (synthetic,), None
        raise TableError(f"there is no file or folder '{path}' to evaluate.")
    if is_folder(path):
        return (_table_in(path),), _model_in(path)
    if path.suffix == Path(MODEL_FILE).suffix:
        return (), load_model(path)
    return (path,), None


def _holds_parts(folder: Path) -> bool:
    """Whether a folder is no release but a table in parts: there are files, and all of them are tables."""
    files = [name for _, _, names in os.walk(folder) for name in names if name[0] not in "._"]
    return bool(files) and all(format_of(name) is not None for name in files)


def _table_in(folder: Path) -> Path:
    names = [name.replace("synthetic.", f"synthetic{stamp}.") for stamp in ("", ".NOT-PRIVATE") for name in _TABLES]
    found = next((folder / name for name in names if (folder / name).is_file()), None)
    if found is not None:
        return found
    model = folder / MODEL_FILE
    if not model.is_file() and _holds_parts(folder):
        return folder
    held = ", ".join(sorted(path.name for path in folder.iterdir())[:8]) or "nothing"
    advice = (
        f"Make one: understudy sample {model} -o {folder / 'synthetic.csv'}; or evaluate the model itself: {model}."
        if model.is_file()
        else "Name the folder that 'understudy publish' made, or the synthetic table itself with --schema."
    )
    raise TableError(f"no synthetic table in {folder}: expected {_TABLES[0]} or {_TABLES[2]}, found {held}. {advice}")


def _model_in(folder: Path) -> PublishedModel | None:
    path = folder / MODEL_FILE
    return load_model(path) if is_file(path) else None
