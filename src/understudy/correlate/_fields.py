"""Which columns of a table are read, and as what: fields by name, by kind or one by one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from understudy._core.errors import OptionError, TableError, did_you_mean
from understudy.correlate._tags import TAGS, Tag
from understudy.correlate._texts import Coded, as_texts
from understudy.tables import Source


@dataclass(frozen=True, kw_only=True)
class FieldMap:
    """The columns of each tag, by the tag's letter.

    >>> FieldMap.read("name,dob:B", ("surname", "given_name", "dob", "age")).columns
    {'B': ('dob',), 'N': ('surname', 'given_name')}
    """

    columns: Mapping[str, tuple[str, ...]]

    @classmethod
    def read(cls, fields: str | Iterable[str], names: Sequence[str]) -> FieldMap:
        """What `fields` means for a table with these columns.

        Each of `fields` is a kind of field ('name': all columns that look like parts of a name), a column, or a column
        and its tag ('dob:B').
        """
        words = fields.split(",") if isinstance(fields, str) else fields
        given = [word.strip() for word in words if word.strip()]
        if not given:
            raise OptionError("no fields are named to recognise records by. Name some: --fields name,birthday,address.")
        chosen: dict[str, str] = {}
        for one in given:
            for column, letter in _meant(one, names):
                if chosen.setdefault(column, letter) != letter:
                    raise OptionError(
                        f"column '{column}' is given two tags, {chosen[column]} and {letter}. Give it one."
                    )
        return cls(
            columns={
                letter: tuple(name for name in names if chosen.get(name) == letter)
                for letter in TAGS
                if letter in chosen.values()
            }
        )

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are read."""
        return tuple(name for columns in self.columns.values() for name in columns)


def _meant(word: str, names: Sequence[str]) -> list[tuple[str, str]]:
    """Columns and tags that one word of `fields` stands for."""
    column, colon, letter = word.rpartition(":")
    if colon and word not in names:
        tag = next((tag for tag in TAGS.values() if letter.strip().lower() in (tag.letter.lower(), tag.label)), None)
        if tag is None:
            raise OptionError(f"'{letter}' is no tag of a field. {did_you_mean(letter, [*TAGS, *_labels()])}")
        return [(_known(column.strip(), names), tag.letter)]
    tag = _labels().get(word.lower()) or TAGS.get(word)
    if tag is not None:
        found = [(name, tag.letter) for name in names if tag_of(name) is tag]
        if found:
            return found
        raise TableError(
            f"the table has no column that looks like a field '{word}'. Its columns: {_some(names)}. Name one with its "
            f"tag, such as --fields {names[0] if names else 'column'}:{tag.letter}, or leave '{word}' out."
        )
    name = _known(word, names)
    own = tag_of(name)
    if own is None:
        raise OptionError(
            f"what kind of field column '{name}' is cannot be told from its name. Say it: {name}:N for a name, B "
            "birthday, A address, E e-mail, P phone, I id."
        )
    return [(name, own.letter)]


def _labels() -> dict[str, Tag]:
    return {tag.label: tag for tag in TAGS.values()}


def _known(name: str, names: Sequence[str]) -> str:
    if name not in names:
        raise TableError(f"the table has no column '{name}'. {did_you_mean(name, [*names, *_labels()])}")
    return name


def _some(names: Sequence[str]) -> str:
    return ", ".join(f"'{name}'" for name in names[:12]) + (", …" if len(names) > 12 else "")


def tag_of(name: str) -> Tag | None:
    """The tag of a column, by the words in its name.

    >>> tag_of("Date_of_Birth").label, tag_of("streetName").label, tag_of("income")
    ('birthday', 'address', None)
    """
    spaced = re.sub(r"([a-z])([A-Z])", r"\1 \2", name)
    words = {re.sub(r"\d+$", "", word) for word in re.split(r"[\W_]+", spaced.lower())}
    words |= {"email"} if {"e", "mail"} <= words else set()
    return next((tag for tag in TAGS.values() if words & tag.words), None)


def read_fields(source: Source, fields: FieldMap, *, progress: Any = None) -> dict[str, list[tuple[str, Coded]]]:
    """The columns of each tag, cleaned, as distinct texts and codes."""
    parts: dict[str, list[pa.Array]] = {name: [] for name in fields.names}
    rows = 0
    for batch in source.batches(list(fields.names)):
        for name, column in zip(fields.names, batch, strict=True):
            parts[name].append(as_texts(column))
        rows += len(batch[0])
        if progress:
            progress(rows)
    if rows == 0:
        raise TableError("the table has a header but no rows. There is nothing to recognise.")
    found: dict[str, list[tuple[str, Coded]]] = {}
    for letter, names in fields.columns.items():
        columns = []
        for name in names:
            texts = pa.chunked_array(parts.pop(name), pa.string()).combine_chunks()
            coded = Coded.of(_cleaned(TAGS[letter], texts))
            if not coded.known.any():
                raise TableError(f"column '{name}' is missing in every row. Leave it out of --fields.")
            columns.append((name, coded))
        found[letter] = columns
    return found


def _cleaned(tag: Tag, texts: pa.Array) -> pa.Array:
    """Cleaned word by distinct word: most columns repeat themselves."""
    coded = texts.dictionary_encode()
    clean = tag.clean(coded.dictionary)
    return pa.DictionaryArray.from_arrays(coded.indices, clean).cast(pa.string())
