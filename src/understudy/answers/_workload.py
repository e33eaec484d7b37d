"""A workload over a declared schema: what is asked, as linear queries about tables, in the order of asking."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from math import lcm, prod
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from understudy._core.errors import OptionError
from understudy.answers._lines import EXAMPLE, Line
from understudy.privacy import MOST_PARTS, LinearQueries
from understudy.release import Term, find_field, parse_question, read_conditions, terms_to_conditions
from understudy.schema import Domain, Marginal, Schema

Floats: TypeAlias = npt.NDArray[np.float64]
Ints: TypeAlias = npt.NDArray[np.int64]

MOST_ANSWERS = 1_000_000
MOST_CELLS = 1 << 24
"""Cells of a table that some query needs: 128 MiB as doubles."""
_MOST_FAULTS = 10
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.<> ")


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearQuery:
    """Linear queries of one's own: weights between 0 and 1 for each cell of the table over some columns.

    `weights` has one row for each query and one column for each cell, the last column's values running fastest.

    >>> LinearQuery(columns=("sex",), weights=np.array([[0.5, 1.0]])).names
    ('linear 1',)
    """

    columns: tuple[str, ...]
    weights: Floats
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        weights = np.atleast_2d(np.asarray(self.weights, dtype=np.float64))
        object.__setattr__(self, "weights", weights)
        object.__setattr__(self, "columns", tuple(self.columns))
        names = tuple(self.names) or tuple(f"linear {i + 1}" for i in range(len(weights)))
        if len(names) != len(weights):
            raise OptionError(f"{len(weights)} linear queries need as many names. Got {len(names)}.")
        object.__setattr__(self, "names", names)


@dataclass(frozen=True, kw_only=True, eq=False)
class Workload:
    """Everything that is asked, in order: names and texts of the queries, and batches of them by table.

    >>> fields = [{"name": "sex", "categories": ["F", "M"]}, {"name": "ill", "categories": ["no", "yes"]}]
    >>> schema = Schema.from_dict({"fields": fields})
    >>> workload = make_workload([Line.of("sex=F, ill=yes", where="1"), Line.of("table(ill)", where="2")], schema)
    >>> workload.texts, [len(batch) for batch in workload.batches]
    (('sex=F, ill=yes', 'ill=no', 'ill=yes'), [2, 1])
    """

    schema: Schema
    names: tuple[str, ...]
    texts: tuple[str, ...]
    batches: tuple[LinearQueries, ...]
    places: tuple[Ints, ...]
    """For each batch, which of the queries in order its own are."""

    def __len__(self) -> int:
        return len(self.texts)

    @property
    def domain(self) -> Domain:
        """The public domain of the columns."""
        return self.schema.domain

    @cached_property
    def marginals(self) -> tuple[Marginal, ...]:
        """The tables that are asked about, each once."""
        return tuple(dict.fromkeys(batch.marginal for batch in self.batches))

    def in_order(self, by_batch: Sequence[npt.NDArray[np.generic]]) -> npt.NDArray[np.generic]:
        """Values for each query of each batch, put into the order of asking."""
        flat = np.concatenate([np.asarray(values) for values in by_batch])
        found = np.empty_like(flat)
        found[np.concatenate(self.places)] = flat
        return found


def make_workload(lines: Sequence[Line | LinearQuery], schema: Schema, linear: Sequence[LinearQuery] = ()) -> Workload:
    """The workload that lines of text and linear queries of one's own make over a schema, in order; `linear` come last.

    Every line is looked at before anything is refused: the error names all lines that are wrong, up to ten.
    """
    faults: list[str] = []
    asked: list[_Asked] = []
    for line in lines:
        if isinstance(line, LinearQuery):
            asked.append(_given(line, schema))
            continue
        try:
            asked.append(_read(line, schema))
        except OptionError as error:
            faults.append(f"{line.where}: {error}")
            if len(faults) == _MOST_FAULTS:
                break
    if faults:
        raise OptionError("\n".join(faults))
    asked += [_given(given, schema) for given in linear]
    total = sum(len(one.texts) for one in asked)
    if total > MOST_ANSWERS:
        raise OptionError(f"the workload asks for {total:,} numbers; at most {MOST_ANSWERS:,} are allowed. Split it.")
    return _gathered(asked, schema)


@dataclass(frozen=True, kw_only=True, eq=False)
class _Asked:
    """What one line asks: its queries, or for a single count the weights along each axis."""

    names: list[str]
    texts: list[str]
    marginal: Marginal
    batch: LinearQueries | None = None
    weights: tuple[Floats, ...] = ()


def _read(line: Line, schema: Schema) -> _Asked:
    return _read_table(line, schema) if line.kind == "table" else _read_count(line, schema)


def _read_count(line: Line, schema: Schema) -> _Asked:
    if not line.text:
        raise OptionError(f"the query is empty. {EXAMPLE}")
    evidence = read_conditions(schema, line.text).evidence
    if not evidence:
        raise OptionError(f"the query has no condition. {EXAMPLE}")
    marginal = _marginal(evidence, schema)
    weights = tuple(evidence[a] for a in marginal.attributes)
    return _Asked(names=[line.name or line.text], texts=[line.text], marginal=marginal, weights=weights)


def _read_table(line: Line, schema: Schema) -> _Asked:
    question = parse_question(line.text)
    asked = sorted(find_field(schema, name) for name in question.names)
    if len(set(asked)) != len(asked):
        raise OptionError("the table names a column twice. Name each once.")
    given = terms_to_conditions(schema, question.terms).evidence
    if not set(asked).isdisjoint(given):
        raise OptionError("a column of the table has a condition, too. Name it on one side of '|' only.")
    marginal = _marginal([*asked, *given], schema)
    n_cells = Marginal.of(*asked).n_cells(schema.domain)
    if n_cells > MOST_ANSWERS:
        raise OptionError(f"the table has {n_cells:,} cells; at most {MOST_ANSWERS:,} are allowed. Name fewer columns.")
    texts = list(_cell_texts(schema, asked, [_condition(term) for term in question.terms]))
    name = line.name or f"table({line.text})"
    batch = None if given else LinearQueries.cells(marginal, schema.domain)
    if given:
        codes = np.indices([schema.domain[a].size for a in asked]).reshape(len(asked), -1)
        along = {a: np.eye(schema.domain[a].size)[codes[i]] for i, a in enumerate(asked)}
        along |= {a: np.tile(weights, (n_cells, 1)) for a, weights in given.items()}
        batch = _products(marginal, schema.domain, [along[a] for a in marginal.attributes])
    return _Asked(names=[name] * n_cells, texts=texts, marginal=marginal, batch=batch)


def _given(given: LinearQuery, schema: Schema) -> _Asked:
    asked = [find_field(schema, name) for name in given.columns]
    if len(set(asked)) != len(asked) or not asked:
        raise OptionError("linear queries must name each of their columns once, and at least one.")
    marginal, shape = _marginal(asked, schema), [schema.domain[a].size for a in asked]
    if given.weights.shape[1] != prod(shape):
        raise OptionError(
            f"linear queries over {', '.join(given.columns)} need {prod(shape):,} weights each, one for each cell. "
            f"Got {given.weights.shape[1]:,}."
        )
    order = np.argsort(asked)  # tables have their columns in the order of the schema
    sorted_weights = given.weights.reshape(-1, *shape).transpose(0, *(order + 1)).reshape(len(given.weights), -1)
    batch = LinearQueries.weighted(marginal, schema.domain, sorted_weights)
    return _Asked(names=list(given.names), texts=list(given.names), marginal=marginal, batch=batch)


def _marginal(attributes: Iterable[int], schema: Schema) -> Marginal:
    marginal = Marginal.of(*sorted(attributes))
    if marginal.n_cells(schema.domain) > MOST_CELLS:
        raise OptionError(
            f"the query needs a table of {marginal.n_cells(schema.domain):,} cells, more than the {MOST_CELLS:,} that "
            "are allowed. Name fewer columns in one query."
        )
    return marginal


def _gathered(asked: Sequence[_Asked], schema: Schema) -> Workload:
    """Counts about the same table are put into one batch; tables and linear queries are one each."""
    names: list[str] = []
    texts: list[str] = []
    batches: list[LinearQueries] = []
    places: list[Ints] = []
    counts: dict[Marginal, list[tuple[int, tuple[Floats, ...]]]] = {}
    for one in asked:
        first = len(texts)
        names += one.names
        texts += one.texts
        if one.batch is None:
            counts.setdefault(one.marginal, []).append((first, one.weights))
        else:
            batches.append(one.batch)
            places.append(np.arange(first, len(texts)))
    for marginal, members in counts.items():
        along = [np.stack([weights[axis] for _, weights in members]) for axis in range(len(marginal.axes))]
        batches.append(_products(marginal, schema.domain, along))
        places.append(np.array([place for place, _ in members], dtype=np.int64))
    return Workload(schema=schema, names=tuple(names), texts=tuple(texts), batches=tuple(batches), places=tuple(places))


def _products(marginal: Marginal, domain: Domain, weights: Sequence[Floats]) -> LinearQueries:
    """Queries from weights along each axis, as integers over denominators that stay small in their product."""
    partial = [bool(((given != 0) & (given != 1)).any()) for given in weights]
    room = int(MOST_PARTS ** (1 / max(sum(partial), 1)))
    numerators, denominators = [], np.ones(len(weights[0]), dtype=np.int64)
    for given, cut in zip(weights, partial, strict=True):
        parts = _common_parts(given, room) if cut else 1
        numerators.append(np.rint(given * parts).astype(np.int64))
        denominators *= parts
    return LinearQueries.products(marginal, domain, numerators, denominators)


def _common_parts(weights: Floats, most: int) -> int:
    """A denominator for all of these weights: their common one if it is small enough, else the largest allowed."""
    common = 1
    for weight in np.unique(weights):
        common = lcm(common, Fraction(float(weight)).limit_denominator(most).denominator)
        if common > most:
            return most
    return common


def _cell_texts(schema: Schema, asked: Sequence[int], conditions: Sequence[str]) -> Iterator[str]:
    fields = [schema.fields[attribute] for attribute in asked]
    names = [_word(field.name) for field in fields]
    for labels in product(*([_word(label) for label in field.labels] for field in fields)):
        cell = [f"{name}={label}" for name, label in zip(names, labels, strict=True)]
        yield ", ".join([*cell, *conditions])


def _condition(term: Term) -> str:
    value = f"'{term.value.text}'" if term.value.quoted else term.value.text
    return f"{_word(term.name)}={value}"


def _word(text: str) -> str:
    """A name or label as a query takes it: in quotes where it holds anything odd."""
    if text and set(text) <= _PLAIN and ".." not in text and text == text.strip():
        return text
    return f"'{text}'" if "'" not in text else f'"{text}"'
