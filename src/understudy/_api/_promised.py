"""Promises for single columns, and what they do not cover: found bins, and rows that are dropped or mended."""

from __future__ import annotations

from understudy._core.errors import OptionError
from understudy.methods import Method
from understudy.schema import Schema, checks_of


def refuse_promises(schema: Schema, *methods: Method) -> None:
    """Refuse to promise more for some columns where what is done before the method looks at rows is no part of it.

    >>> refuse_promises(Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]}))
    """
    named = {name for method in methods for name in getattr(method, "sensitive", ())}  # an option of some methods
    promised = [field.name for field in schema.fields if field.sensitivity or field.name in named]
    found = [field for field in schema.fields if field.counted_finely]
    if found and promised:
        said, instead = ("inside: auto", "Leave it out") if found[0].shaped else ("bins: auto", "Declare bins")
        raise OptionError(
            f"column '{found[0].name}' has `{said}` and column '{promised[0]}' a sensitivity: what is promised for "
            f"single columns does not cover the histograms that it takes. {instead}, or declare no sensitivities."
        )
    reaching = columns_that_reach_others(schema)
    told = [name for name in promised if name in reaching]
    if told:
        raise OptionError(
            f"column '{told[0]}' has a sensitivity and a dependency, and the schema says brokenRows: "
            f"{schema.broken_rows}: another value there may change the rest of a row, or leave it out, which a promise "
            "for single columns does not cover. Say brokenRows: refuse, or leave one of the two out."
        )


def columns_that_reach_others(schema: Schema) -> frozenset[str]:
    """Columns of which another value may change more of a row than itself, as it is counted (proof.md, section 16).

    >>> columns_that_reach_others(Schema.from_dict({"brokenRows": "drop", "fields": [
    ...     {"name": name, "type": "boolean"} for name in "abc"], "dependencies": [
    ...     {"impossible": {"a": True, "b": True}}]})) == {"a", "b"}
    True
    """
    if schema.broken_rows == "refuse":
        return frozenset()
    checked = checks_of(schema.fields, schema.dependencies)
    return frozenset(name for one, checks in checked if checks for name in one.columns)
