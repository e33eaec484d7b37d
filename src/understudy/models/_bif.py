"""Bayesian networks from BIF files, as bnlearn, pgmpy, JavaBayes and our own export write them.

A file may be anybody's: its size is bounded before it is read, its tables before they are built, and whatever is wrong
is told in a sentence with the line it was found on.
"""

from __future__ import annotations

import gzip
import re
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import isfinite, prod
from pathlib import Path
from typing import NamedTuple

import numpy as np

from understudy._core.errors import ModelFileError, did_you_mean
from understudy.models._inference import Floats
from understudy.models._network_model import NetworkModel
from understudy.models._structure import Network, Node
from understudy.schema import Attribute, Axis, Domain, recode

MAX_BYTES = 64 << 20
"""Bytes of a file, unpacked."""
MAX_VARIABLES, MAX_PARENTS, MAX_CELLS = 10_000, 24, 20_000_000
_ROUNDING = 0.01  # what a row of probabilities may be off 1: published files are rounded to a few digits
_TOKEN = re.compile(r'//[^\n]*|/\*.*?\*/|"[^"\n]*"|[{}()\[\],;|]|[^\s{}()\[\],;|"]+|"', re.DOTALL)


@dataclass(frozen=True, eq=False, kw_only=True)
class BifVariable:
    """A variable: its states, its parents, and one axis per parent, then one for itself, of probabilities if given."""

    name: str
    states: tuple[str, ...]
    parents: tuple[str, ...] = ()
    table: Floats | None = None


@dataclass(frozen=True, eq=False)
class BifNetwork:
    """The variables of a BIF file, parents before children; else in the file's order."""

    variables: tuple[BifVariable, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the variables, parents first."""
        return tuple(variable.name for variable in self.variables)

    @cached_property
    def _by_name(self) -> Mapping[str, BifVariable]:
        return {variable.name: variable for variable in self.variables}

    def __getitem__(self, name: str) -> BifVariable:
        return self._by_name[name]

    @property
    def links(self) -> tuple[tuple[str, str], ...]:
        """All pairs of a parent and a child."""
        return tuple((parent, variable.name) for variable in self.variables for parent in variable.parents)

    def to_model(self, *, n: int = 0) -> NetworkModel:
        """A model whose codes number the states. Raises ModelFileError unless every variable has its probabilities.

        >>> net = parse_bif("variable a { type discrete [2] {no, yes}; } probability (a) { table .75, .25; }")
        >>> net.to_model().conditionals[0].tolist()
        [0.75, 0.25]
        """
        domain = Domain(tuple(Attribute(name=v.name, size=len(v.states)) for v in self.variables))
        nodes, tables = [], []
        for variable in self.variables:
            if variable.table is None:
                raise ModelFileError(f"variable '{variable.name}' has no probabilities, and a model needs all of them.")
            parents = tuple(Axis(domain.index(parent)) for parent in variable.parents)
            nodes.append(Node(domain.index(variable.name), parents))
            tables.append(variable.table)
        return NetworkModel(Network(domain, tuple(nodes)), tables, recode(domain, "vanilla"), (), n)


def read_bif(path: str | Path) -> BifNetwork:
    """The network of a BIF file, which may be packed with gzip. Raises ModelFileError.

    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "net.bif"
    >>> _ = path.write_text("variable a { type discrete [2] {no, yes}; } probability (a) { table .75, .25; }")
    >>> read_bif(path)["a"].states
    ('no', 'yes')
    """
    path = Path(path)
    try:
        with path.open("rb") as file:
            head = file.read(2)
            file.seek(0)
            data = (gzip.GzipFile(fileobj=file) if head == b"\x1f\x8b" else file).read(MAX_BYTES + 1)
        text = data.decode("utf-8-sig")
    except FileNotFoundError:
        raise ModelFileError(f"there is no file {path}. Give a network in the Bayesian Interchange Format.") from None
    except (gzip.BadGzipFile, EOFError, zlib.error):
        raise ModelFileError(f"{path.name} is packed, and the packing is damaged. Copy it again.") from None
    except OSError as error:
        raise ModelFileError(f"cannot read {path}: {error.strerror}.") from None
    except UnicodeDecodeError as error:
        raise ModelFileError(f"{path.name} is not UTF-8 text (byte {error.start}). Save it as UTF-8.") from None
    except ValueError:  # of a name with a null character in it
        raise ModelFileError("no file can have this name.") from None
    if len(data) > MAX_BYTES:
        raise ModelFileError(f"{path.name} is larger than any network file may be ({MAX_BYTES >> 20} MiB).")
    try:
        return parse_bif(text)
    except ModelFileError as error:
        raise ModelFileError(f"{path.name}: {error}") from None


def parse_bif(text: str) -> BifNetwork:
    """The network of a text in BIF. Raises ModelFileError.

    >>> net = parse_bif('''
    ... variable smokes { type discrete [ 2 ] { no, yes }; }
    ... variable ill { type discrete [ 2 ] { no, yes }; }
    ... probability ( smokes ) { table 0.75, 0.25; }
    ... probability ( ill | smokes ) { (no) 0.9, 0.1; (yes) 0.5, 0.5; }''')
    >>> net.links, net["ill"].table.tolist()
    ((('smokes', 'ill'),), [[0.9, 0.1], [0.5, 0.5]])
    """
    words = _Words(text)
    draft = _Draft()
    while (word := words.next_or_end()) is not None:
        if word.text == "network":
            _skip_network(words)
        elif word.text == "variable":
            draft.add_variable(words)
        elif word.text == "probability":
            draft.add_probability(words)
        else:
            raise _fault(word, f"'{_short(word.text)}' where 'network', 'variable' or 'probability' was expected")
    if not draft.states:
        raise ModelFileError("it declares no variables. Is it in the Bayesian Interchange Format?")
    return BifNetwork(_parents_first(draft.variables()))


class _Word(NamedTuple):
    text: str
    line: int
    quoted: bool = False


class _Words:
    """The words and signs of a text, one after the other, without comments."""

    def __init__(self, text: str) -> None:
        self._rest = self._split(text)
        self._last = _Word("", 1)
        self._again: _Word | None = None

    @staticmethod
    def _split(text: str) -> Iterator[_Word]:
        line, seen = 1, 0
        for found in _TOKEN.finditer(text):
            line, seen = line + text.count("\n", seen, found.start()), found.start()
            word = found.group()
            if word.startswith(("//", "/*")):
                continue
            if word == '"':
                raise ModelFileError(f"line {line}: a quotation mark that is never closed.")
            yield _Word(word[1:-1], line, True) if word[0] == '"' else _Word(word, line)

    def next_or_end(self) -> _Word | None:
        word, self._again = self._again or next(self._rest, None), None
        self._last = word or self._last
        return word

    def next(self) -> _Word:
        word = self.next_or_end()
        if word is None:
            raise ModelFileError(f"line {self._last.line}: the file ends in the middle of a block. Is it cut short?")
        return word

    def put_back(self, word: _Word) -> None:
        self._again = word

    def expect(self, *signs: str) -> _Word:
        word = self.next()
        if word.text not in signs or word.quoted:
            wanted = " or ".join(f"'{sign}'" for sign in signs)
            raise _fault(word, f"'{_short(word.text)}' where {wanted} was expected")
        return word

    def until(self, *ends: str) -> tuple[list[_Word], _Word]:
        """Words up to one of the signs; commas between them go unread."""
        found: list[_Word] = []
        while (word := self.next()).quoted or word.text not in ends:
            if not word.quoted and word.text in "{}()[];|":
                raise _fault(word, f"'{word.text}' where {' or '.join(repr(end) for end in ends)} was expected")
            if word.quoted or word.text != ",":
                found.append(word)
        return found, word


def _fault(word: _Word, what: str) -> ModelFileError:
    return ModelFileError(f"line {word.line}: {what}.")


def _short(text: str) -> str:
    return text if len(text) <= 40 else f"{text[:37]}..."


def _skip_network(words: _Words) -> None:
    """The head of the file: a name, and properties that say nothing of the network."""
    while words.next().text != "{":
        pass
    while words.next().text != "}":
        pass


@dataclass
class _Draft:
    """What was read so far."""

    states: dict[str, tuple[str, ...]] = field(default_factory=dict)
    parents: dict[str, tuple[str, ...]] = field(default_factory=dict)
    tables: dict[str, Floats | None] = field(default_factory=dict)
    cells: int = 0

    def add_variable(self, words: _Words) -> None:
        """`variable NAME { type discrete [ K ] { s1, s2 }; property …; }`."""
        name = words.next()
        if name.text in self.states:
            raise _fault(name, f"variable '{_short(name.text)}' is declared twice")
        if len(self.states) >= MAX_VARIABLES:
            raise _fault(name, f"there are more than {MAX_VARIABLES:,} variables")
        words.expect("{")
        states: tuple[str, ...] | None = None
        while (word := words.expect("type", "property", "}")).text != "}":
            if word.text == "property":
                words.until(";")
                continue
            states = self._states(words, name)
        if states is None:
            raise _fault(name, f"variable '{_short(name.text)}' has no states")
        self.states[name.text] = states

    @staticmethod
    def _states(words: _Words, name: _Word) -> tuple[str, ...]:
        kind = words.next()
        if kind.text != "discrete":
            raise _fault(kind, f"variable '{_short(name.text)}' is not discrete; only variables with states are read")
        words.expect("[")
        size, _ = words.until("]")
        words.expect("{")
        listed, _ = words.until("}")
        words.expect(";")
        states = tuple(word.text for word in listed)
        if len(size) != 1 or size[0].text != str(len(states)) or not states:
            raise _fault(
                name,
                f"variable '{_short(name.text)}' lists {len(states)} states, and says that it has "
                f"{' '.join(_short(word.text) for word in size) or 'none'}",
            )
        if len(set(states)) != len(states):
            raise _fault(name, f"variable '{_short(name.text)}' lists a state twice")
        return states

    def add_probability(self, words: _Words) -> None:
        """`probability ( NAME | P1, P2 ) { table …; }`, or `(s1, s2) …;` for each configuration, or `default …;`."""
        start = words.expect("(")
        # JavaBayes writes no bar: what comes after the first name are its parents
        before, end = words.until("|", ")")
        listed = [*before, *(words.until(")")[0] if end.text == "|" else ())]
        if not listed or (end.text == "|" and len(before) != 1):
            raise _fault(start, "a block of probabilities must name one variable, and its parents after a bar")
        for word in listed:
            if word.text not in self.states:
                raise _fault(word, f"no variable '{_short(word.text)}'. {did_you_mean(word.text, self.states)[:-1]}")
        name, parents = listed[0].text, tuple(word.text for word in listed[1:])
        if name in self.parents:
            raise _fault(start, f"variable '{_short(name)}' has two blocks of probabilities")
        if name in parents or len(set(parents)) != len(parents):
            raise _fault(start, f"variable '{_short(name)}' is its own parent, or has one parent twice")
        self.parents[name] = parents
        self.tables[name] = self._read_table(words, start, name, parents)

    def _read_table(self, words: _Words, start: _Word, name: str, parents: Sequence[str]) -> Floats | None:
        shape = tuple(len(self.states[each]) for each in (*parents, name))
        self.cells += prod(shape)
        if len(parents) > MAX_PARENTS or self.cells > MAX_CELLS:
            raise _fault(start, f"variable '{_short(name)}' has too many parents: its table would not fit in memory")
        table = np.full(shape, np.nan)
        default: Floats | None = None
        anything = False
        words.expect("{")
        while not ((word := words.next()).text == "}" and not word.quoted):
            if word.text == "property":
                words.until(";")
                continue
            anything = True
            if word.text == "table":
                # the variable's own states change slowest, as in the format's description
                values = _numbers(words, word, prod(shape)).reshape(shape[-1], *shape[:-1])
                table[...] = np.moveaxis(values, 0, -1)
            elif word.text == "default":
                default = _numbers(words, word, shape[-1])
            elif word.text == "(":
                cell = self._configuration(words, word, parents)
                table[cell] = _numbers(words, word, shape[-1])
            else:
                raise _fault(word, f"'{_short(word.text)}' where 'table', 'default' or '(' was expected")
        if not anything:
            return None
        if default is not None:
            table[np.isnan(table[..., 0])] = default
        return _probabilities(table, start, name)

    def _configuration(self, words: _Words, start: _Word, parents: Sequence[str]) -> tuple[int, ...]:
        listed, _ = words.until(")")
        if len(listed) != len(parents):
            raise _fault(start, f"{len(listed)} states for {len(parents)} parents")
        cell = []
        for word, parent in zip(listed, parents, strict=True):
            if word.text not in self.states[parent]:
                known = did_you_mean(word.text, self.states[parent])[:-1]
                raise _fault(word, f"variable '{_short(parent)}' has no state '{_short(word.text)}'. {known}")
            cell.append(self.states[parent].index(word.text))
        return tuple(cell)

    def variables(self) -> list[BifVariable]:
        return [
            BifVariable(name=name, states=states, parents=self.parents.get(name, ()), table=self.tables.get(name))
            for name, states in self.states.items()
        ]


def _numbers(words: _Words, start: _Word, expected: int) -> Floats:
    listed, _ = words.until(";")
    if len(listed) != expected:
        raise _fault(start, f"{len(listed)} probabilities where {expected} were expected")
    values = []
    for word in listed:
        try:
            value = float(word.text)
        except ValueError:
            raise _fault(word, f"'{_short(word.text)}' is no probability") from None
        if not isfinite(value) or not 0 <= value <= 1 + _ROUNDING:
            raise _fault(word, f"'{_short(word.text)}' is no probability: they lie between 0 and 1")
        values.append(value)
    return np.array(values)


def _probabilities(table: Floats, start: _Word, name: str) -> Floats:
    totals = table.sum(axis=-1, keepdims=True)
    if np.isnan(totals).any():
        raise _fault(start, f"variable '{_short(name)}' has no probabilities for some states of its parents")
    if (abs(totals - 1) > _ROUNDING).any():
        raise _fault(start, f"the probabilities of variable '{_short(name)}' do not add up to 1")
    return np.where(abs(totals - 1) > 1e-9, table / totals, table)  # else to the last digit what was written


def _parents_first(variables: Sequence[BifVariable]) -> tuple[BifVariable, ...]:
    """In the order given, but each after its parents. Raises ModelFileError where there is a cycle."""
    order = parents_first({variable.name: variable.parents for variable in variables})
    by_name = {variable.name: variable for variable in variables}
    return tuple(by_name[name] for name in order)


def parents_first(parents: Mapping[str, Sequence[str]]) -> list[str]:
    """Names in the order given, but each after its parents. Raises ModelFileError where there is a cycle.

    >>> parents_first({"c": ["a"], "a": []})
    ['a', 'c']
    >>> parents_first({"a": ["b"], "b": ["a"]})
    Traceback (most recent call last):
    understudy._core.errors.ModelFileError: the links a → b → a go round in a circle. A network has none.
    """
    done: dict[str, None] = {}
    for first in parents:
        path: dict[str, Iterator[str]] = {} if first in done else {first: iter(parents[first])}
        while path:  # by hand: a chain of thousands of parents is too deep for calls
            name = next(reversed(path))
            above = next((parent for parent in path[name] if parent not in done), None)
            if above is None:
                done[name] = None
                del path[name]
            elif above in path:
                circle = [*list(path)[list(path).index(above) :], above][::-1]
                raise ModelFileError(
                    f"the links {' → '.join(map(_short, circle))} go round in a circle. A network has none."
                )
            else:
                path[above] = iter(parents[above])
    return list(done)
