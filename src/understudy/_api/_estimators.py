"""The estimator form, after scikit-learn: the constructor stores, `fit` returns self, learnt attributes end in `_`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Self

from understudy._api._fit import Progress, fit_model
from understudy._api._settings import Number, SchemaLike, check_run
from understudy._core.errors import OptionError
from understudy.methods import method_named
from understudy.privacy import Ledger, make_budget
from understudy.release import Answer, Kind, PublishedModel, Statement
from understudy.schema import Schema
from understudy.tables import open_source


class Estimator:
    """What all estimators share. A subclass names its method and lists its options.

    >>> PrivBayes(epsilon=1.0, k=2)
    PrivBayes(epsilon=1.0, k=2)
    """

    _method: ClassVar[str]
    _usual: ClassVar[Mapping[str, Any]]
    """What options are unless given, for a short repr."""

    def __init__(
        self,
        options: Mapping[str, Any],
        *,
        epsilon: Number,
        delta: Number | None,
        neighbours: str,
        seed: int | None,
        noise: str,
        ledger: Ledger | str | os.PathLike[str] | None,
        dataset: str | None,
        cap: Number | None,
        delta_cap: Number | None,
        trust_draft: bool,
        diagnostic: str | None,
    ) -> None:
        make_budget(epsilon, delta)
        method_named(self._method, **options)
        self._options = dict(options)
        self.epsilon, self.delta, self.neighbours = epsilon, delta, neighbours
        self.seed, self.noise, self.trust_draft, self.diagnostic = seed, noise, trust_draft, diagnostic
        self.ledger, self.dataset, self.cap, self.delta_cap = ledger, dataset, cap, delta_cap
        self._kind: Kind = "pyarrow"
        self._model: PublishedModel | None = None

    def __repr__(self) -> str:
        changed = {"delta": self.delta, **self._options, "seed": self.seed}
        shown = [
            f"{key}={value!r}" for key, value in changed.items() if value is not None and self._usual.get(key) != value
        ]
        return f"{type(self).__name__}({', '.join([f'epsilon={self.epsilon!r}', *shown])})"

    def fit(self, table: object, schema: SchemaLike, *, progress: Progress | None = None) -> Self:
        """Learn a model of the table; spends the whole budget."""
        settings = check_run(
            schema=schema,
            epsilon=self.epsilon,
            delta=self.delta,
            method=self._method,
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
        source = open_source(table)
        self._model = fit_model(source, settings, progress=progress, note="fit")
        self._kind = source.kind if source.kind in ("pandas", "polars") else "pyarrow"
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


class PrivBayes(Estimator):
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

    _method = "privbayes"
    _usual: ClassVar[Mapping[str, Any]] = {
        "score": "auto",
        "encoding": "auto",
        "theta": 4,
        "beta": 0.3,
        "postprocessing": "consistent",
    }

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
        postprocessing: str = "consistent",
        seed: int | None = None,
        noise: str = "exact",
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        cap: Number | None = None,
        delta_cap: Number | None = None,
        trust_draft: bool = False,
        diagnostic: str | None = None,
    ) -> None:
        options = {
            "score": score,
            "encoding": encoding,
            "k": k,
            "theta": theta,
            "beta": beta,
            "max_candidates": max_candidates,
            "postprocessing": postprocessing,
        }
        super().__init__(
            options, epsilon=epsilon, delta=delta, neighbours=neighbours, seed=seed, noise=noise, ledger=ledger,
            dataset=dataset, cap=cap, delta_cap=delta_cap, trust_draft=trust_draft, diagnostic=diagnostic,
        )  # fmt: skip


class PrivABN(Estimator):
    """PrivABN, repaired: a network grown by blocks of attributes, made for wide tables.

    Unit: one row. Neighbours: replace-one, unless add-remove is chosen. Bound: `epsilon` (and `delta` where it is
    given) for everything the fitted model ever says. Source: Lan et al. 2021, repaired.

    >>> import pyarrow as pa
    >>> table = pa.table({"bread": ["no", "yes"] * 500, "milk": ["no", "yes"] * 500})
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("bread", "milk")]
    >>> PrivABN(epsilon=1.0).fit(table, {"fields": fields}).sample(10).num_rows
    10
    """

    _method = "privabn"
    _usual: ClassVar[Mapping[str, Any]] = {
        "variant": "blocks",
        "score": "auto",
        "encoding": "auto",
        "beta": 0.3,
        "stop": False,
    }

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number | None = None,
        neighbours: str = "replace-one",
        variant: str = "blocks",
        score: str = "auto",
        encoding: str = "auto",
        k: int | None = None,
        theta: float | None = None,
        beta: float = 0.3,
        max_candidates: int | None = None,
        stop: bool = False,
        seed: int | None = None,
        noise: str = "exact",
        ledger: Ledger | str | os.PathLike[str] | None = None,
        dataset: str | None = None,
        cap: Number | None = None,
        delta_cap: Number | None = None,
        trust_draft: bool = False,
        diagnostic: str | None = None,
    ) -> None:
        options = {
            "variant": variant,
            "score": score,
            "encoding": encoding,
            "k": k,
            "theta": theta,
            "beta": beta,
            "max_candidates": max_candidates,
            "stop": stop,
        }
        super().__init__(
            options, epsilon=epsilon, delta=delta, neighbours=neighbours, seed=seed, noise=noise, ledger=ledger,
            dataset=dataset, cap=cap, delta_cap=delta_cap, trust_draft=trust_draft, diagnostic=diagnostic,
        )  # fmt: skip


class HPPrivBayes(Estimator):
    """HPPrivBayes, repaired: sensitive columns and values are protected better than others.

    Unit: one row. Neighbours: replace-one, unless add-remove is chosen. Bound: `epsilon` for any change of a row; for
    changes of sensitive columns alone less, as `statement_.protection` lists. Source: Deng 2025, repaired.

    >>> import pyarrow as pa
    >>> table = pa.table({"smokes": ["no", "yes"] * 500, "hiv": ["no"] * 999 + ["yes"]})
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("smokes", "hiv")]
    >>> model = HPPrivBayes(epsilon=1.0, sensitive="hiv").fit(table, {"fields": fields})
    >>> [str(line.promised) for line in model.statement_.protection if line.attributes == ("hiv",)]
    ['1/4']
    """

    _method = "hpprivbayes"
    _usual: ClassVar[Mapping[str, Any]] = {
        "sensitive": (),
        "weights": "declared",
        "companions": 0,
        "score": "auto",
        "theta": 4,
    }

    def __init__(
        self,
        *,
        epsilon: Number,
        delta: Number | None = None,
        neighbours: str = "replace-one",
        sensitive: str | Sequence[str] = (),
        L1: float | None = None,
        L2: float | None = None,
        L3: float | None = None,
        r: float | None = None,
        weights: str = "declared",
        companions: int = 0,
        score: str = "auto",
        k: int | None = None,
        theta: float = 4,
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
        options = {
            "sensitive": (sensitive,) if isinstance(sensitive, str) else tuple(sensitive),
            "L1": L1, "L2": L2, "L3": L3, "r": r,
            "weights": weights,
            "companions": companions,
            "score": score,
            "k": k,
            "theta": theta,
            "max_candidates": max_candidates,
        }  # fmt: skip
        super().__init__(
            options, epsilon=epsilon, delta=delta, neighbours=neighbours, seed=seed, noise=noise, ledger=ledger,
            dataset=dataset, cap=cap, delta_cap=delta_cap, trust_draft=trust_draft, diagnostic=diagnostic,
        )  # fmt: skip
