"""Whether a classifier can tell real from synthetic rows: propensity scores.

At most half of the real rows, drawn at random, are mixed with as many synthetic ones; a classifier gives each row the
chance that it is synthetic. The fresh sample is as many of the other real rows in place of synthetic ones. Beside it
stand rows with independent columns. Rows are codes: where in a bin a value lies, which can give it away, is not seen.
Three results:

- **propensity: logistic** and **propensity: boosting**: area under the ROC curve of predictions for rows that the model
  was not trained on (three-fold cross-validation). 0.5: no better than a coin; 1: every row is told apart.
- **pMSE ratio**: pMSE is the mean of (p̂ − c)² over all rows, c the share of synthetic ones, p̂ from a logistic model
  with main effects fitted to all of them. Two independent samples of one distribution are expected to have
  (k − 1)·c·(1 − c) / N with k parameters and N rows; the ratio to that is about 1 where there is nothing to find.
  (Snoke et al. 2018 take the real table as fixed, and expect 1 − c of that: with our c = ½, their ratio is twice ours.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np
import pyarrow as pa

from understudy._core.randomness import Rng, streams
from understudy.evaluation._learning import Features, area_under_curve, quiet, rows_of, scikit_learn, some_rows
from understudy.evaluation._measure import DETECTION_GROUP, Direction, MeasureInput, Need
from understudy.evaluation._pair import Pair, Progress
from understudy.evaluation._reference import References
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._scales import Floats, Ints, Scale, scales_of
from understudy.evaluation._summary import not_measured, over_tables
from understudy.evaluation._verdict import columns_named, points
from understudy.tables import Table

Detector: TypeAlias = Literal["logistic", "boosting"]
DETECTORS: tuple[Detector, ...] = ("logistic", "boosting")
ROWS_EACH = 10_000
_FEWEST_ROWS = 20
_FOLDS = 3
_QUESTION = "Can a classifier tell real from synthetic rows?"
_MEASURES = {
    "logistic": "area under the ROC curve of a logistic regression on codes, cross-validated",
    "boosting": "area under the ROC curve of gradient-boosted trees on codes, cross-validated",
    "pMSE": "propensity score mean squared error over its expectation for two samples of one distribution",
}
_IN_BINS = " Numbers are seen by their bins alone; by raw values, rows can be far easier to tell apart."


@dataclass(frozen=True)
class _Detected:
    auc: float
    pmse: float
    null: float
    telling: tuple[tuple[str, float], ...] = ()
    """Columns by how far they move the propensity score, most first."""

    @property
    def ratio(self) -> float:
        return self.pmse / self.null


def measure_detection(
    pair: Pair,
    references: References,
    *,
    models: Sequence[Detector] = DETECTORS,
    seed: int = 0,
    progress: Progress | None = None,
) -> list[MeasureResult]:
    """How well a logistic regression and boosted trees tell real from synthetic rows, and the pMSE ratio.

    The pMSE ratio comes with the logistic regression. At most 10,000 rows of each side are used.

    Args:
        pair: the tables.
        references: of these, only the independent columns are used, see the top of the module.
        models: logistic, boosting or both.
        seed: the same seed draws the same rows.
        progress: called with what is being done, how much of it is done, and how much there is.

    Raises:
        OptionError: if scikit-learn is not installed.

    >>> import pyarrow as pa
    >>> from understudy.evaluation import make_references, read_pair
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}]})
    >>> pair = read_pair(pa.table({"a": [True] * 99 + [False]}), pa.table({"a": [False] * 99 + [True]}), schema)
    >>> measure_detection(pair, make_references(pair), models=["logistic"])[0].value > 0.9
    True
    """
    names = [f"propensity: {model}" for model in models] + ["pMSE ratio"] * ("logistic" in models)
    kinds = [*models, *(["pMSE"] * ("logistic" in models))]
    fewest = min(pair.real.n // 2, *(table.n for table in pair.synthetic))
    if fewest < _FEWEST_ROWS:
        why = f"it takes at least {2 * _FEWEST_ROWS} real and {_FEWEST_ROWS} synthetic rows"
        return [
            not_measured(DETECTION, name, _QUESTION, definition=_MEASURES[kind], why=why)
            for name, kind in zip(names, kinds, strict=True)
        ]
    scikit_learn()
    coins = streams(seed)
    order = coins.get("evaluate", "detection").permutation(pair.real.n)
    n_rows = min(ROWS_EACH, fewest)
    real, fresh = (rows_of(pair.real, np.sort(part)) for part in (order[:n_rows], order[n_rows : 2 * n_rows]))
    others = [*pair.synthetic, fresh, references.independent_columns]
    scales = scales_of(pair)
    found: dict[Detector, list[_Detected]] = {}
    for model in models:
        found[model] = []
        for done, other in enumerate(others):
            if progress is not None:
                progress(f"propensity: {model}", done, len(others))
            rng = coins.get("evaluate", "detection", model, str(done))
            found[model].append(_tell_apart(model, real, some_rows(other, n_rows, rng), scales, rng))
    scope = f"{n_rows:,} real and {n_rows:,} synthetic rows, drawn at random"
    seen = _IN_BINS if any(field.bins is not None for field in pair.schema.fields) else ""
    results = [_area(model, found[model], scope, seen) for model in models]
    return results + ([_ratio(found["logistic"], scope)] if "logistic" in models else [])


class Detection:
    """How well classifiers tell real from synthetic rows."""

    name = "detection"
    group = DETECTION_GROUP
    direction: Direction = "less"
    synonym = None
    needs: frozenset[Need] = frozenset({"classifiers"})

    def compute(self, given: MeasureInput) -> Sequence[MeasureResult]:
        """What it finds."""
        return measure_detection(given.pair, given.references, seed=given.seed, progress=given.progress)


DETECTION = Detection()


def _tell_apart(model: Detector, real: Table, other: Table, scales: tuple[Scale, ...], rng: Rng) -> _Detected:
    both = Table(real.domain, tuple(np.concatenate(c) for c in zip(real.columns, other.columns, strict=True)))
    labels = np.repeat([0, 1], [real.n, other.n])
    share = other.n / both.n
    features = Features.of(both, scales, range(len(scales)), drop_first=model == "logistic")
    inputs = features.one_hot(both) if model == "logistic" else features.compact(both)
    kept = inputs.std(axis=0) > 0 if inputs.shape[1] else np.zeros(0, dtype=np.bool_)
    if not kept.any():  # constant columns, the same on both sides
        return _Detected(auc=0.5, pmse=0.0, null=1.0)
    seed = int(rng.integers(2**31))
    with quiet():
        scores = _cross_validated(model, inputs, labels, features, seed, rng)
        auc = area_under_curve(labels == 1, scores)
        if model == "boosting":
            return _Detected(auc=auc, pmse=float(np.mean((scores - share) ** 2)), null=float("nan"))
        fitted = _model(model, features, seed).fit(inputs[:, kept], labels)
        chances = fitted.predict_proba(inputs[:, kept])[:, 1]
    parameters = 1 + int(np.linalg.matrix_rank(inputs[:, kept] - inputs[:, kept].mean(axis=0)))
    null = (parameters - 1) * share * (1 - share) / both.n
    telling = _telling(inputs[:, kept], fitted.coef_[0], features.owners[kept], scales)
    return _Detected(auc=auc, pmse=float(np.mean((chances - share) ** 2)), null=null, telling=telling)


def _cross_validated(model: Detector, inputs: Floats, labels: Ints, features: Features, seed: int, rng: Rng) -> Floats:
    """Each row's chance of being synthetic, by a model that has not seen it. Folds have as many of either side."""
    folds = np.empty(len(labels), dtype=np.int64)
    for label in (0, 1):
        at = rng.permutation(np.flatnonzero(labels == label))
        folds[at] = np.arange(len(at)) % _FOLDS
    scores = np.empty(len(labels))
    for fold in range(_FOLDS):
        inside, outside = folds != fold, folds == fold
        fitted = _model(model, features, seed).fit(inputs[inside], labels[inside])
        scores[outside] = fitted.predict_proba(inputs[outside])[:, 1]
    return scores


def _model(model: Detector, features: Features, seed: int) -> Any:
    sklearn = scikit_learn()
    if model == "boosting":
        return sklearn.ensemble.HistGradientBoostingClassifier(
            categorical_features=features.categorical, random_state=seed
        )
    # Hardly any penalty: the expectation of pMSE is that of a maximum likelihood fit. A code that only one side
    # has would send its coefficient to infinity without.
    return sklearn.linear_model.LogisticRegression(C=100.0, max_iter=300)


def _telling(inputs: Floats, weights: Floats, owners: Ints, scales: Sequence[Scale]) -> tuple[tuple[str, float], ...]:
    moved = [(scales[i].name, float((inputs[:, owners == i] @ weights[owners == i]).std())) for i in np.unique(owners)]
    return tuple(sorted(moved, key=lambda one: -one[1]))


def _area(model: Detector, found: Sequence[_Detected], scope: str, seen: str) -> MeasureResult:
    *synthetic, fresh, independent = found
    value, interval = over_tables([one.auc for one in synthetic])
    called = {"logistic": "A logistic regression tells", "boosting": "Boosted trees tell"}[model]
    telling = synthetic[0].telling
    details = (
        pa.table({"column": [name for name, _ in telling], "moves_score_by": [moved for _, moved in telling]})
        if telling
        else pa.table(
            {
                "rows": ["synthetic", "fresh_sample", "independent_columns"],
                "auc": [synthetic[0].auc, fresh.auc, independent.auc],
                "pmse": [synthetic[0].pmse, fresh.pmse, independent.pmse],
            }
        )
    )
    return MeasureResult(
        DETECTION,
        f"propensity: {model}",
        _QUESTION,
        definition=_MEASURES[model],
        value=value,
        score=1 - min(1.0, 2 * abs(value - 0.5)),
        verdict=(
            f"{called} real from synthetic rows in {points(value)} of 100 pairs, where 50 is a coin's guess. A fresh "
            f"sample of as many rows would show {points(fresh.auc)}, independent columns {points(independent.auc)}."
            + (f" Column {columns_named([telling[0][0]])} gives it away most." if telling and value > 0.55 else "")
            + seen
        ),
        fresh_sample=fresh.auc,
        independent_columns=independent.auc,
        scope=f"{scope}; {_FOLDS}-fold cross-validation",
        worst=((telling[0][0],), telling[0][1]) if telling else None,
        interval=interval,
        details=details,
        unit="number",
    )


def _ratio(found: Sequence[_Detected], scope: str) -> MeasureResult:
    *synthetic, fresh, independent = found
    value, interval = over_tables([one.ratio for one in synthetic])
    sides = {"synthetic": synthetic[0], "fresh_sample": fresh, "independent_columns": independent}
    return MeasureResult(
        DETECTION,
        "pMSE ratio",
        _QUESTION,
        definition=_MEASURES["pMSE"],
        value=value,
        # pMSE lies between 0 and c(1 − c): a score that does not depend on how many rows there are
        score=max(0.0, 1 - synthetic[0].pmse / 0.25),
        verdict=(
            f"The propensity score varies {value:,.1f} times as much as chance alone would make it. A fresh sample of "
            f"as many rows would show {fresh.ratio:,.1f}, independent columns {independent.ratio:,.1f}."
        ),
        fresh_sample=fresh.ratio,
        independent_columns=independent.ratio,
        scope=scope,
        interval=interval,
        details=pa.table(
            {
                "rows": list(sides),
                "pmse": [one.pmse for one in sides.values()],
                "expected_by_chance": [one.null for one in sides.values()],
                "ratio": [one.ratio for one in sides.values()],
            }
        ),
        unit="number",
    )
