"""Classifiers trained on synthetic rows and tested on real ones: is the table good enough to learn from?

The task of the PrivBayes paper (Section 6.1): predict one column from all others, train on synthetic rows, and test on
20 % of the real rows. The paper counts misclassified rows. Where most rows are of one class, a machine that knows
nothing but that gets few wrong, so what is rated is the area under the ROC curve and balanced accuracy (the average
over classes of the share that is recognised): both are the same for every way of guessing. The error is in the details.

The paper's "standard hinge-loss C-SVM with C = 1" names no kernel, so `svm` is linear. `svm-rbf` is the HPPrivBayes
paper's SVM with a radial kernel (Section 4.1), which gives accuracy: one minus our error. `boosting` is what a
practitioner would use today. Targets are columns as they are, every code a class.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
import numpy.typing as npt
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
from understudy.evaluation._targets import FEWEST_OF_A_CLASS, Targets, choose_targets, hindrance, judged_values
from understudy.evaluation._verdict import columns_named
from understudy.schema import Codes
from understudy.tables import Table

ClassifierName: TypeAlias = Literal["svm", "svm-rbf", "boosting"]
CLASSIFIERS: tuple[ClassifierName, ...] = get_args(ClassifierName)
TRAINING_ROWS: dict[ClassifierName, int] = {"svm": 10_000, "svm-rbf": 5_000, "boosting": 20_000}
TEST_ROWS = 5_000
# Support vector machines take time by rows times numbers; wide tables are trained on fewer rows.
_MOST_NUMBERS: dict[ClassifierName, int] = {"svm": 1_000_000, "svm-rbf": 500_000}
_FEWEST_TRAINING_ROWS = 1_000
_TEST_SHARE = 0.2
_QUESTION = "Can one learn from it to predict a column?"
_DEFINITIONS = {
    "AUC": "area under the ROC curve on real rows, on average over classes and targets",
    "balanced accuracy": "share of each class's real rows that is recognised, on average over classes and targets",
}
_SKILLS = {"AUC": "an area under the ROC curve", "balanced accuracy": "a balanced accuracy"}
_NOT_RATED = "Real rows teach it no more than independent columns do, so it is not rated."
_RARE = f"values of fewer than {FEWEST_OF_A_CLASS} real rows, in either part, are in no average"
_L2 = 1.0
"""Of boosted trees. Without any, a class of few rows makes leaves without bounds, and spoils what is said of others."""
_LEAST_ROOM, _CHANCE = 0.02, 1.5
"""So much better must real rows teach than independent columns for a classifier to tell how good a table is: this much,
and so many times one over the root of the rows that it is tested on, which chance alone can make."""
_CALLED = {
    "svm": "a linear support vector machine",
    "svm-rbf": "a support vector machine with a radial kernel",
    "boosting": "a gradient-boosted tree model",
}


@dataclass(frozen=True)
class _Result:
    error: float
    auc: float
    balanced: float


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
    """Two results for each model that learnt from synthetic rows: area under the ROC curve (averaged over classes, each
    against the rest) and balanced accuracy, both on real rows.

    Beside it stand the same model trained on real rows, and one trained on independent columns; `details` has all
    three for each target, with the share of rows misclassified, and that of always guessing the most frequent class.

    Args:
        pair: the tables.
        references: of these, only the independent columns are used.
        targets: columns to predict; without, the first three of `default_targets` that have 20 rows of two values
            both in the real rows learnt from and in those tested on.
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
    >>> from understudy.schema import Schema
    >>> schema = Schema.from_dict({"fields": [{"name": name, "type": "boolean"} for name in "ab"]})
    >>> same = pa.table({"a": [True, False] * 150, "b": [True, False] * 150})
    >>> pair = read_pair(same, same, schema)
    >>> [(one.name, one.value) for one in measure_classification(pair, make_references(pair), models=["svm"])]
    [('AUC: svm', 1.0), ('balanced accuracy: svm', 1.0)]
    """
    _check_models(models)
    _check_holdout(pair, holdout)
    coins = streams(seed)
    train, test = _split(pair.real, holdout, coins.get("evaluate", "holdout"))
    chosen = choose_targets(pair, targets, train, test)
    if why := hindrance(pair, chosen):
        return [
            not_measured(CLASSIFICATION, f"{skill}: {model}", _QUESTION, definition=definition, why=why)
            for model in models
            for skill, definition in _DEFINITIONS.items()
        ]
    scikit_learn()
    tables = [train, *pair.synthetic, references.independent_columns]
    runs = _Runs(pair=pair, scales=scales_of(pair), tables=tables, test=test, coins=coins)
    found = []
    for done, model in enumerate(models):
        if progress is not None:
            progress("classifiers", done, len(models))
        found += _results(model, chosen, runs, holdout is not None)
    return found


class Classification:
    """How well classifiers that learnt from it know real rows."""

    name = "classification"
    group = LEARNING_GROUP
    direction: Direction = "more"
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
        judged = self.judged(target)
        for number, table in enumerate(self.tables):
            rng = self.coins.get("evaluate", "classify", model, target, str(number))
            rows = some_rows(table, self.most_rows(model), rng)
            features = Features.of(rows, self.scales, rest)
            yield _train_and_test(model, features, rows, self.test, column, judged, rng)

    def judged(self, target: str) -> Codes:
        """The classes that its skills are averaged over."""
        return judged_values(self.tables[0], self.test, self.pair.domain.index(target))

    def leaves_out(self, target: str) -> bool:
        """Whether it has classes that are in no average."""
        column = self.pair.domain.index(target)
        return len(np.unique(self.test.columns[column])) > len(self.judged(target))

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
    model: ClassifierName, features: Features, rows: Table, test: Table, column: int, judged: Codes, rng: Rng
) -> _Result:
    codes, truth = rows.columns[column], test.columns[column]
    # a class of one row teaches nothing, and cannot be split into rows to learn from and rows to stop by
    alone = np.bincount(codes)[codes] == 1
    kept = np.flatnonzero(~alone | alone.all())
    classes, labels = np.unique(codes[kept], return_inverse=True)
    if len(classes) == 1:  # nothing to learn: every row gets the one class there is
        guess = np.full_like(truth, classes[0])
        return _Result(float(np.mean(truth != guess)), 0.5, balanced_accuracy(truth, guess, judged))
    fitted, view = _model(model, features, int(rng.integers(2**31)))
    with quiet():
        fitted.fit(view(rows)[kept], labels)
        inputs = view(test)
        predicted = classes[fitted.predict(inputs)]
        scores = fitted.predict_proba(inputs) if model == "boosting" else fitted.decision_function(inputs)
    if scores.ndim == 1:
        scores = np.column_stack([-scores, scores])
    error = float(np.mean(predicted != truth))
    return _Result(error, _auc(truth, classes, scores, judged), balanced_accuracy(truth, predicted, judged))


def balanced_accuracy(truth: Codes, predicted: Codes, judged: Codes | None = None) -> float:
    """The share of each class's rows that was recognised, averaged over the classes that are judged, or over all.

    >>> balanced_accuracy(np.array([0, 0, 0, 1]), np.array([0, 0, 0, 0]))
    0.5
    """
    classes = np.unique(truth) if judged is None else judged
    return float(np.mean([np.mean(predicted[truth == code] == code) for code in classes]))


def _auc(truth: Codes, classes: Codes, scores: Floats, judged: Codes) -> float:
    """Averaged over the classes that are judged, two at least, each against the rest; one never seen is a guess."""
    areas = []
    for code in judged:
        at = np.flatnonzero(classes == code)
        areas.append(area_under_curve(truth == code, scores[:, at[0]]) if len(at) else 0.5)
    return float(np.mean(areas))


def _model(model: ClassifierName, features: Features, seed: int) -> tuple[Any, Any]:
    """The classifier and how it wants its rows."""
    sklearn = scikit_learn()
    if model == "svm":
        return sklearn.svm.LinearSVC(C=1.0, loss="hinge", max_iter=300, random_state=seed), features.one_hot
    if model == "svm-rbf":
        return sklearn.svm.SVC(C=1.0, kernel="rbf", gamma="scale", cache_size=500), features.one_hot
    trees = sklearn.ensemble.HistGradientBoostingClassifier(
        categorical_features=features.categorical, l2_regularization=_L2, random_state=seed
    )
    return trees, features.compact


def _results(model: ClassifierName, chosen: Targets, runs: _Runs, held_out: bool) -> list[MeasureResult]:
    targets = chosen.chosen
    results = {target: list(runs.of(model, target)) for target in targets}
    table = np.array([[[one.auc, one.balanced, one.error] for one in results[target]] for target in targets])
    skills = dict(zip(_DEFINITIONS, (table[:, :, 0], table[:, :, 1]), strict=True))
    majority = np.array([runs.majority(target) for target in targets])
    details = _details(targets, skills, table[:, :, 2], majority)
    which = "held-out real rows" if held_out else "real rows set aside (20 %; the synthetic table may have seen them)"
    scope = (
        f"{len(targets)} target{'s' if len(targets) > 1 else ''}; trained on at most {runs.most_rows(model):,} "
        f"rows, tested on {runs.test.n:,} {which}{chosen.said}"
    )
    if any(runs.leaves_out(target) for target in targets):
        scope += f"; {_RARE}"
    kept = _predictable(table[:, 0, 0], runs.test.n)
    out = [target for target, one in zip(targets, kept, strict=True) if not one] if kept.any() else []
    if out:
        targets, skills = tuple(t for t in targets if t not in out), {skill: own[kept] for skill, own in skills.items()}
    least = max(_LEAST_ROOM, _CHANCE / (runs.test.n * len(targets)) ** 0.5)
    ranked, told = (_result(skill, model, targets, own, details, scope, least) for skill, own in skills.items())
    if out:
        ranked, told = (replace(one, verdict=f"{one.verdict} {_left_out(out)}") for one in (ranked, told))
    return [ranked if _recognises(told) else _without_rating(ranked), told]


def _predictable(auc: Floats, tested: int) -> npt.NDArray[np.bool_]:
    """Which targets real rows predict better than chance, by their area under the curve: others say nothing."""
    return np.asarray(auc > 0.5 + max(_LEAST_ROOM, _CHANCE / tested**0.5))


def _left_out(targets: Sequence[str]) -> str:
    named = ", ".join(columns_named([target]) for target in targets)
    return f"{named} left out: it learns no more than chance of {'it' if len(targets) == 1 else 'them'} from real rows."


def _recognises(told: MeasureResult) -> bool:
    """Whether a classifier knows the classes apart at all: one that always says *no* may still rank rows well."""
    if told.fresh_sample is None or told.independent_columns is None:
        return False
    return told.value - told.independent_columns > max(0.01, (told.fresh_sample - told.independent_columns) / 2)


def _without_rating(ranked: MeasureResult) -> MeasureResult:
    if not ranked.rated or not ranked.measured:
        return ranked
    why = " It hardly knows the classes apart, though, so how it ranks rows is not rated."
    return replace(ranked, rated=False, verdict=ranked.verdict + why)


def _result(
    skill: str,
    model: ClassifierName,
    targets: Sequence[str],
    values: Floats,
    details: pa.Table,
    scope: str,
    least: float,
) -> MeasureResult:
    """Of one skill; `values` has a row a target: learnt from real rows, synthetic tables, independent columns."""
    # rows are ranked no worse than by a coin: below that it is luck, which would make all else look better
    by_chance = np.maximum(values[:, -1], 0.5) if skill == "AUC" else values[:, -1]
    fresh, independent = float(values[:, 0].mean()), float(by_chance.mean())
    value, interval = over_tables([float(mean) for mean in values[:, 1:-1].mean(axis=0)])
    lost = values[:, 0] - values[:, 1]
    worst = int(lost.argmax())
    target = targets[worst]
    room = fresh - independent > least
    return MeasureResult(
        CLASSIFICATION,
        f"{skill}: {model}",
        _QUESTION,
        definition=_DEFINITIONS[skill],
        value=value,
        score=value,
        verdict=(
            f"Trained on it, {_CALLED[model]} reaches {_SKILLS[skill]} of {value:.2f} on real rows; {fresh:.2f} if "
            f"trained on real rows, {independent:.2f} on independent columns. "
            + (_most_lost(target, *values[worst, :2]) if room else _NOT_RATED)
        ).rstrip(),
        fresh_sample=fresh,
        independent_columns=independent,
        scope=scope,
        worst=((target,), float(values[worst, 1])),
        interval=interval,
        details=details.take(pa.array(np.argsort(details["lost"].to_numpy(), kind="stable")[::-1])).drop_columns(
            ["lost"]
        ),
        unit="number",
        rated=room,
    )


def _most_lost(target: str, fresh: float, value: float) -> str:
    if fresh - value < 0.005:
        return ""
    return f"Most is lost on {columns_named([target])}: {value:.2f} against {fresh:.2f}."


def _details(targets: Sequence[str], skills: Mapping[str, Floats], errors: Floats, majority: Floats) -> pa.Table:
    """A row a target: both skills and the share misclassified, each beside its references."""
    found: dict[str, Any] = {"target": list(targets)}
    for name, values in (*((skill.replace(" ", "_").lower(), own) for skill, own in skills.items()), ("error", errors)):
        for side, column in (("", 1), ("_fresh_sample", 0), ("_independent_columns", -1)):
            found[name + side] = pa.array(values[:, column], pa.float64(), from_pandas=True)
    found["majority"] = majority
    found["lost"] = np.nan_to_num(skills["AUC"][:, 0] - skills["AUC"][:, 1])
    return pa.table(found)


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
