"""A draft under review: what is left to ask, and every answer written back at once."""

from __future__ import annotations

import os
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError, SchemaError
from understudy._core.files import as_output_error, write_bytes
from understudy.schema._documents import read_document, read_text
from understudy.schema._edit import edited, remarks_above
from understudy.schema._field import Field
from understudy.schema._replies import replied
from understudy.schema._schema import Schema

_SHOWN = 12


@dataclass(frozen=True, kw_only=True)
class Review:
    """A schema file whose drafted fields are looked at one by one.

    Every answer is written to the file before the next is taken, so a review can be stopped at any moment and taken up
    again: fields that were answered are declared, and no longer waiting. Comments and order of the file stay.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp(), "people.schema.yaml")
    >>> draft = {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 100}, "origin": "draft"}
    >>> Schema.from_dict({"name": "people", "fields": [draft]}).save(path)
    >>> review = Review(path=path)
    >>> review.waiting, review.guess("age")
    (('age',), 'integer, 0 to 100')
    >>> review.answer("age", "0 to 120; clip")
    'integer, 0 to 120; what lies outside counts as the nearest end'
    >>> review.waiting, Schema.load(path).draft_fields
    ((), ())
    """

    path: Path

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", Path(self.path))
        content = read_document(self.path)
        if isinstance(content, dict) and "resources" in content:
            raise SchemaError(
                f"{self.path.name} is a whole data package. Copy its schema into a file of its own, and review that."
            )

    @property
    def schema(self) -> Schema:
        """The schema as the file has it now."""
        return Schema.load(self.path)

    @property
    def waiting(self) -> tuple[str, ...]:
        """Names of the fields that are still drafts, in the order of the file."""
        return self.schema.draft_fields

    def guess(self, name: str, *, whole: bool = False) -> str:
        """The field's domain in words: its first values, or with `whole` all of them."""
        return in_words(self.schema[name], whole=whole)

    def remarks(self, name: str) -> tuple[str, ...]:
        """What the draft remarked on it."""
        schema = self.schema
        schema[name]
        return remarks_above(read_text(self.path, ""), schema.names.index(name))

    def after(self, name: str, reply: str) -> Schema:
        """The schema as it would be after a reply. Nothing is written. Raises OptionError or SchemaError."""
        schema = self.schema
        raw = replied(schema[name], reply)
        content = schema.to_dict()
        content["fields"] = [raw if field["name"] == name else field for field in content["fields"]]
        changed = Schema.from_dict(content)
        if lacks := changed[name].lacks:
            raise OptionError(lacks)
        return changed

    def answer(self, name: str, reply: str) -> str:
        """Take a reply (`y`, `0 to 120`, `North, South`, …), write it to the file, and say what the field is now."""
        changed = self.after(name, reply)
        self._write(changed)
        return in_words(changed[name])

    def leave_out(self, name: str) -> None:
        """Take a field out of the schema, and let the table have columns that the schema does not name."""
        schema = self.schema
        kept = [field for field in schema.fields if field.name != schema[name].name]
        if not kept:
            raise OptionError(f"'{name}' is the only field that is left. A schema needs one.")
        loose = {} if schema.extra_columns_allowed else {"fieldsMatch": "subset"}
        changed = replace(schema, fields=tuple(kept), properties={**schema.properties, **loose})
        self._write(Schema.from_dict(changed.to_dict()))

    def _write(self, changed: Schema) -> None:
        text = edited(read_text(self.path, ""), self.schema, changed)
        real = Path(os.path.realpath(self.path))
        with as_output_error(self.path, left="The file is as it was."):
            mode = real.stat().st_mode & 0o777
            write_bytes(real, text.encode(), left="The file is as it was.")
            real.chmod(mode)


def in_words(field: Field, *, whole: bool = False) -> str:
    """A field's domain in one line: the first values of a long list, or with `whole` all of them.

    >>> in_words(Schema.from_dict({"fields": [{"name": "a", "categories": ["x", "y"], "missingValues": ["?"]}]})["a"])
    "string: x, y; may be missing, written '?'"
    """
    words = [_domain(field, whole)]
    if field.special:
        shown = field.special if whole else field.special[:_SHOWN]
        words.append("special " + ", ".join(category.label for category in shown))
    if field.missing_allowed:
        written = "" if field.missing_texts[0] == "" else f", written {field.missing_texts[0]!r}"
        words.append("may be missing" + written)
    if field.outside != "error":
        told = {"clip": "what lies outside counts as the nearest end", "other": "any other value counts as other"}
        words.append(told[field.outside])
    return "; ".join(words)


def _domain(field: Field, whole: bool) -> str:
    if field.bins:
        ends: tuple[Any, Any] = (field.bins.minimum, field.bins.maximum)
        low, high = (field.form.text(end) for end in ends)
        n = field.bins.decimals
        digits = f" with {n} decimal{'s' * (n != 1)}" if field.type == "number" else ""
        return f"{field.type}, {low} to {high}{digits}"
    if field.type == "boolean":
        return "true or false"
    if not field.categories:
        return f"{field.type}, with no domain yet"
    labels = [category.label for category in field.categories]
    most = len(labels) if whole else _SHOWN
    more = f", … ({len(labels):,} in all)" if len(labels) > most else ""
    return f"{field.type}: {(' < ' if field.ordered else ', ').join(labels[:most])}{more}"
