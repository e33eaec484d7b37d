"""Cells that a spreadsheet would take for formulas, and run."""

from __future__ import annotations

import re

from understudy.schema import Field, Schema

_MARKS = "=+-@＝＋－＠\t\r"  # as https://owasp.org/www-community/attacks/CSV_Injection lists them
_NUMBER = re.compile(r"[+-][0-9.,]+( ?%)?")


def formula_columns(schema: Schema) -> tuple[str, ...]:
    """The columns of a written table whose name or cells may begin like a formula. Read off the schema, so public.

    >>> fields = [{"name": "change", "categories": ["-1", "+1", "=1+1"]}, {"name": "sex", "categories": ["f", "m"]}]
    >>> formula_columns(Schema.from_dict({"fields": fields}))
    ('change',)
    """
    return tuple(field.name for field in schema.fields if any(map(_is_formula, _texts(field))))


def _texts(field: Field) -> list[str]:
    """The name of a column, and all the texts of our user's that its cells may be: numbers and dates are no such."""
    texts = [field.name, *field.missing_texts[:1]]
    if field.type == "boolean":
        texts += [field.form.true_values[0], field.form.false_values[0]]
    if field.type == "string":
        texts += [str(category.value) for category in field.categories]
    return texts


def _is_formula(text: str) -> bool:
    """Whether it begins with a mark of formulas, and neither is a number nor has nothing to compute, such as a dash."""
    return text[:1] in _MARKS and any(map(str.isalnum, text)) and not _NUMBER.fullmatch(text)
