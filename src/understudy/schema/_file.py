"""The schema file at the edge: its shape checked by pydantic, its faults told as sentences."""

from __future__ import annotations

from difflib import get_close_matches
from itertools import islice
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import BaseModel, ConfigDict, Field, StrictInt, ValidationError, field_validator
from pydantic.alias_generators import to_camel

from understudy.schema._limits import MAX_VALUES, shown
from understudy.schema._written import plain, written_text

_OURS = ("bins", "taxonomy", "special", "outside", "origin", "decimals", "timezone", "sensitivity", "sensitivities")
_FIELD_KEYS = (
    "name", "type", "format", "title", "description", "example", "examples", "constraints", "categories",
    "categoriesOrdered", "missingValues", "rdfType", "decimalChar", "groupChar", "bareNumber", "trueValues",
    "falseValues", *_OURS,
)  # fmt: skip
_CONSTRAINT_KEYS = (
    "required", "unique", "enum", "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "minLength",
    "maxLength", "pattern", "jsonSchema",
)  # fmt: skip
_MOST_STRANGERS = 200  # unknown properties that are compared with known ones
_SCHEMA_KEYS = (
    "name", "title", "description", "fields", "fieldsMatch", "missingValues", "primaryKey", "uniqueKeys",
    "foreignKeys", "$schema", "profile", "dependencies", "brokenRows",
)  # fmt: skip


_Values: TypeAlias = Annotated[list[Any], Field(max_length=MAX_VALUES)]


class CategoryFile(BaseModel):
    """One category written as `{value, label}`."""

    model_config = ConfigDict(extra="allow")
    value: Any
    label: Any = None


class InsideFile(BaseModel):
    """How values lie inside declared bins, in grid points: what a release's schema has for `inside: auto`."""

    model_config = ConfigDict(extra="forbid")
    starts: list[StrictInt] = Field(min_length=1, max_length=MAX_VALUES)
    shares: list[float] = Field(min_length=1, max_length=MAX_VALUES)
    stretches: list[StrictInt] = Field(default=[], max_length=MAX_VALUES)


class FoundFile(InsideFile):
    """Bins that were found from a noisy histogram, too: what a release's schema has for `bins: auto`."""

    first: list[StrictInt] = Field(min_length=1, max_length=MAX_VALUES)


class BinsFile(BaseModel):
    """`bins` written as a mapping."""

    model_config = ConfigDict(extra="forbid")
    auto: bool = False
    found: FoundFile | None = None
    count: StrictInt | None = Field(default=None, ge=1, le=MAX_VALUES)
    edges: _Values | None = None
    closed: Literal["left", "right"] = "right"
    inside: Literal["even", "auto"] | InsideFile = "even"


class ConstraintsFile(BaseModel):
    """The constraints we use; the others are kept."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)
    required: bool | None = None
    enum: _Values | None = None
    minimum: Any = None
    maximum: Any = None
    exclusive_minimum: Any = None
    exclusive_maximum: Any = None

    def end(self, key: Literal["minimum", "maximum"]) -> str:
        """An end of the range as it was written."""
        return shown(plain(getattr(self, f"exclusive_{key}") if getattr(self, key) is None else getattr(self, key)))


class FieldFile(BaseModel):
    """One field as written."""

    model_config = ConfigDict(extra="allow", alias_generator=to_camel)
    name: str
    type: Literal["string", "integer", "number", "boolean", "date", "datetime", "year"] = "string"
    format: str | None = None
    constraints: ConstraintsFile = ConstraintsFile()
    categories: _Values | None = None
    categories_ordered: bool = False
    missing_values: list[Any] | None = None
    decimal_char: str = Field(default=".", min_length=1)
    group_char: str = ""
    bare_number: bool = True
    true_values: list[str] = Field(default=["true", "True", "TRUE", "1"], min_length=1)
    false_values: list[str] = Field(default=["false", "False", "FALSE", "0"], min_length=1)
    bins: BinsFile | None = None
    taxonomy: list[Any] | None = None
    special: _Values | None = None
    outside: Literal["error", "clip", "other"] = "error"
    origin: Literal["declared", "draft"] = "declared"
    decimals: int | None = Field(default=None, ge=0, le=15)
    timezone: str | None = Field(default=None, min_length=1)
    sensitivity: Any = None
    sensitivities: dict[Any, Any] | None = None

    @field_validator("name", mode="before")
    @classmethod
    def _name(cls, value: Any) -> Any:
        return written_text(value) if isinstance(value, int | float) else value

    @field_validator("true_values", "false_values", mode="before")
    @classmethod
    def _texts(cls, value: Any) -> Any:
        return (
            [v if isinstance(v, dict | list) else written_text(v) for v in value] if isinstance(value, list) else value
        )

    @field_validator("bins", mode="before")
    @classmethod
    def _bins(cls, value: Any) -> Any:
        if value == "auto":
            return {"auto": True}
        return {"count": value} if isinstance(value, int) and not isinstance(value, bool) else value

    @field_validator("constraints", mode="before")
    @classmethod
    def _no_constraints(cls, value: Any) -> Any:
        return {} if value is None else value


def parse_field(raw: Any, position: int, faults: list[str]) -> FieldFile | None:
    """A field's shape, or None with its faults added to the list.

    >>> faults: list[str] = []
    >>> parse_field({"name": "age", "outsde": "clip"}, 1, faults)
    >>> faults
    ["field 'age': unknown property 'outsde'. Did you mean 'outside'?"]
    """
    if not isinstance(raw, dict):
        faults.append(
            f"field {position}: expected a mapping with at least a name and a type, got {type(raw).__name__}."
        )
        return None
    name = raw.get("name")
    where = f"field '{written_text(name)}'" if name and isinstance(name, str | int | float) else f"field {position}"
    before = len(faults)
    misspelt(raw, _FIELD_KEYS, where, faults)
    if isinstance(raw.get("constraints"), dict):
        misspelt(raw["constraints"], _CONSTRAINT_KEYS, f"{where}, constraints", faults)
    try:
        field = FieldFile.model_validate(raw)
    except ValidationError as error:
        faults.extend(dict.fromkeys(f"{where}: {_sentence(detail)}" for detail in error.errors()))
        return None
    if not field.name:
        faults.append(f"field {position}: its name is empty. Give it the column's name.")
    return field if len(faults) == before else None


def misspelt(raw: dict[str, Any], known: tuple[str, ...], where: str, faults: list[str]) -> None:
    """Add a fault for each unknown property that is nearly one we know; strangers are welcome and kept."""
    lower = {k.lower(): k for k in known}
    for key in islice((written_text(key) for key in raw if key not in known), _MOST_STRANGERS):
        near = get_close_matches(key, known, n=1, cutoff=0.8)
        near = near or [lower[k] for k in [key.lower().replace("_", "").replace("-", "")] if k in lower]
        if near:
            faults.append(f"{where}: unknown property '{key}'. Did you mean '{near[0]}'?")


def check_schema_keys(raw: dict[str, Any], faults: list[str]) -> None:
    """Add a fault for each misspelt property of the whole schema."""
    misspelt(raw, _SCHEMA_KEYS, "schema", faults)


def missing_texts(raw: Any, where: str, faults: list[str]) -> tuple[str, ...]:
    """`missingValues`: texts, or `{value, label}` mappings.

    >>> missing_texts(["", {"value": "NA", "label": "not asked"}], "schema", [])
    ('', 'NA')
    """
    if not isinstance(raw, list):
        faults.append(f"{where}: missingValues must be a list of texts such as ['', NA].")
        return ()
    values = [item.get("value", "") if isinstance(item, dict) else item for item in raw]
    if any(isinstance(value, dict | list | tuple) for value in values):
        faults.append(f"{where}: missingValues holds a list or mapping. Write texts such as ['', NA].")
        return ()
    return tuple("" if value is None else written_text(value) for value in values)


def _sentence(detail: Any) -> str:
    path = ".".join(str(part) for part in detail["loc"])
    got, kind = detail.get("input"), detail["type"]
    if path.startswith("bins.inside"):  # one of two forms, and the faults of both are told
        return "bins.inside must be auto or even."
    if kind == "missing":
        return f"'{path}' is missing."
    if kind == "literal_error":
        choices = detail["ctx"]["expected"].replace("'", "").replace(" or ", ", ")
        near = get_close_matches(shown(got).strip("'"), choices.split(", "), n=1)
        hint = f" Did you mean '{near[0]}'?" if near else ""
        return f"{path} must be one of {choices}; got {shown(got)}.{hint}"
    if kind == "extra_forbidden":
        return f"unknown property '{path}'. bins takes a count, or edges, closed and inside."
    if kind == "invalid_key":
        return f"property {shown(detail['loc'][-1])} is not a text. Name properties in words."
    if path == "bins":
        hint = " Did you mean 'auto'?" if isinstance(got, str) and get_close_matches(got.lower(), ["auto"]) else ""
        return f"bins must be auto, a count such as 16, or {{edges: […], closed: left}}; got {shown(got)}.{hint}"
    wanted = {
        "list_type": "a list",
        "model_type": "a mapping",
        "dict_type": "a mapping such as {HIV: 3, cold: 1}",
        "string_type": "a text",
        "bool_parsing": "true or false",
        "bool_type": "true or false",
        "int_type": "a whole number",
        "int_parsing": "a whole number",
        "greater_than_equal": f"at least {detail.get('ctx', {}).get('ge')}",
        "less_than_equal": f"at most {detail.get('ctx', {}).get('le', 0):,}",
        "too_long": f"a list of at most {MAX_VALUES:,} items",
        "too_short": "a list with at least one item",
        "string_too_short": "a text of at least one character",
    }.get(kind, detail["msg"])
    return f"{path} must be {wanted}; got {shown(got)}."
