"""Kinds of case: schema files, other files that describe a table, and questions to a model."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

import understudy
from tests.fuzz import materials
from tests.fuzz.mutations import NOT_NUMBERS, TOKENS, WORDS, odd_value, spoil_text, spoil_value
from understudy.schema import Schema, import_sdv

TYPES = ("string", "integer", "number", "boolean", "date", "datetime", "year")
QUESTIONS = (
    "region, ill | age=30..40, education=Bachelor/Master",
    "smoker | region='North', seen='01/02/2023'..'05/06/2023'",
    "weight | hours='never worked', born=1950",
    "age | moment=2023-01-01T00:00:00..2023-06-01T00:00:00",
    "ill",
)


def make_schema(rng: Random) -> Any:
    """A schema file as text, or the content of one."""
    choice = rng.randrange(6)
    if choice <= 1:
        return {"name": "s.yaml", "text": spoil_text(rng, materials.SCHEMA_TEXT)}
    if choice == 2:
        return {"name": "s.json", "text": spoil_text(rng, json.dumps(materials.schema_content()))}
    content = spoil_value(rng, materials.schema_content()) if choice == 3 else {"fields": _fields(rng)}
    if choice == 5:
        return {"content": content}
    try:
        text = json.dumps(content) if rng.random() < 0.5 else yaml.safe_dump(content, allow_unicode=True)
    except (ValueError, yaml.YAMLError, RecursionError):
        return {"content": content}
    return {"name": "s.yaml", "text": text}


def _fields(rng: Random) -> list[Any]:
    """Fields with properties that may well make no sense together."""
    return [_field(rng, i) for i in range(rng.randint(1, 4))]


def _field(rng: Random, position: int) -> dict[Any, Any]:
    kind = rng.choice(TYPES)
    low, high = sorted(rng.sample(range(-1000, 1000), 2))
    fitting = {
        "integer": (low, high),
        "year": (1900, 2000 + high % 50),
        "number": (low / 7, high / 7),
        "date": ("2020-01-01", "2023-12-31"),
        "datetime": ("2020-01-01T10:00:00", "2021-01-02"),
    }
    odd_ends = [("0001-01-01", "9999-12-31"), (f"1e{low}", f"1e{high}"), (high, low), (odd_value(rng), odd_value(rng))]
    minimum, maximum = fitting[kind] if kind in fitting and rng.random() < 0.8 else rng.choice(odd_ends)
    field: dict[Any, Any] = {"name": f"x{position}", "type": kind}
    if kind in fitting:
        exclusive = rng.random() < 0.2
        names = ("exclusiveMinimum", "exclusiveMaximum") if exclusive else ("minimum", "maximum")
        field["constraints"] = {names[0]: minimum, names[1]: maximum, "required": rng.random() < 0.5}
    elif kind != "boolean":
        field["categories"] = rng.choice(
            (["a", "b", "c"], ["a", {"value": "b", "label": "B"}, "c"], [minimum, maximum])
        )
    more = _properties(rng, minimum, maximum)
    for name in rng.sample(sorted(more), rng.choice((0, 0, 1, 1, 2, 4))):
        field[name] = more[name]
    if rng.random() < 0.2:
        field[rng.choice(sorted(field))] = odd_value(rng)
    return field


def _properties(rng: Random, minimum: Any, maximum: Any) -> dict[str, Any]:
    """Properties that may or may not fit the field."""
    edges = {"edges": [minimum, maximum], "closed": rng.choice(("left", "right", "middle"))}
    return {
        "bins": rng.choice((1, 2, 16, 300, 999_999_999, {"count": 3}, edges, {"closed": "left"})),
        "taxonomy": rng.choice(([["a", "b"], "c"], [[0, 1], 2], ["x"], [[]], [])),
        "special": rng.choice(([-1], [5000], [{"value": minimum}], ["x"])),
        "outside": rng.choice(("error", "clip", "other")),
        "decimals": rng.choice((0, 1, 15, 16, -1)),
        "format": rng.choice(("%d/%m/%Y", "%Y-%m-%d %H:%M", "%Y", "any", "default", "%Y%m%d%f", "%j %Y")),
        "timezone": rng.choice(("UTC", "Europe/Paris", "../UTC", "Nowhere")),
        "missingValues": rng.choice(([""], ["a"], ["-1"], [None, 3])),
        "sensitivity": rng.choice(("high", "low", 0.3, 2)),
        "sensitivities": rng.choice(({"a": 2}, {1: 0.5}, {"missing": 3}, {})),
        "categoriesOrdered": rng.random() < 0.5,
        "origin": rng.choice(("declared", "draft")),
        "groupChar": rng.choice((",", " ", "")),
        "decimalChar": rng.choice((".", ",", "e", "1")),
        "trueValues": rng.choice((["Y"], [1, "1"], [])),
        rng.choice(WORDS)[:60]: odd_value(rng),
    }


def run_schema(given: Any, folder: Path) -> None:
    """Load it, build all that hangs on it, and read back what it writes."""
    if "content" in given:
        loaded = Schema.from_dict(given["content"])
    else:
        path = folder / "in" / given["name"]
        path.write_bytes(given["text"].encode("utf-8", "surrogatepass"))
        loaded = Schema.load(path)
    _use(loaded, folder)


def _use(loaded: Schema, folder: Path) -> None:
    if not loaded.incomplete:
        assert [len(field.labels) for field in loaded.fields] == [attribute.size for attribute in loaded.domain]
    assert loaded.dependencies is not None
    json.dumps(loaded.to_dict(), allow_nan=False).encode()
    for name in ("again.yaml", "again.json"):
        loaded.save(folder / "out" / name)
        assert Schema.load(folder / "out" / name).fields == loaded.fields, f"{name} reads back as another schema"


def make_metadata(rng: Random) -> Any:
    """A data package, or SDV metadata."""
    package = {
        "name": "p",
        "resources": [{"name": "people", "path": "people.csv", "schema": materials.schema_content()}],
    }
    sdv = rng.random() < 0.5
    content = materials.SDV if sdv else package
    if sdv and rng.random() < 0.3:
        content = {"tables": {"people": content}, "relationships": []}
    if rng.random() < 0.5:
        return {"sdv": sdv, "text": spoil_text(rng, json.dumps(content))}
    return {"sdv": sdv, "text": json.dumps(spoil_value(rng, content))}


def run_metadata(given: Any, folder: Path) -> None:
    """Read it as what it claims to be."""
    path = folder / "in" / "datapackage.json"
    path.write_bytes(given["text"].encode("utf-8", "surrogatepass"))
    _use(import_sdv(path) if given["sdv"] else Schema.load(path), folder)


@cache
def _model() -> understudy.PublishedModel:
    path = Path(materials.kept_folder(), "model.understudy")
    path.write_bytes(materials.release_files()["model.understudy"])
    return understudy.load(path)


def make_question(rng: Random) -> Any:
    """A query, the text of a condition, or a mapping of conditions."""
    choice = rng.randrange(4)
    if choice == 0:
        return {"query": spoil_text(rng, rng.choice(QUESTIONS))}
    names = [field.name for field in materials.schema().fields]
    if choice == 1:
        terms = [
            f"{rng.choice(names)}={rng.choice(TOKENS)}{rng.choice(('', '/', '..'))}{rng.choice(TOKENS)}" for _ in "ab"
        ]
        return {"query": f"{rng.choice(names)} | " + ", ".join(terms)}
    if choice == 2:
        return {"where": spoil_text(rng, rng.choice(QUESTIONS).partition("|")[2])}
    return {"where": {rng.choice([*names, "x"]): _condition(rng) for _ in range(rng.randint(0, 3))}}


def _condition(rng: Random) -> Any:
    value = rng.choice((odd_value(rng), rng.choice(NOT_NUMBERS), rng.choice(("North", 30, 12.5, "2023-03-01", "Yes"))))
    return {"range": [value, odd_value(rng, deep=False)]} if rng.random() < 0.3 else value


def run_question(given: Any, folder: Path) -> None:
    """Ask the model."""
    model = _model()
    if "query" in given:
        assert str(model.query(given["query"]))
        return
    where = given["where"]
    if isinstance(where, dict):
        where = {name: tuple(v["range"]) if isinstance(v, dict) and "range" in v else v for name, v in where.items()}
    assert len(model.sample(5, where=where, seed=1)) == 5
