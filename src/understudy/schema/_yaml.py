"""YAML in and out. It is read event by event: nothing is recursive, and nothing is built beyond its limits.

An alias stands for the value itself, not for a copy of it, and counts as often as it is used: a few lines of aliases
of aliases would otherwise stand for billions of values.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import yaml

from understudy._core.errors import SchemaError
from understudy.schema._limits import MAX_DEPTH, MAX_DIGITS, MAX_NODES, shown
from understudy.schema._written import WrittenFloat, WrittenInt, written_text

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_Dumper: Any = getattr(yaml, "CSafeDumper", yaml.SafeDumper)
_WORDS = {"true": True, "false": False, "~": None, "null": None, "": None}
_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(?:[0-9]+\.[0-9]*|\.[0-9]+|[0-9]+(?=[eE]))(?:[eE][-+]?[0-9]+)?")
_TAGS = {"int": int, "float": float, "bool": bool, "null": type(None), "str": str, "seq": list, "map": dict}
_NO_KEY = object()
_MERGE = object()


def read_yaml(text: str) -> Any:
    """The content of a YAML text.

    >>> read_yaml("[01, 1, yes, true, 2020-01-01]")
    [1, 1, 'yes', True, '2020-01-01']
    >>> read_yaml("01").text
    '01'
    """
    try:
        return _Reader().read(yaml.parse(text, Loader=_Loader))
    except yaml.YAMLError as error:
        mark = getattr(error, "problem_mark", None)
        where = f"line {mark.line + 1}, column {mark.column + 1}: " if mark else ""
        problem = getattr(error, "problem", None) or "not YAML"
        raise SchemaError(f"{where}{problem}. The file is not valid YAML: check indentation and quotes.") from None


def write_yaml(content: Any) -> str:
    """YAML text that `read_yaml` reads back.

    >>> write_yaml({"a": ["01", "b"], "c": {"d": 1}})
    "a: ['01', b]\\nc: {d: 1}\\n"
    """
    text: str = yaml.dump(content, Dumper=_SchemaDumper, sort_keys=False, allow_unicode=True, width=120)
    return text


@dataclass
class _Built:
    """A value, and how large it is with its aliases written out."""

    value: Any
    nodes: int = 1
    height: int = 0


@dataclass
class _Open:
    """A list or mapping that has begun and not ended."""

    built: _Built
    anchor: str | None
    key: Any = _NO_KEY
    merged: list[dict[Any, Any]] = field(default_factory=list)
    keys: set[str] = field(default_factory=set)


class _Reader:
    """Builds the content from events. `anchors` holds what aliases stand for; None while it is still being built."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.anchors: dict[str, _Built | None] = {}
        self.nodes = 0
        self.documents = 0
        self.content: Any = None

    def read(self, events: Iterable[Any]) -> Any:
        """The content of the one document."""
        for event in events:
            self.line = event.start_mark.line + 1
            if isinstance(event, yaml.DocumentStartEvent):
                self.documents += 1
                if self.documents > 1:
                    raise self._fault("a second YAML document begins. Keep one in the file")
            elif isinstance(event, yaml.ScalarEvent):
                self._scalar(event)
            elif isinstance(event, yaml.AliasEvent):
                self._alias(str(event.anchor))
            elif isinstance(event, yaml.CollectionStartEvent):
                self._begin(event, [] if isinstance(event, yaml.SequenceStartEvent) else {})
            elif isinstance(event, yaml.CollectionEndEvent):
                self._end()
        return self.content

    def _scalar(self, event: Any) -> None:
        plain, tag = event.implicit[0], self._tag(event.tag)
        value = _resolved(event.value) if plain or tag not in (None, str) else event.value
        if tag is not None and not isinstance(value, tag):
            raise self._fault(f"{shown(event.value)} is not what its tag {event.tag!r} says. Remove the tag")
        self._count(1)
        built = _Built(_MERGE if plain and value == "<<" else value)
        if event.anchor:
            self.anchors[event.anchor] = built
        self._add(built)

    def _alias(self, anchor: str) -> None:
        if anchor not in self.anchors:
            raise self._fault(f"there is no anchor &{anchor} above the alias *{anchor}. Write the value itself")
        built = self.anchors[anchor]
        if built is None:
            raise self._fault(f"the alias *{anchor} stands inside its own anchor, so it would never end. Remove it")
        self._count(built.nodes)
        if len(self.open) + built.height > MAX_DEPTH:
            raise self._too_deep()
        self._add(built)

    def _begin(self, event: Any, empty: Any) -> None:
        if self._tag(event.tag) not in (None, type(empty)):
            raise self._fault(f"the tag {event.tag!r} does not belong here. Remove it")
        if self.open and isinstance(self.open[-1].built.value, dict) and self.open[-1].key is _NO_KEY:
            raise self._fault("a list or mapping stands where a key belongs. Keys are texts or numbers")
        if len(self.open) >= MAX_DEPTH:
            raise self._too_deep()
        self._count(1)
        self.open.append(_Open(_Built(empty), event.anchor))
        if event.anchor:
            self.anchors[event.anchor] = None

    def _end(self) -> None:
        ended = self.open.pop()
        built = ended.built
        if ended.merged:
            # The first of several merged mappings wins, and what the mapping says itself wins over all of them.
            together: dict[Any, Any] = {}
            for mapping in reversed(ended.merged):
                together |= mapping
            built.value = together | built.value
        if ended.anchor:
            self.anchors[ended.anchor] = built
        self._add(built)

    def _add(self, built: _Built) -> None:
        """Put a value where it belongs: into the list or mapping that is open, or as the whole content."""
        if not self.open:
            self.content = built.value
            return
        parent = self.open[-1]
        parent.built.nodes += built.nodes
        parent.built.height = max(parent.built.height, built.height + 1)
        if isinstance(parent.built.value, list):
            parent.built.value.append("<<" if built.value is _MERGE else built.value)
        elif parent.key is _NO_KEY:
            parent.key = self._key(parent, built.value)
        else:
            key, parent.key = parent.key, _NO_KEY
            if key is _MERGE:
                parent.merged += self._mappings(built.value)
            else:
                parent.built.value[key] = "<<" if built.value is _MERGE else built.value

    def _key(self, parent: _Open, key: Any) -> Any:
        if isinstance(key, list | dict):
            raise self._fault("a list or mapping stands where a key belongs. Keys are texts or numbers")
        text = "<<" if key is _MERGE else written_text(key)
        if text in parent.keys:
            raise self._fault(f"'{text}' is given twice. Remove one of them")
        parent.keys.add(text)
        return key

    def _mappings(self, value: Any) -> list[dict[Any, Any]]:
        listed = value if isinstance(value, list) else [value]
        if not all(isinstance(item, dict) for item in listed):
            raise self._fault("<< merges mappings, and this is none. Write an alias of a mapping")
        return listed

    def _tag(self, tag: str | None) -> type | None:
        if tag in (None, "!"):
            return None if tag is None else str
        found = _TAGS.get(str(tag).removeprefix("tag:yaml.org,2002:"))
        if found is None:
            raise self._fault(f"the tag {shown(tag)} is not known. Remove it")
        return found

    def _count(self, nodes: int) -> None:
        self.nodes += nodes
        if self.nodes > MAX_NODES:
            raise self._fault(f"the schema holds more than {MAX_NODES:,} values. List fewer, or use ranges")

    def _too_deep(self) -> SchemaError:
        return self._fault(f"there are more than {MAX_DEPTH} lists and mappings inside each other. Flatten them")

    def _fault(self, sentence: str) -> SchemaError:
        return SchemaError(f"line {self.line}: {sentence}.")


def _resolved(text: str) -> Any:
    """A plain scalar: a number that remembers how it was written, true, false, nothing, or else the text."""
    if text in _WORDS:
        return _WORDS[text]
    # What no number could hold stays a text: the field's type decides whether that is an error.
    if len(text) <= MAX_DIGITS and _INT.fullmatch(text):
        number = WrittenInt(text)
        number.text = text
        return int(number) if str(int(number)) == text else number
    if len(text) <= MAX_DIGITS and _FLOAT.fullmatch(text) and math.isfinite(float(text)):
        real = WrittenFloat(text)
        real.text = text
        return float(real) if repr(float(real)) == text else real
    return text


class _SchemaDumper(_Dumper):  # type: ignore[misc]
    """Writes short lists on one line and never uses anchors."""

    def ignore_aliases(self, data: Any) -> bool:
        return True


def _text(dumper: Any, text: str) -> yaml.Node:
    # PyYAML writes 1e3 without quotes, which here would be a number.
    quoted = "'" if text == "<<" or not isinstance(_resolved(text), str) else None
    node: yaml.Node = dumper.represent_scalar("tag:yaml.org,2002:str", text, style=quoted)
    return node


def _list(dumper: Any, values: list[Any]) -> yaml.Node:
    flow = all(not isinstance(v, dict) for v in values)
    node: yaml.Node = dumper.represent_sequence("tag:yaml.org,2002:seq", values, flow_style=flow)
    return node


def _mapping(dumper: Any, mapping: dict[str, Any]) -> yaml.Node:
    flow = all(not isinstance(v, dict | list) for v in mapping.values()) and "name" not in mapping
    node: yaml.Node = dumper.represent_mapping("tag:yaml.org,2002:map", mapping, flow_style=flow)
    return node


_SchemaDumper.add_representer(str, _text)
_SchemaDumper.add_representer(list, _list)
_SchemaDumper.add_representer(dict, _mapping)
