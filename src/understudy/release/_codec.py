"""A published model as an archive, and back: the schema, the statement, and the parts that the model itself names.

Which kind of model it is stands in the file; `models.KINDS` says which class reads it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from understudy._core.errors import ModelFileError, SchemaError
from understudy.models import KINDS, Array, Saves
from understudy.release._archive import SCHEMA, STATEMENT, Archive, Members
from understudy.release._statement import Statement
from understudy.schema import Schema

_ARRAY = ".npy"


def to_archive(schema: Schema, model: Saves, statement: Statement) -> Archive:
    """All parts of the model file."""
    parts = model.to_parts()
    documents = {
        SCHEMA: _written(schema),
        STATEMENT: statement.to_dict(),
        f"{model.kind}.json": {"kind": model.kind, **parts.document},
    }
    return Archive(documents=documents, arrays={name + _ARRAY: array for name, array in parts.arrays.items()})


def from_archive(members: Members) -> tuple[Schema, Saves, Statement]:
    """The model again, every field checked. Raises ModelFileError."""
    kind = _kind_of(members)
    statement = Statement.from_dict(members.document(STATEMENT))
    schema = _read_schema(members.document(SCHEMA))
    try:
        document = members.document(f"{kind}.json")
        if document["kind"] != kind:
            raise ValueError("a model of another kind than its part is called after")
        model = KINDS[kind].from_parts(_Parts(document=document, members=members), schema.domain)
    except ModelFileError:
        raise
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError) as error:
        raise ModelFileError(
            f"the {kind} in this model file is not one that understudy writes ({error}). Do not trust it."
        ) from error
    return schema, model, statement


@dataclass(frozen=True, kw_only=True)
class _Parts:
    """What a model is given to come back from: its document, and its arrays as long as they are not unpacked."""

    document: Mapping[str, Any]
    members: Members

    @property
    def names(self) -> frozenset[str]:
        return frozenset(name.removesuffix(_ARRAY) for name in self.members.names if name.endswith(_ARRAY))

    def array(self, name: str, dtype: type[np.float64 | np.int64], shape: Sequence[int]) -> Array:
        return self.members.array(name + _ARRAY, dtype, shape)


def _kind_of(members: Members) -> str:
    found = [kind for kind in KINDS if f"{kind}.json" in members.names]
    if len(found) == 1:
        return found[0]
    listed = ", ".join(f"'{kind}.json'" for kind in KINDS)
    raise ModelFileError(
        f"this model file should have one of the parts {listed}, and has {len(found) or 'none'} of them. "
        "Update understudy, or ask its publisher for the file again."
    )


def _written(schema: Schema) -> dict[str, Any]:
    """The schema with the number of bins wherever it says nothing of them: what follows from nothing may change."""
    content = schema.to_dict()
    for raw, field in zip(content["fields"], schema.fields, strict=True):
        if field.bins is not None:
            raw.setdefault("bins", field.bins.count)
    return content


def _read_schema(content: Any) -> Schema:
    """The schema, with its domain: how many codes it may have is bounded where schemas are read.

    Files from before `bins: auto` leave out bins where there were 16 of equal width.
    """
    try:
        if "resources" in content:
            raise ValueError("a data package where a table schema belongs")
        schema = Schema.from_dict(content, automatic=False)
        _ = schema.domain  # a draft's field without a domain is found here
        return schema
    except SchemaError as error:
        raise ModelFileError(f"the schema in this model file is not valid: {error}") from error
    except (KeyError, TypeError, ValueError, AttributeError, IndexError, ArithmeticError, RecursionError) as error:
        raise ModelFileError(
            f"the schema in this model file is not one that understudy writes ({error}). Do not trust it."
        ) from error
