"""The estimator form, after scikit-learn: the constructor stores, `fit` returns self, learnt attributes end in `_`."""

from __future__ import annotations

import os
from collections.abc import Mapping
from inspect import Signature
from typing import Any, ClassVar, Self, Unpack

from understudy import methods
from understudy._api._arguments import (
    AdaptiveArguments,
    HPPrivBayesArguments,
    PrivABNArguments,
    PrivBayesArguments,
)
from understudy._api._fit import Progress, fit_model
from understudy._api._options import read_arguments
from understudy._api._settings import resolve
from understudy._core.errors import OptionError
from understudy._core.notebooks import card
from understudy.methods import Method
from understudy.options import Option, RunOptions, options_of, signature_of
from understudy.release import Answer, Kind, NumberAnswer, PublishedModel, Statement
from understudy.schema import Schema, SchemaLike
from understudy.tables import open_source, remembered_types


class Estimator:
    """What all estimators share. A subclass names its method, whose declared options become its own.

    >>> PrivBayes(epsilon=1.0, k=2)
    PrivBayes(epsilon=1.0, k=2)
    """

    _method: ClassVar[type[Method]]
    _declared: ClassVar[Mapping[str, Option]]
    __signature__: ClassVar[Signature]

    def __init_subclass__(cls) -> None:
        run = [option for option in options_of(RunOptions) if option.name != "method"]
        cls._declared = {option.name: option for option in (*run[:3], *options_of(cls._method), *run[3:])}
        cls.__signature__ = signature_of(cls._declared.values())

    def __init__(self, options: Mapping[str, Any]) -> None:
        for name, option in self._declared.items():
            setattr(self, name, options.get(name, option.default))
        read_arguments(RunOptions, {**options, "method": self._method.name})
        self._kind: Kind = "pyarrow"
        self._types: Mapping[str, Any] = {}
        self._model: PublishedModel | None = None

    def __repr__(self) -> str:
        given = {name: value for name, value in self.get_params().items() if value != self._declared[name].default}
        return f"{type(self).__name__}({', '.join(f'{name}={value!r}' for name, value in given.items())})"

    def _repr_html_(self) -> str:
        if self._model is not None:
            return self._model._repr_html_()
        given = [
            (name, str(value)) for name, value in self.get_params().items() if value != self._declared[name].default
        ]
        return card(type(self).__name__, given, notes=["Nothing is learnt yet: fit(table, schema) spends the budget."])

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The options by name, as scikit-learn asks for them."""
        return {name: getattr(self, name) for name in self._declared}

    def fit(self, table: object, schema: SchemaLike, *, progress: Progress | None = None) -> Self:
        """Learn a model of the table; spends the whole budget."""
        asked = read_arguments(RunOptions, {**self.get_params(), "method": self._method.name})
        settings, source = resolve(asked, schema), open_source(table)
        self._model = fit_model(source, settings, progress=progress, note="fit")
        self._kind = source.kind if source.kind in ("pandas", "polars") else "pyarrow"
        self._types = remembered_types(table)
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
        return self.statement_.n_rows

    def sample(self, n: int | None = None, *, kind: Kind | None = None, **how: Any) -> Any:
        """A synthetic table, of the kind that `fit` got unless another is named; see `PublishedModel.sample`.

        After a fit on a file it is a pyarrow table. In pandas, columns have the types of the DataFrame fitted wherever
        these hold what the schema allows: `bool`, `int8`, `float32`, `category` (with the schema's categories, in its
        order), nullable ones (`Int8`, `boolean`) where cells may be empty. They are yours, and stay in this object; a
        type that was chosen by looking at values tells of them. `types={}`, as `model_.sample`, follows the schema.
        """
        return self.model_.sample(n, kind=kind or self._kind, **{"types": self._types, **how})

    generate = sample

    def query(self, text: str) -> Answer | NumberAnswer:
        """Exact probabilities or numbers under the model; see `PublishedModel.query`."""
        return self.model_.query(text)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file."""
        self.model_.save(path)


class Adaptive(Estimator):
    """The default method on a dataframe (pandas, polars or pyarrow) or a file: columns, then the pairs that tell most.

    Unit: one row. Neighbours: add-remove, unless replace-one is chosen. Bound: `epsilon` and `delta` (1e-9; 0 for pure
    ε) for everything the fitted model ever says. How it works: docs/adaptive.md.

    >>> import pyarrow as pa
    >>> table = pa.table({"smokes": ["no", "yes"] * 500})
    >>> schema = {"fields": [{"name": "smokes", "categories": ["no", "yes"]}]}
    >>> model = Adaptive(epsilon=1.0).fit(table, schema)
    >>> model.sample(10).num_rows, abs(model.n_ - 1000) < 500  # their number is private, so it is a noisy one
    (10, True)
    """

    _method = methods.Adaptive

    def __init__(self, **options: Unpack[AdaptiveArguments]) -> None:
        super().__init__(options)


class PrivBayes(Estimator):
    """PrivBayes on a dataframe (pandas, polars or pyarrow) or a file.

    Unit: one row. Neighbours: add-remove, unless replace-one is chosen. Bound: `epsilon` and `delta` (1e-9; 0 for pure
    ε) for everything the fitted model ever says. Source: Zhang et al., TODS 2017, with exact integer noise.

    >>> import pyarrow as pa
    >>> table = pa.table({"smokes": ["no", "yes"] * 500})
    >>> schema = {"fields": [{"name": "smokes", "categories": ["no", "yes"]}]}
    >>> model = PrivBayes(epsilon=1.0).fit(table, schema)
    >>> model.sample(10).num_rows, abs(model.n_ - 1000) < 500  # their number is private, so it is a noisy one
    (10, True)
    """

    _method = methods.PrivBayes

    def __init__(self, **options: Unpack[PrivBayesArguments]) -> None:
        super().__init__(options)


class PrivABN(Estimator):
    """PrivABN, repaired: a network grown by blocks of attributes, made for wide tables.

    Unit: one row. Neighbours: add-remove, unless replace-one is chosen. Bound: `epsilon` and `delta` (1e-9; 0 for pure
    ε) for everything the fitted model ever says. Source: Lan et al. 2021, repaired.

    >>> import pyarrow as pa
    >>> table = pa.table({"bread": ["no", "yes"] * 500, "milk": ["no", "yes"] * 500})
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("bread", "milk")]
    >>> PrivABN(epsilon=1.0).fit(table, {"fields": fields}).sample(10).num_rows
    10
    """

    _method = methods.PrivABN

    def __init__(self, **options: Unpack[PrivABNArguments]) -> None:
        super().__init__(options)


class HPPrivBayes(Estimator):
    """HPPrivBayes, repaired: sensitive columns and values are protected better than others.

    Unit: one row. Neighbours: add-remove, unless replace-one is chosen. Bound: `epsilon` and `delta` for a whole row;
    for changes of sensitive columns alone less, as `statement_.protection` lists. Source: Deng 2025, repaired.

    >>> import pyarrow as pa
    >>> table = pa.table({"smokes": ["no", "yes"] * 500, "hiv": ["no"] * 999 + ["yes"]})
    >>> fields = [{"name": name, "categories": ["no", "yes"]} for name in ("smokes", "hiv")]
    >>> strict = {"delta": 0, "neighbours": "replace-one"}
    >>> model = HPPrivBayes(epsilon=1.0, sensitive="hiv", **strict).fit(table, {"fields": fields})
    >>> [str(line.promised) for line in model.statement_.protection if line.attributes == ("hiv",)]
    ['1/4']
    """

    _method = methods.HPPrivBayes

    def __init__(self, **options: Unpack[HPPrivBayesArguments]) -> None:
        super().__init__(options)
