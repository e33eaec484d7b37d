"""Schemas as people give them, and drafts that nobody has reviewed."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeAlias

from understudy._core.errors import OptionError, SchemaError
from understudy.schema._schema import Schema

SchemaLike: TypeAlias = "Schema | str | os.PathLike[str] | Mapping[str, Any]"


def read_schema(schema: SchemaLike) -> Schema:
    """A schema from a schema, a file or a mapping.

    >>> read_schema({"name": "t", "fields": [{"name": "a", "type": "boolean"}]}).names
    ('a',)
    """
    if isinstance(schema, Schema):
        return schema
    if isinstance(schema, Mapping):
        return Schema.from_dict(schema)
    if isinstance(schema, str | os.PathLike):
        return Schema.load(Path(schema))
    raise OptionError(f"schema must be a Schema, a path or a mapping. Got {type(schema).__name__} instead.")


def refuse_drafts(schema: Schema, *, trust_draft: bool) -> None:
    """Refuse fields whose domain was read off a table, unless told to trust them."""
    drafts = schema.draft_fields
    if drafts and not trust_draft:
        listed = ", ".join(f"'{name}'" for name in drafts[:8]) + (", …" if len(drafts) > 8 else "")
        plural = "field is still a draft" if len(drafts) == 1 else "fields are still drafts"
        raise SchemaError(
            f"{len(drafts)} {plural} ({listed}): their domains are guesses, read off the private table or missing, and "
            "publishing under a domain read off the data voids the guarantee. Review each, put in what is public "
            "knowledge, and set 'origin: declared' (`understudy schema review` asks field by field); or pass "
            "--trust-draft (trust_draft=True), and the privacy statement will say so."
        )
    schema.domain  # noqa: B018  # raises here if a draft still lacks its domain
