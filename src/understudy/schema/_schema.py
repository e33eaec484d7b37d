"""The schema of a table: what is declared public about it. Read from and written to Frictionless Table Schema files."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from understudy._core.errors import SchemaError, did_you_mean
from understudy._core.files import write_bytes
from understudy.schema._build import build_field
from understudy.schema._declared import BrokenRows, broken_rows, parse_dependencies, with_cuts
from understudy.schema._dependencies import Dependency
from understudy.schema._documents import read_document
from understudy.schema._domain import Domain
from understudy.schema._field import Field
from understudy.schema._file import check_schema_keys, missing_texts
from understudy.schema._limits import all_faults, check_content, check_sizes, shown
from understudy.schema._rules import FollowsFrom, Mapped
from understudy.schema._written import plain, written_text
from understudy.schema._yaml import write_yaml
from understudy.schema._zeros import declared_rules, open_maps

_PROMISES = {"sensitivity", "sensitivities"}
_NAMED = 12
"""Columns that a schema's short form names."""


@dataclass(frozen=True, kw_only=True)
class Schema:
    """The fields of a table, in column order.

    >>> schema = Schema.from_dict({"name": "people", "fields": [
    ...     {"name": "sex", "type": "string", "categories": ["F", "M"]},
    ...     {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 99}, "bins": 10}]})
    >>> schema.names, [attribute.size for attribute in schema.domain]
    (('sex', 'age'), [2, 10])
    >>> schema
    Schema('people', 2 columns: sex, age)
    """

    name: str = "table"
    fields: tuple[Field, ...]
    missing_values: tuple[str, ...] = ("",)
    properties: Mapping[str, Any] = field(default_factory=dict, repr=False, hash=False)
    comments: tuple[str, ...] = field(default=(), compare=False, repr=False)

    def __repr__(self) -> str:
        named = ", ".join(self.names[:_NAMED]) + (", …" if len(self.fields) > _NAMED else "")
        draft = f", {len(self.draft_fields):,} drafted" if self.draft_fields else ""
        return f"Schema({self.name!r}, {len(self.fields):,} column{'s' * (len(self.fields) != 1)}: {named}{draft})"

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Column names."""
        return tuple(f.name for f in self.fields)

    @cached_property
    def domain(self) -> Domain:
        """The public domain, with what the dependencies say of it.

        Raises SchemaError if a draft field has none yet, or if the dependencies leave no row.
        """
        if lacking := [f.lacks for f in self.fields if f.lacks]:
            raise SchemaError(*lacking)
        return Domain(tuple(f.attribute for f in self.fields), declared_rules(self.fields, self.dependencies))

    @cached_property
    def dependencies(self) -> tuple[Dependency, ...]:
        """What is declared to hold between columns in every row.

        >>> schema = Schema.from_dict({"fields": [{"name": n, "type": "boolean"} for n in "ab"],
        ...     "dependencies": [{"determines": ["a"], "column": "b"}]})
        >>> schema.dependencies[0].text
        'a → b'
        """
        return parse_dependencies(self.properties.get("dependencies"), self.fields, [])

    @cached_property
    def open_maps(self) -> tuple[tuple[FollowsFrom, Mapped | None], ...]:
        """The columns that others determine in a way that is not declared, or not for all; with what is declared."""
        return open_maps(self.fields, self.dependencies)

    @property
    def broken_rows(self) -> BrokenRows:
        """What becomes of real rows that break a dependency.

        >>> Schema.from_dict({"brokenRows": "drop", "fields": [{"name": "a", "type": "boolean"}]}).broken_rows
        'drop'
        """
        return broken_rows(self.properties, [])

    @property
    def draft_fields(self) -> tuple[str, ...]:
        """Names of the fields whose domain was guessed from a table and not declared by a person."""
        return tuple(f.name for f in self.fields if f.origin == "draft")

    @property
    def incomplete(self) -> tuple[str, ...]:
        """What draft fields still lack before they have a domain: one sentence each."""
        return tuple(f.lacks for f in self.fields if f.lacks)

    @property
    def extra_columns_allowed(self) -> bool:
        """Whether columns of the table that are not in the schema are left out (`fieldsMatch: subset`) or an error."""
        match = self.properties.get("fieldsMatch")
        return "subset" in match if isinstance(match, list) else match == "subset"

    @cached_property
    def _by_name(self) -> dict[str, Field]:
        return {f.name: f for f in self.fields}

    def __getitem__(self, name: str) -> Field:
        if name not in self._by_name:
            raise SchemaError(f"no column '{name}' in the schema. {did_you_mean(name, self.names)}")
        return self._by_name[name]

    def in_order_of(self, names: Sequence[str]) -> Schema:
        """The same schema with its fields in the order of these column names; names it does not have are skipped.

        >>> schema = Schema.from_dict({"fields": [{"name": n, "type": "boolean"} for n in "abc"]})
        >>> schema.in_order_of(["c", "a", "b"]).names
        ('c', 'a', 'b')
        """
        position = {name: i for i, name in enumerate(names)}
        return replace(self, fields=tuple(sorted(self.fields, key=lambda f: position.get(f.name, len(position)))))

    def only(self, names: Collection[str]) -> Schema:
        """The same schema with these columns alone, in its own order, and what it says of them alone.

        >>> schema = Schema.from_dict({"fields": [{"name": n, "type": "boolean"} for n in "abc"],
        ...     "dependencies": [{"determines": ["a"], "column": "b"}, {"determines": ["b"], "column": "c"}]})
        >>> [one.text for one in schema.only({"c", "b"}).dependencies]
        ['b → c']
        """
        for name in names:
            self[name]
        if set(names) == set(self.names):
            return self
        keys = ("primaryKey", "uniqueKeys", "foreignKeys", "dependencies")  # may name columns that are gone
        kept = {key: value for key, value in self.properties.items() if key not in keys}
        listed = zip(self.properties.get("dependencies") or (), self.dependencies, strict=True)
        if remaining := [raw for raw, parsed in listed if set(parsed.columns) <= set(names)]:
            kept["dependencies"] = remaining
        return replace(self, fields=tuple(f for f in self.fields if f.name in names), properties=kept)

    @classmethod
    def load(cls, path: str | Path) -> Schema:
        """Read a schema file: YAML or JSON, a Table Schema or a whole data package with one table.

        Raises SchemaError with every fault found.

        >>> import tempfile
        >>> path = Path(tempfile.mkdtemp()) / "people.schema.yaml"
        >>> _ = path.write_text("fields: [{name: smoker, type: boolean}]")
        >>> Schema.load(path).name
        'people'
        """
        path = Path(path)
        content = read_document(path)
        if isinstance(content, dict) and "resources" in content:
            content = _from_package(content, folder=path.parent)
        if isinstance(content, dict):
            content = {"name": path.name.split(".")[0]} | content
        try:
            return cls.from_dict(content)
        except SchemaError as error:
            raise SchemaError(*(f"{path.name}: {fault}" for fault in error.faults)) from None

    @classmethod
    def from_dict(
        cls,
        content: Mapping[str, Any],
        *,
        comments: Mapping[str, Sequence[str]] | None = None,
        automatic: bool = True,
    ) -> Schema:
        """From the content of a schema file. `comments` are written above their fields by `save`.

        `automatic`: whether ranges without `bins` have them found (`bins: auto`) or have 16 of equal width. Promises
        for single columns do not cover what bins are found from, so beside a sensitivity they are of equal width too.
        """
        check_content(content)
        if isinstance(content, Mapping) and "resources" in content:
            content = _from_package(dict(content), folder=None)
        if not isinstance(content, Mapping) or not isinstance(content.get("fields"), list | tuple):
            raise SchemaError("a schema needs `fields`: a list with a name, a type and a domain for each column.")
        check_sizes(content["fields"])
        faults: list[str] = []
        check_schema_keys(dict(content), faults)
        if isinstance(content.get("name"), Mapping | list | tuple | set):
            faults.append(f"schema: name must be a text; got {shown(content['name'])}.")
        missing = missing_texts(content.get("missingValues", [""]), "schema", faults)
        if not content["fields"]:
            faults.append("the schema has no fields. List at least one column.")
        notes = comments or {}
        promised = any(isinstance(raw, Mapping) and raw.keys() & _PROMISES for raw in content["fields"])
        built = [
            build_field(
                raw,
                position=i,
                missing=missing,
                faults=faults,
                comments=_notes_of(raw, notes),
                automatic=automatic and not promised,
            )
            for i, raw in enumerate(content["fields"], 1)
        ]
        faults.extend(_repeated(content["fields"]))
        fields = tuple(f for f in built if f is not None)
        broken_rows(content, faults)
        if not faults:  # a column that could not be read would be named as unknown
            dependencies = parse_dependencies(content.get("dependencies"), fields, faults)
            fields = fields if faults else with_cuts(fields, dependencies)
        if not faults and dependencies and not any(f.lacks for f in fields):
            declared_rules(fields, dependencies)  # told now if they leave no row
        if faults:
            raise all_faults(faults)
        return cls(
            name=written_text(content.get("name") or "table"),
            fields=fields,
            missing_values=missing,
            properties={str(k): plain(v) for k, v in content.items() if k not in ("name", "fields", "missingValues")},
            comments=tuple(notes.get("", ())),
        )

    def to_dict(self) -> dict[str, Any]:
        """The content of a schema file, ready for JSON. What we do not know is kept as it was written."""
        return {
            "name": self.name,
            **deepcopy(dict(self.properties)),
            "missingValues": list(self.missing_values),
            "fields": [f.to_dict() for f in self.fields],
        }

    def to_yaml(self) -> str:
        """The schema file as YAML, with comments where it was drafted."""
        content = self.to_dict()
        del content["fields"]
        parts = [*_comment_lines(self.comments, ""), write_yaml(content), "fields:\n"]
        for one in self.fields:
            parts += [*_comment_lines(one.comments, ""), write_yaml([one.to_dict()])]
        return "".join(parts)

    def save(self, path: str | Path) -> None:
        """Write the schema file whole or not at all: JSON if the name ends in .json, else YAML."""
        path = Path(path)
        as_json = path.suffix.lower() == ".json"
        text = json.dumps(self.to_dict(), indent=1, ensure_ascii=False) + "\n" if as_json else self.to_yaml()
        write_bytes(path, text.encode())


def _from_package(package: dict[str, Any], *, folder: Path | None) -> dict[str, Any]:
    """The schema of a data package's single table."""
    listed = package["resources"]
    resources = [r for r in listed if isinstance(r, dict)] if isinstance(listed, list | tuple) else []
    if len(resources) != 1:
        names = ", ".join(written_text(r.get("name", "?"))[:60] for r in resources[:8])
        raise SchemaError(
            f"the data package describes {len(resources)} tables ({names}); one is needed. "
            "Copy the schema of the one to publish into a file of its own."
        )
    resource = resources[0]
    schema = resource.get("schema")
    if isinstance(schema, str) and folder is not None:
        schema = read_document(folder / schema)
    if not isinstance(schema, dict):
        raise SchemaError("the data package's table has no `schema` of its own. Add one, or give the schema file.")
    name = resource.get("name") or package.get("name") or "table"
    return {"name": name} | schema


def _notes_of(raw: Any, notes: Mapping[str, Sequence[str]]) -> tuple[str, ...]:
    name = raw.get("name", "") if isinstance(raw, Mapping) else ""
    return tuple(notes.get(name, ())) if isinstance(name, str) else ()


def _repeated(fields: Sequence[Any]) -> list[str]:
    names = Counter(written_text(raw["name"]) for raw in fields if isinstance(raw, Mapping) and raw.get("name"))
    return [
        f"field '{name}' is declared {times} times. Remove all but one." for name, times in names.items() if times > 1
    ]


def _comment_lines(comments: Sequence[str], indent: str) -> list[str]:
    return [f"{indent}# {line}\n" for comment in comments for line in comment.splitlines()]
