"""The papers' classification tasks: which column is to be told from the others, and which of its values are "yes"."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError, UserError, did_you_mean
from understudy.schema import Field, Schema

PAPER_TARGETS: Mapping[str, tuple[str, ...]] = {
    "nltcs": ("outside", "money", "bathing", "traveling"),
    "acs": ("dwell", "mortgage", "multigen", "school"),
    "adult": ("gender", "salary", "education", "marital"),
    "br2000": ("religion", "car", "child", "age"),
}
"""The four tasks that the paper's text names for each data set, by their names in the authors' program.

That program knows more than the text: ACS also has "race" and "migrate", BR2000 also has "dwell". They are left out.
Its NLTCS "bathing" is the column of the answers on toileting; we take the authors' column, as their figures do.
"""
_CODED = "_privbayes16"  # the same rows in the authors' codes: their targets are those of the raw table
_BINS = re.compile(r"bins (\d+)\.\.(\d+) of (\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class SvmTarget:
    """One yes-or-no question about a row, to be answered from its other columns.

    >>> SvmTarget(name="outside", column=15, positive=frozenset({1})).name
    'outside'
    """

    name: str
    column: int
    positive: frozenset[int]
    """The codes that mean yes."""
    numeric: frozenset[int] = frozenset()
    """The columns of the table whose codes are places on a line: one feature each."""
    one_hot: bool = False
    """Whether rows become numbers as in the authors' program, which makes more of them."""


def numeric_columns(schema: Schema) -> frozenset[int]:
    """The columns that are numbers: cut into bins, or ordered codes without a taxonomy (bins that were cut before).

    >>> fields = [{"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 4},
    ...     {"name": "sex", "categories": ["f", "m"]}]
    >>> numeric_columns(Schema.from_dict({"fields": fields}))
    frozenset({0})
    """
    return frozenset(i for i, field in enumerate(schema.fields) if _is_numeric(field))


def _is_numeric(field: Field) -> bool:
    whole = field.size == field.n_main  # special and missing values have no place on the line
    return whole and (field.bins is not None or (field.ordered and field.taxonomy is None and field.size > 2))


def svm_targets(dataset: str, schema: Schema, folder: Path, *, one_hot: bool = False) -> tuple[SvmTarget, ...]:
    """The paper's four tasks on this data set, from `svm_targets` in its schema JSON in the data folder.

    `schema` is that of the table in use, either the raw one or the one in the authors' codes (`…_privbayes16`).
    """
    base = dataset.removesuffix(_CODED)
    if base not in PAPER_TARGETS:
        raise OptionError(
            f"the papers have no classification tasks on data set '{dataset}'. {did_you_mean(base, PAPER_TARGETS)}"
        )
    path = Path(folder) / f"{base}.schema.json"
    try:
        described = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"the classification tasks of '{dataset}' are described in {path.name}, which is not in {folder}. "
            "Put it there, or set UNDERSTUDY_DATA to the folder that has it."
        ) from None
    numeric = numeric_columns(schema)
    found = (
        _target(name, described["svm_targets"][name], described["attributes"], schema, numeric)
        for name in PAPER_TARGETS[base]
    )
    return tuple(replace(target, one_hot=one_hot) for target in found)


def _target(name: str, entry: Any, attributes: Any, schema: Schema, numeric: frozenset[int]) -> SvmTarget:
    """A task from its entry: a column number whose code 1 means yes, or a column and its yes-values."""
    column, positive = (entry["col"], entry["positive"]) if isinstance(entry, dict) else (entry, ["1"])
    names = [attribute["name"] for attribute in attributes]
    at = names.index(column) if isinstance(column, str) else int(column)
    field = schema.fields[at]
    if field.name != names[at]:
        raise UserError(f"task '{name}' is about column '{names[at]}', but column {at} of the table is '{field.name}'.")
    codes = _codes(positive, attributes[at], field)
    return SvmTarget(name=name, column=at, positive=frozenset(codes), numeric=numeric - {at})


def _codes(positive: Any, attribute: Any, field: Field) -> list[int]:
    if isinstance(positive, str):
        found = _BINS.fullmatch(positive)
        if found is None or int(found[3]) != field.n_main:
            raise UserError(
                f"the yes-values of column '{field.name}' are given as '{positive}'; expected a list of values, "
                f"or 'bins i..j of {field.n_main}'."
            )
        return list(range(int(found[1]), int(found[2]) + 1))
    values = [str(value) for value in attribute["values"]]
    coded = field.type == "integer"  # the authors' codes: places in the list of values
    return [values.index(str(value)) if coded else field.code_of(str(value)) for value in positive]
