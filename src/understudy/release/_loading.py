"""Lines that read a synthetic table as it is declared: in pandas, R and Stata.

A CSV file says nothing of types and of what stands for missing values, and readers guess: a column of codes such as
01234 becomes numbers, a `?` makes text of numbers, a category `NA` vanishes. So where a guess may be wrong, it is said.
"""

from __future__ import annotations

import json
import re

from understudy.schema import Field, Schema

_LINE = 110
_STATA_NAME = re.compile(r"[A-Za-z_]\w{0,31}", re.ASCII)
_STATA_WORD = re.compile(
    r"_(all|b|coef|cons|n|N|pi|pred|rc|skip)|byte|double|float|if|in|int|long|str([0-9]+|L)|using|with"
)
"""What no variable of Stata may be named."""
_NUMBER_LIKE = re.compile(r"\s*[+-]?\s*[.,]?\d")
_GUESSED = frozenset(
    {"", "true", "false", "t", "f", "na", "n/a", "<na>", "#na", "#n/a", "#n/a n/a", "nan", "-nan", "null", "none"}
    | {"1.#ind", "-1.#ind", "1.#qnan", "-1.#qnan", "inf", "infinity", "-inf", "-infinity", "+inf", "+infinity"}
)
"""Words that pandas or R take for something else than text."""


def loading(schema: Schema, table: str, delimiter: str = ",") -> str:
    """How to read the table in pandas, R and Stata.

    >>> schema = Schema.from_dict({"fields": [{"name": "zip", "categories": ["01234", "56789"]}]})
    >>> 'dtype={"zip": str}' in loading(schema, "synthetic.csv")
    True
    """
    if table.endswith(".parquet"):
        python, r, stata = _parquet(table)
    else:
        python, r, stata = (lines(schema, table, delimiter) for lines in (_pandas, _r, _stata))
    return (
        "## How to load it\n\nIn Python:\n\n```python\n" + "\n".join(python) + "\n```\n\nIn R:\n\n```r\n" + "\n".join(r)
        + "\n```\n\nIn Stata:\n\n```stata\n" + "\n".join(stata) + "\n```\n\n"
        "More rows, rows under a condition, and answers with error bars come from the model: "
        "`understudy sample model.understudy -o more.csv`, `understudy query model.understudy …`."
    )  # fmt: skip


def _parquet(table: str) -> tuple[list[str], list[str], list[str]]:
    stata = ["* Stata reads no Parquet: write a CSV first, with pandas or R", 'import delimited "synthetic.csv", clear']
    return (
        ["import pandas as pd", "", f"rows = pd.read_parquet({_quoted(table)})"],
        ["library(arrow)", f"rows <- read_parquet({_quoted(table)})"],
        stata,
    )


def _quoted(text: str) -> str:
    """As a literal of Python and of R alike."""
    return json.dumps(text, ensure_ascii=False)


def _marker(field: Field) -> str | None:
    """What stands in a cell without a value; None if every cell has one."""
    empty = field.missing_allowed or (field.outside == "other" and field.type != "string")
    return (field.missing_texts[0] if field.missing_texts else "") if empty else None


def _misread(field: Field) -> bool:
    """Whether a reader that guesses may take some cell of a column for something else than it is."""
    if field.type == "string":
        texts = [str(category.value) for category in field.categories]
        return any(text.strip().lower() in _GUESSED or _NUMBER_LIKE.match(text) for text in texts)
    if field.type == "boolean":
        return (field.form.true_values[0].lower(), field.form.false_values[0].lower()) != ("true", "false")
    if field.type in ("date", "datetime"):
        return field.form.format is not None
    return field.form.decimal_char != "." and field.type == "number"


def _as_text(field: Field) -> bool:
    """Whether a column must be read as text first."""
    return _misread(field) or (field.type == "boolean" and _marker(field) is not None)


def _pandas(schema: Schema, table: str, delimiter: str) -> list[str]:
    markers = {field.name: marker for field in schema.fields if (marker := _marker(field)) is not None}
    types = {field.name: "str" for field in schema.fields if _as_text(field)}
    types |= {
        field.name: '"Int64"' for field in schema.fields if field.type in ("integer", "year") and field.name in markers
    }
    options = [_quoted(table)]
    if delimiter != ",":
        options.append(f"sep={_quoted(delimiter)}")
    if types:
        options.append(_mapping("dtype", types))
    if markers:
        options.append(_mapping("na_values", {name: f"[{_quoted(text)}]" for name, text in markers.items()}))
    if markers or types:  # where a word such as NA is a category, its column is among these types
        options.append("keep_default_na=False")
    call = f"rows = pd.read_csv({', '.join(options)})"
    if len(call) > _LINE or "\n" in call:
        call = "\n".join(["rows = pd.read_csv(", *(f"    {option}," for option in options), ")"])
    return ["import pandas as pd", "", call, *(line for field in schema.fields for line in _pandas_after(field))]


def _mapping(name: str, items: dict[str, str]) -> str:
    """A keyword with a dict, on several lines where it is long."""
    return f"{name}={{{_filled([f'{_quoted(key)}: {value}' for key, value in items.items()])}}}"


def _filled(items: list[str]) -> str:
    """Items separated by commas, on as many lines as it takes."""
    lines, line = [], ""
    for item in items:
        if line and len(line) + len(item) + 2 > _LINE - 12:
            lines.append(line + ",")
            line = ""
        line += f", {item}" if line else item
    return ("\n        ").join([*lines, line])


def _pandas_after(field: Field) -> list[str]:
    at = f"rows[{_quoted(field.name)}]"
    if field.type in ("date", "datetime"):
        shown = f", format={_quoted(field.form.format)}" if field.form.format else ""
        return [f"{at} = pd.to_datetime({at}{shown})"]
    if field.type == "boolean" and _as_text(field):
        true, false = _quoted(field.form.true_values[0]), _quoted(field.form.false_values[0])
        return [f'{at} = {at}.map({{{true}: True, {false}: False}}).astype("boolean")']
    if field.type == "number" and _as_text(field):
        return [f'{at} = pd.to_numeric({at}.str.replace({_quoted(field.form.decimal_char)}, ".", regex=False))']
    return []


def _r(schema: Schema, table: str, delimiter: str) -> list[str]:
    gap = f", sep = {_quoted(delimiter)}" if delimiter != "," else ""
    markers = {field.name: marker for field in schema.fields if (marker := _marker(field)) is not None}
    guessed = not markers and not any(_as_text(field) for field in schema.fields)
    after = [line for field in schema.fields for line in _r_after(field, guessed=guessed)]
    if guessed:
        return [f"rows <- read.csv({_quoted(table)}, check.names = FALSE{gap})", *after]
    numbers = [_quoted(field.name) for field in schema.fields if field.type in ("integer", "year", "number")]
    lines = [
        f"rows <- read.csv({_quoted(table)}, check.names = FALSE{gap},",
        '                 colClasses = "character", na.strings = character(0))',
    ]
    if markers:
        shown = _filled([f"{_quoted(name)} = {_quoted(text)}" for name, text in markers.items()])
        lines += [
            f"missing <- c({shown})",
            "for (name in names(missing)) rows[[name]][rows[[name]] == missing[[name]]] <- NA",
        ]
    lines += after
    if numbers:
        lines += [
            f"numbers <- c({_filled(numbers)})",
            "rows[numbers] <- lapply(rows[numbers], type.convert, as.is = TRUE)",
        ]
    return lines


def _r_after(field: Field, *, guessed: bool) -> list[str]:
    """What becomes of a column that was read as text, or where types are guessed, as R guesses it."""
    at = f"rows[[{_quoted(field.name)}]]"
    if field.type in ("date", "datetime"):
        shape = field.form.format or ("%Y-%m-%d" if field.type == "date" else "%Y-%m-%dT%H:%M:%S")
        read = "as.Date" if field.type == "date" else "as.POSIXct"
        zone = "" if field.type == "date" else f", tz = {_quoted(field.form.timezone or 'UTC')}"
        return [f"{at} <- {read}({at}, format = {_quoted(shape)}{zone})"]
    if field.type == "boolean":
        return [] if guessed else [f"{at} <- {at} == {_quoted(field.form.true_values[0])}"]
    if field.type == "number" and _as_text(field):
        return [f'{at} <- sub({_quoted(field.form.decimal_char)}, ".", {at}, fixed = TRUE)']
    return []


def _stata(schema: Schema, table: str, delimiter: str) -> list[str]:
    separated = f" delimiters({_quoted(delimiter)})" if delimiter != "," else ""
    texts = [str(i) for i, field in enumerate(schema.fields, 1) if _as_text(field) or _marker(field)]
    columns = f" stringcols({' '.join(texts)})" if texts else ""
    lines = [f"import delimited {_quoted(table)}, varnames(1) case(preserve){separated}{columns} clear"]
    after = [line for number, field in enumerate(schema.fields, 1) for line in _stata_after(number, field)]
    if any("`names'" in line for line in after):
        lines.append("unab names : _all")
    return lines + after


def _stata_after(number: int, field: Field) -> list[str]:
    """What Stata cannot be told as it reads; a marker in the middle of numbers makes text of them."""
    marker = _marker(field)
    numeric = field.type in ("integer", "year", "number")
    if not marker and not (numeric and _as_text(field)):
        return []
    lines, name = [], field.name
    if not _keeps_name(name):  # whatever Stata calls it instead
        lines, name = [f"local name : word {number} of `names'"], "`name'"
    if marker:
        lines.append(f'replace {name} = "" if {name} == {_stata_text(marker)}')
    comma = " dpcomma" if field.form.decimal_char == "," and field.type == "number" else ""
    return lines + ([f"destring {name}, replace{comma}"] if numeric else [])


def _keeps_name(name: str) -> bool:
    """Whether Stata gives a column this very name.

    >>> [_keeps_name(name) for name in ("age", "in", "str8", "net income", "x" * 33)]
    [True, False, False, False, False]
    """
    return bool(_STATA_NAME.fullmatch(name)) and not _STATA_WORD.fullmatch(name)


def _stata_text(text: str) -> str:
    """As a literal of Stata, where a quote has no escape, and $ and ` begin macros unless there is a backslash.

    >>> print(_stata_text("?"), _stata_text('"n"'), _stata_text("$x"))
    "?" `""n""' "\\$x"
    """
    kept = re.sub(r"([$`])", r"\\\1", text)
    return f'`"{kept}"\'' if '"' in text else f'"{kept}"'
