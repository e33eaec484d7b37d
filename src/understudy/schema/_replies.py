"""What a reviewer may type about a field, and what becomes of the field."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from understudy._core.errors import OptionError
from understudy.schema._code_lists import looks_like_codes, prefix_taxonomy
from understudy.schema._documents import read_text
from understudy.schema._field import Field
from understudy.schema._natural_order import natural_order
from understudy.schema._values import RANGE_TYPES

_MOST_SINGLE = 32
_ACCEPT = frozenset({"y", "yes", "a", "accept", "ok"})
_OPTION = re.compile(
    r"(?P<main>.*);\s*(?P<word>clip|other|error|ordered|unordered|required|missing|special|decimals)\b(?P<rest>[^;]*)",
    re.DOTALL,
)
_TO = re.compile(r"(.+?)\s*(?:\.\.+|…|–|—|\s-\s|\s+to\s+)\s*(.+)")
_HYPHEN = re.compile(r"([+-]?[0-9.,]+)\s*-\s*([+-]?[0-9.,]+)")

_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")


def bins_over(kind: str, low: Any, high: Any) -> int | str:
    """The bins of a range that nobody has cut: automatic ones, but a bin for each of few whole numbers.

    Where every value can have a bin of its own there is nothing to find out first.

    >>> bins_over("integer", 0, 30), bins_over("integer", 0, 120), bins_over("number", 0, 1)
    (31, 'auto', 'auto')
    """
    if kind not in ("integer", "year") or low >= high:
        return "auto"
    return int(high - low) + 1 if high - low < _MOST_SINGLE else "auto"


def replied(field: Field, reply: str) -> dict[str, Any]:
    """The field as it stands after a reply, declared. Raises OptionError with what was expected.

    >>> from understudy.schema import Schema
    >>> age = Schema.from_dict({"fields": [{"name": "age", "type": "integer", "bins": "auto", "origin": "draft",
    ...     "constraints": {"minimum": 0, "maximum": 100}}]})["age"]
    >>> replied(age, "0 to 120; clip")["constraints"], replied(age, "yes")["origin"]
    ({'minimum': 0, 'maximum': 120}, 'declared')
    """
    main, options = reply.strip(), []
    while found := _OPTION.fullmatch(main):
        main = found["main"].strip()
        options.append((found["word"], found["rest"].strip()))
    raw = field.to_dict()
    if main.lower() in _ACCEPT:
        if field.lacks:
            raise OptionError(f"{field.lacks} Type them, or leave it out.")
    elif ends := _ends(field, main):
        _set_range(raw, field, *ends)
    else:
        _set_categories(raw, field, main)
    for word, rest in reversed(options):
        _OPTIONS[word](raw, field, rest)
    return raw | {"origin": "declared"}


def _ends(field: Field, text: str) -> tuple[Any, Any] | None:
    """Both ends of a range, as a schema file has them; None if the reply is none."""
    if field.type not in RANGE_TYPES or "<" in text or text.startswith(("@", "+ ")):
        return None
    found = _TO.fullmatch(text) or (None if field.type in ("date", "datetime") else _HYPHEN.fullmatch(text))
    pair = (found[1], found[2]) if found else tuple(text.split()) if "," not in text else ()
    if len(pair) != 2:
        return None
    last = pair[1].strip()
    if field.type == "datetime" and _DAY.fullmatch(last):
        last += "T23:59:59"  # a day as the last one is meant whole
    return _value(field, pair[0]), _value(field, last)


def _value(field: Field, text: str) -> Any:
    """One value as a schema file has it: numbers as numbers, days as texts."""
    text = text.strip()
    try:
        inner = field.form.parse(text)
    except ValueError as error:
        raise OptionError(f"column '{field.name}': {error}.") from None
    if field.type in ("string", "date", "datetime"):
        return text
    if field.type == "boolean":
        return bool(inner)
    return int(inner) if float(inner).is_integer() else inner


def _set_range(raw: dict[str, Any], field: Field, low: Any, high: Any) -> None:
    for key in ("categories", "categoriesOrdered", "taxonomy"):
        raw.pop(key, None)
    kept = {key: value for key, value in (raw.get("constraints") or {}).items() if key == "required"}
    raw["constraints"] = {"minimum": low, "maximum": high, **kept}
    raw["bins"] = bins_over(field.type, low, high)
    first, last = field.form.exact(low), field.form.exact(high)
    outside = [item for item in raw.get("special") or [] if not first <= field.form.exact(_plain(item)) <= last]
    _keep(raw, "special", outside)


def _set_categories(raw: dict[str, Any], field: Field, text: str) -> None:
    ordered = "<" in text and not text.startswith("@")
    values = _listed(field, text)
    if text.startswith("+ "):
        old = list(raw.get("categories") or [])
        values = old + [value for value in values if value not in [_plain(item) for item in old]]
        ordered = bool(raw.get("categoriesOrdered"))
    if len(values) < 2:
        raise OptionError(_expected(field))
    texts = [str(_plain(value)) for value in values]
    found = natural_order(texts)
    ordered = ordered or (found is not None and list(found.texts) == texts) or field.type in RANGE_TYPES
    for key in ("bins", "special", "taxonomy", "categoriesOrdered"):
        raw.pop(key, None)
    kept = {key: value for key, value in (raw.get("constraints") or {}).items() if key == "required"}
    _keep(raw, "constraints", kept)
    raw["categories"] = values
    if ordered:
        raw["categoriesOrdered"] = True
    elif field.type == "string" and looks_like_codes(texts) and (tree := prefix_taxonomy(texts)):
        raw["taxonomy"] = tree[0]


def _listed(field: Field, text: str) -> list[Any]:
    if text.startswith("@"):
        path = Path(text[1:].strip()).expanduser()
        lines = read_text(path, f"there is no file {path} with one category a line.").splitlines()
        items = [line.strip() for line in lines if line.strip()]
    elif "<" in text:
        items = text.split("<")
    else:
        items = next(csv.reader([text.removeprefix("+ ")], skipinitialspace=True), [])
    return [_value(field, item) for item in items if item.strip()]


def _expected(field: Field) -> str:
    what = "a range such as 0 to 100, or values with commas between them" if field.type in RANGE_TYPES else (
        "its values with commas between them, such as North, South"
    )  # fmt: skip
    return f"column '{field.name}': type y to accept, {what}, or l to leave it out."


def _outside(word: str) -> Callable[[dict[str, Any], Field, str], None]:
    def put(raw: dict[str, Any], field: Field, rest: str) -> None:
        raw["outside"] = word

    return put


def _order(raw: dict[str, Any], field: Field, rest: str) -> None:
    raw["categoriesOrdered"] = True
    raw.pop("taxonomy", None)


def _no_order(raw: dict[str, Any], field: Field, rest: str) -> None:
    raw.pop("categoriesOrdered", None)


def _special(raw: dict[str, Any], field: Field, rest: str) -> None:
    """`special -1=never, 999`: values that stand for something else, with what they mean."""
    items = []
    for item in filter(None, (part.strip() for part in rest.split(","))):
        value, _, label = item.partition("=")
        items.append({"value": _value(field, value), "label": label.strip()} if label else _value(field, value))
    _keep(raw, "special", items)


def _decimals(raw: dict[str, Any], field: Field, rest: str) -> None:
    """`decimals 1`: digits after the point."""
    if field.type != "number" or not re.fullmatch("[0-9]{1,2}", rest):
        raise OptionError(
            f"column '{field.name}': 'decimals {rest}' was found. Expected digits after the point of a number, such as "
            f"decimals 1; this is a field of type {field.type}."
        )
    raw["decimals"] = int(rest)


def _missing(raw: dict[str, Any], field: Field, rest: str) -> None:
    """`missing`, or `missing ?, NA`: cells may be missing, and how that is written."""
    raw["constraints"] = {**(raw.get("constraints") or {}), "required": False}
    if texts := [part.strip() for part in rest.split(",") if part.strip()]:
        raw["missingValues"] = [*texts, ""]


def _required(raw: dict[str, Any], field: Field, rest: str) -> None:
    raw["constraints"] = {**(raw.get("constraints") or {}), "required": True}
    raw.pop("missingValues", None)


_OPTIONS: Mapping[str, Callable[[dict[str, Any], Field, str], None]] = {
    "clip": _outside("clip"),
    "other": _outside("other"),
    "error": _outside("error"),
    "ordered": _order,
    "unordered": _no_order,
    "special": _special,
    "decimals": _decimals,
    "missing": _missing,
    "required": _required,
}


def _plain(item: Any) -> Any:
    return item["value"] if isinstance(item, dict) else item


def _keep(raw: dict[str, Any], key: str, value: Any) -> None:
    if value:
        raw[key] = value
    else:
        raw.pop(key, None)
