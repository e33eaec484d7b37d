"""Classifiers trained on synthetic rows and tested on real ones: is the table good enough to learn from?

The task of the PrivBayes paper (Section 6.1): predict one column from all others, train on synthetic rows, and count
how many of 20 % of the real rows are misclassified. Its "standard hinge-loss C-SVM with C = 1" names no kernel, so
`svm` is linear. `svm-rbf` is the HPPrivBayes paper's SVM with a radial kernel (Section 4.1), which gives accuracy: one
minus our error. `boosting` is what a practitioner would use today. Targets are columns as they are, every code a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import pyarrow as pa

from understudy._core.errors import OptionError, did_you_mean
from understudy._core.randomness import Rng, Streams, streams
from understudy.evaluation._learning import Features, area_under_curve, quiet, rows_of, scikit_learn, some_rows
from understudy.evaluation._measure import LEARNING_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Floats, Scale, scales_of
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import columns_named, points
from understudy.schema import Codes, Schema
from understudy.tables import Table

ClassifierName: TypeAlias = Literal["svm", "svm-rbf", "boosting"]
CLASSIFIERS: tuple[ClassifierName, ...] = get_args(ClassifierName)
TRAINING_ROWS: dict[ClassifierName, int] = {"svm": 10_000, "svm-rbf": 5_000, "boosting": 20_000}
TEST_ROWS = 5_000
# Support vector machines take time by rows times numbers; wide tables are trained on fewer rows.
_MOST_NUMBERS: dict[ClassifierName, int] = {"svm": 1_000_000, "svm-rbf": 500_000}
_FEWEST_TRAINING_ROWS = 1_000
_TEST_SHARE = 0.2
_FEWEST_ROWS = 10
_QUESTION = "Can one learn from it to predict a column?"
_MEASURE = "share of real rows misclassified, on average over targets"
_CALLED = {
    "svm": "a linear support vector machine",
    "svm-rbf": "a support vector machine with a radial kernel",
    "boosting": "a gradient-boosted tree model",
}


@dataclass(frozen=True)
class _Result:
    error: float
    auc: float


def default_targets(schema: Schema, *, limit: int = 3) -> tuple[str, ...]:
    """Columns that make good targets: 2 to 20 categories, fewest first, and of those the later columns first.

    >>> schema = Schema.from_dict({"fields": [{"name": "sex", "categories": ["F", "M"]},
    ...     {"name": "region", "categories": ["N", "S", "E"]}, {"name": "smoker", "type": "boolean"}]})
    >>> default_targets(schema, limit=2)
    ('smoker', 'sex')
    """
    fields = [(len(f.categories), -i, f.name) for i, f in enumerate(schema.fields) if 2 <= len(f.categories) <= 20]
    return tuple(name for _, _, name in sorted(fields)[:limit])


def measure_classification(
    pair: Pair,
    references: References,
    *,
    targets: Sequence[str] | None = None,
    holdout: Table | None = None,
    models: Sequence[ClassifierName] = CLASSIFIERS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[MeasureResult]:
    """One result for each model: how often it misclassifies real rows after training on synthetic ones.

    Beside it stand the same model trained on real rows, and one trained on independent columns; `details` has all
    three for each target, with the area under the ROC curve (averaged over classes, each against the rest)
    and the error of always guessing the most frequent class.

    Args:
        pair: the tables.
        references: of these, only the independent columns are used.
        targets: columns to predict; `default_targets` without.
        holdout: real rows that the synthetic table was made without, as codes of the pair's domain. Without them,
            20 % of the real rows are set aside for the test. The synthetic table may have seen these; the model that is
            trained on real rows has not.
        models: which of svm, svm-rbf and boosting.
        seed: the same seed draws the same rows.
        progress: called with what is being done, how much of it is done, and how much there is.

    Raises:
        OptionError: for an unknown column or model, a target that is constant, or if scikit-learn is not installed.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"]})
    >>> same = pa.table({"a": [True, False] * 50, "b": [True, False] * 50})
    >>> pair = read_pair(same, same, schema)
    >>> [(one.name, one.value) for one in measure_classification(pair, make_references(pair), models=["svm"])]
    [('classification: svm', 0.0)]
    """
    _check_models(models)
    _check_holdout(pair, holdout)
    chosen = check_targets(pair, targets)
    if why := _hindrance(pair, chosen):
        return [
            not_measured(CLASSIFICATION, f"classification: {model}", _QUESTION, definition=_MEASURE, why=why)
            for model in models
        ]
    scikit_learn()
    coins = streams(seed)
    train, test = _split(pair.real, holdout, coins.get("evaluate", "holdout"))
    tables = [train, *pair.synthetic, references.independent_columns]
    runs = _Runs(pair=pair, scales=scales_of(pair), tables=tables, test=test, coins=coins)
    found = []
    for done, model in enumerate(models):
        if progress is not None:
            progress("classifiers", done, len(models))
        found.append(_result(model, chosen, runs, holdout is not None))
    return found


class Classification:
    """How often classifiers that learnt from it are wrong about real rows."""

    name = "classification"
    group = LEARNING_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset({"classifiers"})

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_classification(
            given.pair,
            given.references,
            targets=given.targets,
            holdout=given.holdout,
            seed=given.seed,
            progress=given.progress,
        )


CLASSIFICATION = Classification()


@dataclass(frozen=True, eq=False)
class _Runs:
    pair: Pair
    scales: tuple[Scale, ...]
    tables: list[Table]
    test: Table
    coins: Streams

    def of(self, model: ClassifierName, target: str) -> Iterator[_Result]:
        """One result for each table trained on."""
        column = self.pair.domain.index(target)
        rest = [i for i in range(len(self.pair.domain)) if i != column]
        for number, table in enumerate(self.tables):
            rng = self.coins.get("evaluate", "classify", model, target, str(number))
            rows = some_rows(table, self.most_rows(model), rng)
            features = Features.of(rows, self.scales, rest)
            yield _train_and_test(model, features, rows, self.test, column, rng)

    def most_rows(self, model: ClassifierName) -> int:
        """How many rows are trained on at most."""
        if model not in _MOST_NUMBERS:
            return TRAINING_ROWS[model]
        everything = Features.of(self.tables[0], self.scales, range(len(self.scales)))
        room = _MOST_NUMBERS[model] // max(1, len(everything.owners))
        return min(TRAINING_ROWS[model], max(_FEWEST_TRAINING_ROWS, room))

    def majority(self, target: str) -> float:
        """The error of always guessing the class that most real rows have."""
        column = self.pair.domain.index(target)
        guess = np.bincount(self.tables[0].columns[column]).argmax()
        return float(np.mean(self.test.columns[column] != guess))


def _train_and_test(
    model: ClassifierName, features: Features, rows: Table, test: Table, column: int, rng: Rng
) -> _Result:
    classes, labels = np.unique(rows.columns[column], return_inverse=True)
    truth = test.columns[column]
    if len(classes) == 1:  # nothing to learn: every row gets the one class there is
        return _Result(error=float(np.mean(truth != classes[0])), auc=0.5)
    fitted, view = _model(model, features, int(rng.integers(2**31)))
    with quiet():
        fitted.fit(view(rows), labels)
        inputs = view(test)
        predicted = classes[fitted.predict(inputs)]
        scores = fitted.predict_proba(inputs) if model == "boosting" else fitted.decision_function(inputs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    return _Result(error=float(np.mean(predicted != truth)), auc=_auc(truth, classes, scores))


def _auc(truth: Codes, classes: Codes, scores: Floats) -> float:
    """Averaged over the classes that the test has, each against the rest; one that was never seen is a guess."""
    areas = []
    for code in np.unique(truth):
        at = np.flatnonzero(classes == code)
        areas.append(area_under_curve(truth == code, scores[:, at[0]]) if len(at) else 0.5)
    return float(np.mean(areas)) if len(areas) > 1 else float("nan")


def _model(model: ClassifierName, features: Features, seed: int) -> tuple[Any, Any]:
    """The classifier and how it wants its rows."""
    sklearn = scikit_learn()
    if model == "svm":
        return sklearn.svm.LinearSVC(C=1.0, loss="hinge", max_iter=300, random_state=seed), features.one_hot
    if model == "svm-rbf":
        return sklearn.svm.SVC(C=1.0, kernel="rbf", gamma="scale", cache_size=500), features.one_hot
    trees = sklearn.ensemble.HistGradientBoostingClassifier(
        categorical_features=features.categorical, random_state=seed
    )
    return trees, features.compact


def _result(model: ClassifierName, targets: Sequence[str], runs: _Runs, held_out: bool) -> MeasureResult:
    results = {target: list(runs.of(model, target)) for target in targets}
    errors = np.array([[result.error for result in results[target]] for target in targets])
    areas = np.array([[result.auc for result in results[target]] for target in targets])
    majority = np.array([runs.majority(target) for target in targets])
    fresh, independent = float(errors[:, 0].mean()), float(errors[:, -1].mean())
    value, interval = over_tables([float(e) for e in errors[:, 1:-1].mean(axis=0)])
    lost = errors[:, 1] - errors[:, 0]
    worst = int(lost.argmax())
    details = pa.table(
        {
            "target": list(targets),
            "error": errors[:, 1],
            "fresh_sample": errors[:, 0],
            "independent_columns": errors[:, -1],
            "majority": majority,
            "accuracy": 1 - errors[:, 1],
            "auc": pa.array(areas[:, 1], from_pandas=True),
            "auc_fresh_sample": pa.array(areas[:, 0], from_pandas=True),
            "auc_independent_columns": pa.array(areas[:, -1], from_pandas=True),
        }
    )
    which = "held-out real rows" if held_out else "real rows set aside (20 %; the synthetic table may have seen them)"
    return MeasureResult(
        CLASSIFICATION,
        f"classification: {model}",
        _QUESTION,
        definition=_MEASURE,
        value=value,
        score=1 - value,
        verdict=(
            f"Trained on it, {_CALLED[model]} misclassifies {points(value)} % of real rows; {points(fresh)} % if "
            f"trained on real rows, {points(independent)} % on independent columns, "
            f"{points(float(majority.mean()))} % by guessing the most frequent class. "
            f"Most is lost on {columns_named([targets[worst]])}: "
            f"{points(float(errors[worst, 1]))} % against {points(float(errors[worst, 0]))} %."
        ),
        fresh_sample=fresh,
        independent_columns=independent,
        scope=(
            f"{len(targets)} target{'s' if len(targets) > 1 else ''}; trained on at most {runs.most_rows(model):,} "
            f"rows, tested on {runs.test.n:,} {which}"
        ),
        worst=((targets[worst],), float(errors[worst, 1])),
        interval=interval,
        details=details.take(pa.array(np.argsort(-lost, kind="stable"))),
    )


def check_targets(pair: Pair, targets: Sequence[str] | None) -> tuple[str, ...]:
    """The columns to predict: those named, or the first three of `default_targets` that vary in the real table.

    Raises:
        OptionError: for an unknown column, or one that is constant.
    """
    varied = {name for name, column in zip(pair.names, pair.real.columns, strict=True) if (column != column[0]).any()}
    if targets is None:
        wanted = default_targets(pair.schema, limit=len(pair.names))
        return tuple(name for name in wanted if name in varied)[:3]
    if not targets:
        raise OptionError("no column to predict is named. Name some, or leave targets out to have them chosen.")
    chosen = (targets,) if isinstance(targets, str) else tuple(dict.fromkeys(targets))
    for name in chosen:
        if name not in pair.names:
            raise OptionError(f"there is no column '{name}' to predict. {did_you_mean(name, pair.names)}")
        if name not in varied:
            raise OptionError(
                f"target '{name}' is constant: every real row has the same value, so there is nothing to predict. "
                "Choose another column."
            )
    return chosen


def _hindrance(pair: Pair, targets: Sequence[str]) -> str | None:
    """Why nothing can be learnt from these tables, if so."""
    if pair.real.n < _FEWEST_ROWS or len(pair.domain) < 2:
        return f"it takes at least {_FEWEST_ROWS} real rows and two columns"
    if not targets:
        return "no column of the schema has 2 to 20 categories and more than one of them in the real table"
    return None


def _check_models(models: Sequence[str]) -> None:
    for model in models:
        if model not in CLASSIFIERS:
            raise OptionError(f"there is no classifier '{model}'. {did_you_mean(model, CLASSIFIERS)}")


def _check_holdout(pair: Pair, holdout: Table | None) -> None:
    if holdout is not None and ([a.size for a in holdout.domain] != [a.size for a in pair.domain] or holdout.n == 0):
        raise OptionError(
            "the held-out rows must be a table of at least one row, with the columns and codes of the pair's domain."
        )


def _split(real: Table, holdout: Table | None, rng: Rng) -> tuple[Table, Table]:
    if holdout is not None:
        return real, some_rows(holdout, TEST_ROWS, rng)
    order = rng.permutation(real.n)
    n_test = max(1, round(_TEST_SHARE * real.n))
    return rows_of(real, np.sort(order[n_test:])), rows_of(real, np.sort(order[: min(n_test, TEST_ROWS)]))
