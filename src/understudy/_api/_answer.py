"""`answer`: one call from a private table and a workload of queries to answers with error bars."""

from __future__ import annotations

import csv
import io
import math
import os
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Unpack

import numpy as np

from understudy._api._answer_numbers import schema_for_queries
from understudy._api._arguments import AnswerArguments
from understudy._api._fit import Progress, fit_model
from understudy._api._options import make_method, read_options, takes
from understudy._api._promised import refuse_promises
from understudy._api._publish import for_bundled
from understudy._api._settings import demo_source, resolve, terms_of
from understudy._core.drafts import draft_of
from understudy._core.errors import OptionError, OutputError
from understudy._core.files import as_output_error, exists, is_file, write_bytes
from understudy._core.formats import endings_in_words, format_of
from understudy._core.numbers import exact_number
from understudy._core.receipts import charges_noted
from understudy.answers import (
    Answered,
    Answering,
    AnsweringAsPrinted,
    AnswerSettings,
    Line,
    LinearQuery,
    Workload,
    make_workload,
    read_lines,
)
from understudy.correlate import correlated_sensitivity
from understudy.methods import Method, read_method
from understudy.options import AnswerOptions
from understudy.privacy import PrivacyWarning
from understudy.release import PublishedModel, Statement, json_bytes, privacy_letter, stamped_path, write_table
from understudy.schema import SchemaLike, read_schema
from understudy.tables import open_source

_PLACE = Line.of("", where="")  # stands for a linear query while lines are numbered
COLUMNS = ("name", "query", "answer", "count", "low", "high", "how")


@dataclass(frozen=True, kw_only=True, repr=False)
class Answers:
    """Answers to a workload with what they rest on: what `answer` returns.

    `answered` has them as arrays of shares; `rows()` as mappings; `model` is the distribution behind them.
    """

    answered: Answered
    model: PublishedModel
    files: tuple[Path, ...]

    def __repr__(self) -> str:
        return f"Answers({len(self.answered.how):,} queries, {self.statement.summary()})"

    @property
    def statement(self) -> Statement:
        """The privacy statement."""
        return self.model.statement

    def rows(self) -> list[dict[str, Any]]:
        """One mapping a query, as the file has them: None where there is no number."""
        found, n = self.answered, self.statement.n_rows
        return [
            {
                "name": name,
                "query": text,
                "answer": _number(share),
                "count": None if math.isnan(share) else float(f"{share * n:.6g}"),
                "low": _number(low),
                "high": _number(high),
                "how": how,
            }
            for name, text, share, low, high, how in zip(
                found.workload.names, found.workload.texts, found.shares, found.low, found.high, found.how, strict=True
            )
        ]

    def to_dict(self) -> dict[str, Any]:
        """As plain JSON values."""
        return {
            "strategy": self.answered.strategy,
            "because": self.answered.because,
            "interval_covers": self.answered.covers,
            "refused": self.answered.refused,
            "files": [str(path) for path in self.files],
            "answers": self.rows(),
            "statement": self.statement.to_dict(),
        }


@takes(AnswerOptions)
def answer(
    source: object,
    queries: object,
    *,
    schema: SchemaLike | None = None,
    progress: Progress | None = None,
    **options: Unpack[AnswerArguments],
) -> Answers:
    """Answer a workload of queries about a table under differential privacy, each with an error bar.

    `queries` is a file (a CSV with a column `query`, or a text with a query a line), a list of texts, a mapping from
    names to texts, or `LinearQuery` values. All of it is checked before a row is read. With `out` the answers are
    written there, and the privacy statement beside them.

    Unit: one row, or what `unit`, `max_rows` and `groups` say. Neighbours: add-remove by default. Bound: `epsilon`,
    `delta` for all answers together, and for the model behind them.

    >>> found = answer("demo", ["sex=Female, age=20..39", "table(site)"], epsilon=1)
    >>> [row["query"] for row in found.rows()][:2], found.statement.private
    (['sex=Female, age=20..39', 'site=Dayton'], True)
    """
    asked = for_bundled(source, read_options(AnswerOptions, options))
    table, declared = demo_source(source, schema)
    lines = _read_queries(queries)
    found = read_schema(declared)
    make_workload(lines, schema_for_queries(lines, found))  # a mistake in it is told before the table is opened
    opened = open_source(table)
    ordered = schema_for_queries(lines, found.in_order_of(opened.names))
    start = _start(asked)
    refuse_promises(ordered, *(() if start is None else (start,)))
    method = _answering(make_workload(lines, ordered), asked, start)
    settings = resolve(replace(asked, method=None), ordered, method=method)
    targets = _targets(asked, settings_stamp=not settings.guarantee)
    _refuse_targets(targets.values(), overwrite=asked.overwrite)
    with charges_noted(), warnings.catch_warnings():
        # The statement carries the same warnings, and every face shows them from there.
        warnings.simplefilter("ignore", PrivacyWarning)
        model = fit_model(opened, settings, progress=progress, note="answer")
        answers = Answers(answered=method.answered, model=model, files=tuple(targets.values()))
        _write(answers, targets, asked, progress)
    return answers


def _read_queries(queries: object) -> list[Line | LinearQuery]:
    """Lines of text, and linear queries of one's own, in the order in which they were given."""
    if isinstance(queries, LinearQuery):
        return [queries]
    if not isinstance(queries, Sequence) or isinstance(queries, str):
        return [*read_lines(queries)]
    lines = read_lines([_PLACE if isinstance(one, LinearQuery) else one for one in queries])
    return [one if isinstance(one, LinearQuery) else line for one, line in zip(queries, lines, strict=True)]


def _start(asked: AnswerOptions) -> Method | None:
    """The method whose model the answers begin with."""
    if asked.start is None or asked.as_published:
        return None
    return read_method(asked.start) if isinstance(asked.start, str) else make_method(asked.start, {})


def _answering(workload: Workload, asked: AnswerOptions, start: Method | None) -> Answering:
    threshold = None if asked.threshold is None else exact_number(asked.threshold)
    settings = AnswerSettings(
        strategy=asked.strategy,  # type: ignore[arg-type]  # its declaration knows the words
        threshold=threshold,
        rate=exact_number(asked.rate),
        updates=asked.updates,
    )
    gives_model = asked.model is not None or asked.sample is not None or asked.out is None
    if asked.as_published:
        return AnsweringAsPrinted(
            workload,
            settings,
            epsilon=exact_number(asked.epsilon),
            theta0=exact_number(asked.theta0),
            sensitivity=_printed_sensitivity(asked),
            gives_model=gives_model,
        )
    share = exact_number(asked.start_share)
    return Answering(workload, settings, start=start, start_share=share, gives_model=gives_model)


def _printed_sensitivity(asked: AnswerOptions) -> float:
    """Definition 2 for a count that every row may be in: the largest sum of degrees of any row, its own included."""
    _, groups = terms_of(replace(asked, method=None))
    if groups is None or groups.links is None:
        return 1.0 if groups is None else float(groups.max_rows)
    return float(correlated_sensitivity(groups.links, np.ones((1, groups.n_rows)))[0])


def _targets(asked: AnswerOptions, *, settings_stamp: bool) -> dict[str, Path]:
    """What is to be written where: without a guarantee, NOT-PRIVATE is in the names of tables."""
    example = Statement.example(seeded=settings_stamp)
    found: dict[str, Path] = {}
    if asked.out is not None:
        out = Path(os.fspath(asked.out))
        if out.suffix.lower() != ".csv":
            raise OptionError(f"answers are written as CSV: name a file that ends in .csv, not '{out.name}'.")
        found["answers"] = out = stamped_path(out, example)
        found["statement"] = out.with_name(f"{out.stem}.privacy.json")
        found["letter"] = out.with_name(f"{out.stem}.PRIVACY.md")
    if asked.model is not None:
        found["model"] = Path(os.fspath(asked.model))
    if asked.sample is not None:
        sample = Path(os.fspath(asked.sample))
        if format_of(sample.name) is None:
            raise OutputError(f"cannot tell the format of '{sample.name}'. End the name in {endings_in_words()}.")
        found["sample"] = stamped_path(sample, example)
    if len(set(found.values())) < len(found):
        raise OptionError("two of the files to write have the same name. Name each differently.")
    return found


def _refuse_targets(targets: Any, *, overwrite: bool) -> None:
    """Refuse files that are there, or cannot be written: budget spent on what cannot be written is lost."""
    for path in targets:
        if path.name in ("", ".."):
            raise OptionError(f"'{path}' is not the name of a file.")
        if exists(path) and not (overwrite and is_file(path) and not os.path.islink(path)):
            raise OutputError(
                f"'{path}' is there already, and a plain file is replaced with --overwrite (overwrite=True) only. "
                "Choose another name."
            )
        with as_output_error(path), draft_of(path):
            pass


def _write(answers: Answers, targets: dict[str, Path], asked: AnswerOptions, progress: Progress | None) -> None:
    """Everything besides first, the answers last: where they are, all is."""
    if "model" in targets:
        answers.model.save(targets["model"])
    if "sample" in targets:
        with as_output_error(targets["sample"]):
            write_table(
                targets["sample"], answers.model, n_rows=answers.statement.n_rows, seed=asked.seed, progress=progress
            )
    if "answers" in targets:
        write_bytes(targets["statement"], json_bytes(answers.statement.to_dict()))
        write_bytes(targets["letter"], privacy_letter(answers.statement).encode())
        write_bytes(targets["answers"], _as_csv(answers))


def _as_csv(answers: Answers) -> bytes:
    text = io.StringIO()
    writer = csv.DictWriter(text, COLUMNS, lineterminator="\n")
    writer.writeheader()
    writer.writerows(answers.rows())
    return text.getvalue().encode()


def _number(share: float) -> float | None:
    return None if math.isnan(share) else float(f"{share:.8g}")
