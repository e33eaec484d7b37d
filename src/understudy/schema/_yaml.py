"""YAML as people write it in a schema: `01`, `1.50`, `yes` and `2020-01-01` keep their text.

Plain YAML would read them as 1, 1.5, true and a date, and a category `01` would never match the table again. Here a
number remembers how it was written, and the field's type decides which of the two is meant.
"""

from __future__ import annotations

import re
from collections.abc import Hashable
from typing import Any

import yaml

from understudy._core.errors import SchemaError


class WrittenInt(int):
    """A whole number that remembers how it was written, such as `01`."""

    text: str


class WrittenFloat(float):
    """A number that remembers how it was written, such as `1.50`."""

    text: str


_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)


class _SchemaLoader(_Loader):  # type: ignore[misc]
    """Resolves null, true, false and numbers only, and refuses a key given twice."""

    yaml_implicit_resolvers: dict[str, list[tuple[str, re.Pattern[str]]]] = {}  # noqa: RUF012

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if key.value in seen:
                raise SchemaError(f"line {key.start_mark.line + 1}: '{key.value}' is given twice. Remove one of them.")
            seen.add(key.value)
        mapping: dict[Hashable, Any] = super().construct_mapping(node, deep=deep)
        return mapping


class _SchemaDumper(_Dumper):  # type: ignore[misc]
    """Writes short lists on one line and never uses anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _int(loader: Any, node: yaml.ScalarNode) -> int:
    text = loader.construct_scalar(node)
    number = WrittenInt(text)
    number.text = text
    return int(number) if str(int(number)) == text else number


def _float(loader: Any, node: yaml.ScalarNode) -> float:
    text = loader.construct_scalar(node)
    number = WrittenFloat(text)
    number.text = text
    return float(number) if repr(float(number)) == text else number


def _list(dumper: Any, values: list[Any]) -> yaml.Node:
    flow = all(not isinstance(v, dict) for v in values)
    node: yaml.Node = dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flow)
    return node


def _mapping(dumper: Any, mapping: dict[str, Any]) -> yaml.Node:
    flow = all(not isinstance(v, dict | list) for v in mapping.values()) and "name" not in mapping
    node: yaml.Node = dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=flow)
    return node


for _tag, _pattern, _first in (
    ("bool", r"^(?:true|false)$", "tf"),
    ("null", r"^(?:~|null|)$", ["~", "n", ""]),
    ("int", r"^[-+]?[0-9]+$", "-+0123456789"),
    ("float", r"^[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?$", "-+.0123456789"),
    ("merge", r"^<<$", "<"),
):
    _SchemaLoader.add_implicit_resolver(f"tag:yaml.org,2002:{_tag}", re.compile(_pattern), list(_first))
_SchemaLoader.add_constructor("tag:yaml.org,2002:int", _int)
_SchemaLoader.add_constructor("tag:yaml.org,2002:float", _float)
_SchemaDumper.add_representer(list, _list)
_SchemaDumper.add_representer(dict, _mapping)


def read_yaml(text: str) -> Any:
    """The content of a YAML text.

    >>> read_yaml("[01, 1, yes, true, 2020-01-01]")
    [1, 1, 'yes', True, '2020-01-01']
    >>> read_yaml("01").text
    '01'
    """
    try:
        return yaml.load(text, Loader=_SchemaLoader)
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise SchemaError(
            f"{where}{problem}. The schema file is not valid YAML: check indentation and quotes."
        ) from None


def write_yaml(content: Any) -> str:
    """YAML text that `read_yaml` reads back.

    >>> write_yaml({"a": ["01", "b"], "c": {"d": 1}})
    "a: ['01', b]\\nc: {d: 1}\\n"
    """
    text: str = yaml.dump(content, Dumper=_SchemaDumper, sort_keys=False, allow_unicode=True, width=120)
    return text


def written_text(value: Any) -> str:
    """A scalar as the text a table would hold.

    >>> written_text(True), written_text(1.5), written_text("x"), written_text(read_yaml("1.50"))
    ('true', '1.5', 'x', '1.50')
    """
    if isinstance(value, WrittenInt | WrittenFloat):
        return value.text
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def plain(value: Any, *, as_text: bool = False) -> Any:
    """The same content without memory of how numbers were written; as texts where they differ if `as_text`.

    >>> plain([read_yaml("01")]), plain([read_yaml("01")], as_text=True)
    ([1], ['01'])
    """
    if isinstance(value, WrittenInt | WrittenFloat):
        if as_text:
            return value.text
        return int(value) if isinstance(value, WrittenInt) else float(value)
    if isinstance(value, list | tuple):
        return [plain(v, as_text=as_text) for v in value]
    if isinstance(value, dict):
        return {str(written_text(k)): plain(v, as_text=as_text) for k, v in value.items()}
    return value
