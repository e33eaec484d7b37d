"""The published model: what a reader of a release can sample from, ask, save, export and draw. All of it is free."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from understudy._core.errors import OptionError, UserError
from understudy._core.files import write_bytes
from understudy._core.notebooks import card
from understudy._core.numbers import whole_number
from understudy._core.randomness import Streams, streams
from understudy.models import DrawsItself, DrawsRows, HasNetwork, Saves, rows_that_keep, unknown_rules
from understudy.release._answer import Answer, numbers_of
from understudy.release._apart import never_together
from understudy.release._archive import pack, read_archive
from understudy.release._asked_order import bins_in_order, order_evidence, refuse_disorder
from understudy.release._asking import parse_question
from understudy.release._codec import from_archive, to_archive
from understudy.release._conditions import (
    Where,
    find_field,
    read_conditions,
    refuse_cut_values,
    terms_to_conditions,
)
from understudy.release._functions import asks_for_numbers
from understudy.release._number_answer import NumberAnswer
from understudy.release._number_words import parts_given
from understudy.release._numbers_asked import answer_numbers
from understudy.release._parts import part_rows, write_parts
from understudy.release._rows_noise import ask
from understudy.release._statement import Statement
from understudy.schema import Marginal, Schema, order_checks

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    from understudy.tables import InOrderDraw, Inside

Kind = Literal["pandas", "polars", "pyarrow"]
BATCH_ROWS = 1 << 18
_MAX_CELLS = 1_000_000
# Values take ten times the memory of codes: few at a time beside the whole, if that is not too few to be quick.
_LEAST_CELLS, _MOST_CELLS, _PARTS = 1 << 18, 1 << 21, 16
_MANY_ROWS = 10_000_000
MOST_ROWS = 10**12  # months of drawing: a slip of the keyboard


@dataclass(frozen=True, eq=False, repr=False)
class PublishedModel:
    """A fitted model with its schema and privacy statement. Everything it does is post-processing, hence free.

    >>> import pyarrow as pa
    >>> from understudy import PrivBayes
    >>> table = pa.table({"sex": ["F", "M"] * 500, "smokes": ["no", "no", "yes", "no"] * 250})
    >>> fields = [{"name": "sex", "categories": ["F", "M"]}, {"name": "smokes", "categories": ["no", "yes"]}]
    >>> model = PrivBayes(epsilon=5).fit(table, {"name": "people", "fields": fields}).model_
    >>> set(model.sample(100, where={"smokes": "yes"}, kind="pyarrow")["smokes"].to_pylist())
    {'yes'}
    >>> answer = model.query("sex | smokes=yes")
    >>> answer.columns, answer.labels
    (('sex',), (('F', 'M'),))
    """

    schema: Schema
    model: Saves
    statement: Statement

    def __repr__(self) -> str:
        return f"PublishedModel({self.statement.summary()}, columns={len(self.schema.fields)})"

    def _repr_html_(self) -> str:
        names = self.schema.names
        listed = ", ".join(names[:12]) + (f" and {len(names) - 12:,} more" if len(names) > 12 else "")
        rows = [*self.statement.facts(), (f"{len(names):,} columns", listed)]
        notes = ["sample(100) draws rows, query('mean(x) | y=z') answers questions: both are free."]
        return card(f"Model of {self.statement.dataset}", rows, notes=notes, warning=self.statement.stamp)

    def sample(
        self,
        n: int | None = None,
        *,
        where: Where = None,
        seed: int | None = None,
        independent: bool = False,
        kind: Kind = "pandas",
        compact: bool = False,
        types: Mapping[str, Any] | None = None,
    ) -> Any:
        """A synthetic table of `n` rows (as many as the original by default), as the wanted kind of dataframe.

        `where` fixes columns: `{"sex": "Female", "age": (30, 40), "education": ["BA", "MA"]}`, or text such as
        `"sex=Female, age=30..40"`. Rows are drawn from the exact conditional distribution. A seed makes the sample
        repeatable; that has no bearing on privacy. By default the sample has low variance; `independent=True` draws
        every row on its own. Column types follow from the schema; with `compact`, categories are a categorical type
        (in order where declared), and whole numbers as small as their domain allows, in pandas and polars. `types`, the
        column types of a pandas DataFrame by name, are given to columns whose domain they hold.
        """
        import pyarrow as pa

        from understudy.tables import to_kind

        batches = list(self.sample_batches(n, where=where, seed=seed, independent=independent))
        return to_kind(pa.Table.from_batches(batches), kind, schema=self.schema, compact=compact, types=types)

    def sample_batches(
        self,
        n: int | None = None,
        *,
        where: Where = None,
        seed: int | None = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
    ) -> Iterator[pa.RecordBatch]:
        """The same as Arrow batches, in constant memory. There is at least one batch, so that types are known."""
        source = streams(None if seed is None else whole_number(seed, "seed"))
        return self._batches(self._wanted(n), source, where=where, independent=independent, batch_rows=batch_rows)

    def sample_part(
        self,
        part: int,
        parts: int,
        n: int | None = None,
        *,
        seed: int,
        where: Where = None,
        independent: bool = False,
        batch_rows: int = BATCH_ROWS,
        coded: bool = False,
    ) -> Iterator[pa.RecordBatch]:
        """One of `parts` parts of a sample of `n` rows, as Arrow batches: for drawing them in several places at a time.

        Parts differ by one row in size at most. Each is drawn from a stream of its own, which follows from the seed and
        the part's number, so that together they are a sample, and each comes out the same wherever it is drawn. Of a
        sample of ten million rows and more, each row is drawn on its own: low variance is then worth less than it
        costs. `coded` has texts as codes with a dictionary.
        """
        part, parts = whole_number(part, "part"), whole_number(parts, "parts", least=1)
        if part >= parts:
            raise OptionError(f"the parts of a sample are numbered from 0 to {parts - 1}. Got {part} instead.")
        wanted = self._wanted(n)
        source = streams(whole_number(seed, "seed")).part(part)
        return self._batches(
            part_rows(wanted, parts)[part],
            source,
            where=where,
            independent=independent or wanted >= _MANY_ROWS,
            batch_rows=batch_rows,
            coded=coded,
        )

    def sample_spark(
        self,
        spark: Any,
        n: int | None = None,
        *,
        partitions: int | None = None,
        where: Where = None,
        seed: int | None = None,
        independent: bool = False,
    ) -> Any:
        """A synthetic table as a DataFrame of this Spark session (classic or Connect), drawn by its workers.

        Each partition is drawn from a stream of its own; a task that runs twice draws the same rows, and so does the
        DataFrame each time that it is used. Workers need understudy too.
        """
        from understudy.release._spark import sample_on_spark

        return sample_on_spark(
            self, spark, self._wanted(n), partitions=partitions, where=where, seed=seed, independent=independent
        )

    def _wanted(self, n: int | None) -> int:
        wanted = self.statement.n_rows if n is None else whole_number(n, "n")
        if wanted > MOST_ROWS:
            raise OptionError(f"The 'n' parameter must be at most {MOST_ROWS:,} rows. Got {wanted:,} instead.")
        return wanted

    def _batches(
        self, wanted: int, source: Streams, *, where: Where, independent: bool, batch_rows: int, coded: bool = False
    ) -> Iterator[pa.RecordBatch]:
        from understudy.tables import InOrderDraw, decode_batch

        if not isinstance(self.model, DrawsRows):
            raise OptionError(
                f"this model is of kind '{self.model.kind}', which draws no rows. Ask it with a query instead."
            )
        conditions = read_conditions(self.schema, where)
        refuse_disorder(self.schema, conditions.regions)
        refuse_cut_values(conditions)
        schema = conditions.drawing_schema
        in_order = self._in_order
        if conditions.regions:
            tilted = replace(conditions, schema=self._inside.tilted(self.schema)).drawing_schema
            in_order = InOrderDraw.of(schema, self._inside, tilted)
        rng = source.get("inside bins")
        model, evidence = self.model, conditions.evidence or None

        def draw(rows: int, coins: Streams) -> Iterator[list[Any]]:
            return model.sample_codes(
                rows, streams=coins, evidence=evidence, independent=independent, batch_rows=batch_rows
            )

        # values that a condition cuts off may leave none in order; and models of others may not know of rules
        checks = [*(order_checks(schema) if conditions.choices else ()), *unknown_rules(model)]
        empty = True
        for columns in rows_that_keep(draw, wanted, checks, streams=source, batch_rows=batch_rows):
            empty = False
            for few in _parts(columns, wanted):
                yield decode_batch(schema, few, rng, coded=coded, in_order=in_order)
            del columns, few  # before the next are drawn
        if empty:
            yield decode_batch(schema, _no_rows(len(schema.fields)), rng, coded=coded, in_order=in_order)

    @cached_property
    def _in_order(self) -> InOrderDraw:
        """How columns in a declared order are drawn where there is no condition."""
        from understudy.tables import InOrderDraw

        return InOrderDraw.of(self.schema, self._inside)

    @cached_property
    def _inside(self) -> Inside:
        """What the model's tables tell of values inside the bins of columns in a declared order."""
        from understudy.tables import find_inside

        def together(lower: int, upper: int) -> npt.NDArray[np.float64] | None:
            try:
                return self.model.marginal(Marginal.of(lower, upper), errors=False).probabilities
            except UserError:  # too large a table: in order they are drawn all the same
                return None

        return find_inside(self.schema, together)

    def sample_to(
        self,
        path: str | os.PathLike[str],
        n: int | None = None,
        *,
        partitions: int,
        where: Where = None,
        seed: int | None = None,
        independent: bool = False,
        overwrite: bool = False,
    ) -> int:
        """Writes a sample as a folder of so many Parquet files, in constant memory; the number of rows written.

        The folder appears once it is whole. Parts are those of `sample_part`, for a seed and without one.
        """
        sampling: dict[str, Any] = {"where": where, "seed": seed, "independent": independent}
        rows = None if n is None else whole_number(n, "n")
        return write_parts(Path(path), self, partitions=partitions, n_rows=rows, overwrite=overwrite, **sampling)

    def query(self, text: str) -> Answer | NumberAnswer:
        """Exact probabilities under the model, such as `"income, sex | age=30..40, education=Bachelors/Masters"`.

        Or numbers: `"mean(income), quantile(income, 0.9) | sex=Female"`, with `median`, `sd`, `variance`, `sum`,
        `count` and `share(age > 30)` likewise. The error bars say how far the noise may have moved an answer.
        """
        if not isinstance(text, str):
            raise OptionError(
                f"a query is text, such as 'income, sex | age=30..40'. Got {type(text).__name__} instead."
            )
        if asks_for_numbers(text, self.schema.names):
            return answer_numbers(text, self.schema, self.model, self.statement)
        question = parse_question(text, names=self.schema.names)
        asked = [find_field(self.schema, name) for name in question.names]
        if len(set(asked)) != len(asked):
            raise OptionError("the query names a column twice before '|'. Name each once.")
        conditions = terms_to_conditions(self.schema, question.terms)
        conditions.check()
        refuse_disorder(self.schema, conditions.regions)
        marginal = Marginal.of(*asked)
        n_cells = marginal.n_cells(self.schema.domain)
        if n_cells > _MAX_CELLS:
            raise OptionError(
                f"the answer would have {n_cells:,} rows. Ask for fewer columns, or sample rows and count them."
            )
        estimate = ask(self.model, self.statement, asked, order_evidence(self.schema, conditions.regions))
        fields = [self.schema.fields[attribute] for attribute in asked]
        return Answer(
            question=text,
            columns=tuple(field.name for field in fields),
            labels=tuple(field.labels for field in fields),
            numbers=tuple(numbers_of(field) for field in fields),
            probabilities=estimate.probabilities,
            standard_error=estimate.standard_error,
            low=estimate.low,
            high=estimate.high,
            stamp=self.statement.stamp,
            notes=(
                *parts_given(self.model, conditions.regions, asked),
                *bins_in_order(self.schema, {}, conditions.regions, by_code=asked),
                *never_together(self.model, self.schema, asked, conditions.regions),
            ),
        )

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file, whole or not at all. The same model always makes the same bytes."""
        write_bytes(Path(path), pack(to_archive(self.schema, self.model, self.statement)))

    def to_bif(self) -> str:
        """The network in the Bayesian Interchange Format, for bnlearn, pgmpy and others; a stamp is its first line."""
        from understudy.models import to_bif

        stamp = self.statement.stamp
        return to_bif(self._network, self._labels(), remarks=() if stamp is None else (stamp,))

    def to_pgmpy(self) -> Any:
        """The network as a pgmpy `DiscreteBayesianNetwork` (needs `pip install understudy[pgmpy]`)."""
        from understudy.models import to_pgmpy

        return self._with_stamp(to_pgmpy(self._network, self._labels()))

    def to_networkx(self) -> Any:
        """The network as a networkx `DiGraph` (needs `pip install understudy[networkx]`).

        States have their labels. Without a guarantee the stamp is in `graph["stamp"]`.
        """
        from understudy.models import to_networkx

        return self._with_stamp(to_networkx(self._network, self._labels()))

    @property
    def draws_itself(self) -> bool:
        """Whether there is a drawing of the model: of a network there is."""
        return isinstance(self.model, DrawsItself)

    def draw(self, path: str | os.PathLike[str]) -> None:
        """Write a drawing of the model as an SVG file."""
        write_bytes(Path(path), self.to_svg().encode())

    def to_svg(self) -> str:
        """A drawing of the model."""
        if not isinstance(self.model, DrawsItself):
            raise OptionError(f"this model is of kind '{self.model.kind}', and there is no drawing of such.")
        title = self.statement.dataset + (f" ({self.statement.stamp})" if self.statement.stamp else "")
        return self.model.to_svg(title=title)

    @property
    def _network(self) -> HasNetwork:
        if not isinstance(self.model, HasNetwork):
            raise OptionError(
                f"this model is of kind '{self.model.kind}', so there is no network to export. Sample from it, or "
                "ask it with a query."
            )
        return self.model

    def _with_stamp(self, network: Any) -> Any:
        """The graph with the stamp among its attributes, if there is one."""
        if self.statement.stamp is not None:
            network.graph["stamp"] = self.statement.stamp
        return network

    def _labels(self) -> list[tuple[str, ...]]:
        return [field.labels for field in self.schema.fields]


def load_model(path: str | os.PathLike[str]) -> PublishedModel:
    """The model in a file that `save` or `publish` wrote. Safe on files from strangers: nothing in it is executed.

    >>> load_model("no-such-file.understudy")
    Traceback (most recent call last):
    understudy._core.errors.ModelFileError: there is no model file 'no-such-file.understudy'.
    """
    if not isinstance(path, str | os.PathLike):
        raise OptionError(f"name a model file, such as 'release/model.understudy'. Got {type(path).__name__} instead.")
    schema, model, statement = from_archive(read_archive(Path(path)))
    return PublishedModel(schema, model, statement)


def _parts(columns: Sequence[Any], wanted: int) -> Iterator[list[Any]]:
    """Slices of few enough cells to hold as values, of a table that gets so many rows."""
    n_rows = len(columns[0]) if columns else 0
    cells = min(_MOST_CELLS, max(_LEAST_CELLS, wanted * len(columns) // _PARTS))
    step = max(1024, cells // max(len(columns), 1))
    for start in range(0, max(n_rows, 1), step):
        yield [column[start : start + step] for column in columns]


def _no_rows(n_columns: int) -> list[Any]:
    import numpy as np

    return [np.zeros(0, dtype=np.uint8)] * n_columns
