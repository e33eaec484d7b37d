"""The estimator form, after scikit-learn: the constructor stores, `fit` returns self, learnt attributes end in `_`."""

from __future__ import annotations

import os
from typing import Any

from understudy._api._fit import Progress, fit_model
from understudy._api._settings import Number, SchemaLike, check_run
from understudy._core.errors import OptionError
from understudy.methods import method_named
from understudy.privacy import Ledger, make_budget
from understudy.release import Answer, Kind, PublishedModel, Statement
from understudy.schema import Schema
from understudy.tables import kind_of


class PrivBayes:
    """PrivBayes on a dataframe (pandas, polars or pyarrow) or a file.

    Unit: one row. Neighbours: replace-one, unless add-remove is chosen. Bound: `epsilon` (and `delta` where it is
    given) for everything the fitted model ever says. Source: Zhang et al., TODS 2017, with exact integer noise.

    >>> import pyarrow as pa
    >>> table = pa.table({"smokes": ["no", "yes"] * 500})
    >>> schema = {"fields": [{"name": "smokes", "categories": ["no", "yes"]}]}
    >>> model = PrivBayes(epsilon=1.0).fit(table, schema)
    >>> model.sample(10).num_rows, model.n_
    (10, 1000)
    """

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number | None = None,
        neighbours: str = "replace-one",
        score: str = "auto",
        encoding: str = "auto",
        k: int | None = None,
        theta: float = 4,
        beta: float = 0.3,
        max_candidates: int | None = None,
        seed: int | None = None,
        noise: str = "exact",
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        cap: Number | None = None,
        delta_cap: Number | None = None,
        trust_draft: bool = False,
        diagnostic: str | None = None,
    ) -> None:
        make_budget(epsilon, delta)
        self._options = {
            "score": score,
            "encoding": encoding,
            "k": k,
            "theta": theta,
            "beta": beta,
            "max_candidates": max_candidates,
        }
        method_named("privbayes", **self._options)
        self.epsilon, self.delta, self.neighbours = epsilon, delta, neighbours
        self.seed, self.noise, self.trust_draft, self.diagnostic = seed, noise, trust_draft, diagnostic
        self.ledger, self.dataset, self.cap, self.delta_cap = ledger, dataset, cap, delta_cap
        self._kind: Kind = "pyarrow"
        self._model: PublishedModel | None = None

    def __repr__(self) -> str:
        changed = {"delta": self.delta, **self._options, "seed": self.seed}
        usual = {"score": "auto", "encoding": "auto", "theta": 4, "beta": 0.3}
        shown = [f"{key}={value!r}" for key, value in changed.items() if value is not None and usual.get(key) != value]
        return f"PrivBayes({', '.join([f'epsilon={self.epsilon!r}', *shown])})"

    def fit(self, table: object, schema: SchemaLike, *, progress: Progress | None = None) -> PrivBayes:
        """Learn a model of the table; spends the whole budget."""
        settings = check_run(
            schema=schema,
            epsilon=self.epsilon,
            delta=self.delta,
            method="privbayes",
            neighbours=self.neighbours,
            ledger=self.ledger,
            dataset=self.dataset,
            cap=self.cap,
            delta_cap=self.delta_cap,
            seed=self.seed,
            noise=self.noise,
            trust_draft=self.trust_draft,
            diagnostic=self.diagnostic,
            options=self._options,
        )
        self._model = fit_model(table, settings, progress=progress, note="fit")
        kind = kind_of(table)
        self._kind = kind if kind in ("pandas", "polars") else "pyarrow"
        return self

    @property
    def model_(self) -> PublishedModel:
        """The published model: all that `fit` learnt."""
        if self._model is None:
            raise OptionError("this model has learnt nothing yet. Call fit(table, schema) first.")
        return self._model

    @property
    def statement_(self) -> Statement:
        """The privacy statement of the fit."""
        return self.model_.statement

    @property
    def schema_(self) -> Schema:
        """The schema it was fitted under."""
        return self.model_.schema

    @property
    def n_(self) -> int:
        """Number of rows, as published."""
        return self.model_.model.n

    def sample(self, n: int | None = None, *, kind: Kind | None = None, **how: Any) -> Any:
        """A synthetic table, of the kind that `fit` got unless another is named; see `PublishedModel.sample`.

        After a fit on a file it is a pyarrow table. Column types follow from the schema, not from the table fitted.
        """
        return self.model_.sample(n, kind=kind or self._kind, **how)

    generate = sample

    def query(self, text: str) -> Answer:
        """Exact probabilities under the model; see `PublishedModel.query`."""
        return self.model_.query(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file."""
        self.model_.save(path)
