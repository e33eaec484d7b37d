"""Changes to the text of a schema file, field by field: comments, order and everything not spoken of stay as they are.

An edit is made on the text, by the places that a YAML parser gives for keys and values, and is then read back. If that
is not what was meant (a file may use aliases, or a style nobody thought of), the whole file is written anew, and only
comments are lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import yaml

from understudy._core.errors import SchemaError
from understudy.schema._marks import DRAFT_MARK, GUESS_MARK
from understudy.schema._schema import Schema
from understudy.schema._yaml import read_yaml, write_yaml


def edited(text: str, before: Schema, after: Schema) -> str:
    """The text of a schema file once its fields are those of `after`: some changed, some left out.

    >>> before = Schema.from_dict({"name": "t", "fields": [{"name": "a", "type": "boolean", "origin": "draft"}]})
    >>> after = Schema.from_dict({"name": "t", "fields": [{"name": "a", "type": "boolean", "origin": "declared"}]})
    >>> print(edited("fields:\\n# yes or no\\n- name: a\\n  type: boolean\\n  origin: draft\\n", before, after))
    fields:
    # yes or no
    - name: a
      type: boolean
      origin: declared
    <BLANKLINE>
    """
    if text.lstrip().startswith("{"):
        return json.dumps(after.to_dict(), indent=1, ensure_ascii=False) + "\n"
    try:
        changed = _changed(text, before, after)
        if Schema.from_dict({"name": after.name, **read_yaml(changed)}).to_dict() == after.to_dict():
            return changed
    except (SchemaError, yaml.YAMLError, LookupError, TypeError, ValueError):
        pass
    return after.to_yaml()


def remarks_above(text: str, position: int) -> tuple[str, ...]:
    """What a draft remarked on the field at this position (from 0), without its mark.

    >>> remarks_above("fields:\\n# Guess: a range.\\n- {name: a}\\n", 0)
    ('a range.',)
    """
    try:
        items = _fields(yaml.compose(text, Loader=yaml.SafeLoader)).value
        above = _comments_above(text.splitlines(), items[position].start_mark.line)
    except (yaml.YAMLError, LookupError, TypeError):
        return ()
    lines = (line.strip().removeprefix("#").strip() for line in above)
    return tuple(line.removeprefix(GUESS_MARK) for line in lines if line.startswith(GUESS_MARK))


def _changed(text: str, before: Schema, after: Schema) -> str:
    """From the last field to the first, so that places further up stay what they are."""
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    items = _fields(root).value
    lines = text.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    kept = {field.name: field.to_dict() for field in after.fields}
    for node, field in reversed(list(zip(items, before.fields, strict=True))):
        new, old = kept.get(field.name), field.to_dict()
        if new == old:
            continue
        first = node.start_mark.line
        if new is None:
            del lines[first : _last_line(lines, node) + 1]
        else:
            _rewrite(lines, node, old, new)
        _drop_guesses(lines, first)
    _add_properties(lines, root, before, after)
    if not after.draft_fields:
        lines = [line for line in lines if not line.startswith(f"# {DRAFT_MARK}")]
    return "".join(lines)


def _fields(root: yaml.Node) -> yaml.SequenceNode:
    node = next(value for key, value in root.value if key.value == "fields")
    if not isinstance(node, yaml.SequenceNode):
        raise TypeError("fields is no list")
    return node


def _rewrite(lines: list[str], node: yaml.MappingNode, old: Mapping[str, Any], new: Mapping[str, Any]) -> None:
    """Bring one field to its new content, key by key; one that stands between braces as a whole."""
    if node.flow_style:
        start, end = node.start_mark, node.end_mark
        tail = lines[end.line][end.column :]
        lines[start.line : end.line + 1] = [lines[start.line][: start.column] + _braces(new) + tail]
        return
    places = {key.value: (key.start_mark, value) for key, value in node.value}
    indent = " " * node.start_mark.column
    fresh = [line for key, value in new.items() if key not in places for line in _key_lines(key, value, indent)]
    end = _last_line(lines, node) + 1
    at = places["origin"][0].line if "origin" in places and places["origin"][0].line > node.start_mark.line else end
    for key, (mark, value) in reversed(places.items()):
        if mark.line < at and fresh:
            lines[at:at], fresh = fresh, []
        if key in new and new[key] == old.get(key):
            continue
        stop = _stop(lines, places, mark.line, end)
        written = _key_lines(key, new[key], indent) if key in new else []
        if mark.line == node.start_mark.line:
            written[0] = lines[mark.line][: mark.column] + written[0].lstrip(" ")
        if written and stop == mark.line + 1 and value.end_mark.line == mark.line:
            written[-1] = written[-1].rstrip("\n") + lines[mark.line][value.end_mark.column :]
        lines[mark.line : stop] = written
    lines[at:at] = fresh


def _stop(lines: list[str], places: Mapping[str, Any], line: int, end: int) -> int:
    """Where a key that begins on this line ends: before the next one, and before comments that stand above that."""
    following = [mark.line for mark, _ in places.values() if mark.line > line]
    return _trimmed(lines, line, min(following, default=end))


def _last_line(lines: list[str], node: yaml.MappingNode) -> int:
    end = node.end_mark
    return _trimmed(lines, node.start_mark.line, end.line + (end.column > 0 and bool(node.flow_style))) - 1


def _trimmed(lines: list[str], first: int, stop: int) -> int:
    while stop > first + 1 and (not lines[stop - 1].strip() or lines[stop - 1].lstrip().startswith("#")):
        stop -= 1
    return stop


def _key_lines(key: str, value: Any, indent: str) -> list[str]:
    if isinstance(value, dict | list):
        written = write_yaml({key: value})
    else:
        written = f"{key}: {write_yaml([value]).strip()[1:-1]}\n"
    return [indent + line for line in written.splitlines(keepends=True)]


def _braces(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{key}: {_braces(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_braces, value)) + "]"
    return write_yaml([value]).strip()[1:-1]


def _comments_above(lines: list[str], line: int) -> list[str]:
    first = line
    while first > 0 and lines[first - 1].lstrip().startswith("#"):
        first -= 1
    return lines[first:line]


def _drop_guesses(lines: list[str], line: int) -> None:
    """Take away what a draft remarked above this line; other comments stay."""
    above = _comments_above(lines, line)
    lines[line - len(above) : line] = [one for one in above if not one.lstrip().startswith(f"# {GUESS_MARK}")]


def _add_properties(lines: list[str], root: yaml.MappingNode, before: Schema, after: Schema) -> None:
    """Properties of the whole schema that are new, above `fields`, with a remark on what was left out."""
    at = next(key.start_mark.line for key, _ in root.value if key.value == "fields")
    gone = [name for name in before.names if name not in after.names]
    fresh = [f"# Left out: {name} (in review).\n" for name in gone if name.isprintable()]
    new = {key: value for key, value in after.properties.items() if key not in before.properties}
    lines[at:at] = fresh + [line for key, value in new.items() for line in _key_lines(key, value, "")]
