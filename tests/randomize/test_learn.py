"""Learning from randomised columns: structures, given and learnt, and what may be wrong with them."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from tests.randomize.made_networks import draw_strong, each_kept, randomise
from understudy._core.errors import ModelFileError, OptionError, UserError
from understudy._core.randomness import Streams
from understudy.models import JointModel, NetworkModel, read_bif, to_bif
from understudy.randomize import Response, learn
from understudy.randomize._known_structure import read_structure
from understudy.schema import Marginal, Schema

SIZES = [2, 2, 3, 2, 2, 3]
PARENTS = [[], [0], [0], [1, 2], [], [4]]
TRUE = {(f"c{p}", f"c{child}") for child, above in enumerate(PARENTS) for p in above}
NAMES = [f"c{i}" for i in range(6)]


def made(keep="85/100", n=20_000, seed=2):
    rng = np.random.default_rng(seed)
    return randomise(rng, draw_strong(rng, SIZES, PARENTS, n), SIZES, each_kept(SIZES, keep))


@pytest.fixture(scope="module")
def inbox():
    return made()


@pytest.fixture(scope="module")
def learned(inbox):
    return learn(inbox, order=NAMES)


def test_a_network_is_found_again_from_randomised_columns(learned):
    assert set(learned.links) == TRUE
    assert learned.settings["order"] == "given"
    assert learned.settings["taken"] == len(TRUE)
    assert 0 < learned.settings["penalty"]["min"] <= learned.settings["penalty"]["max"]
    assert any("chance" in note for note in learned.notes)


def test_its_parameters_are_those_of_the_true_rows_within_their_errors(learned):
    rng = np.random.default_rng(2)
    rows = draw_strong(rng, SIZES, PARENTS, 20_000)
    for family in learned.families:
        below = [int(name[1:]) for name in (*family.parents, family.child)]
        shape = tuple(SIZES[c] for c in below)
        counts = np.bincount(np.ravel_multi_index(tuple(rows[:, c] for c in below), shape), minlength=np.prod(shape))
        table = counts.reshape(shape)
        with np.errstate(invalid="ignore"):
            shares = table / table.sum(axis=-1, keepdims=True)
        sure = np.broadcast_to(family.reliable[..., None], shape)
        off = abs(family.ratio - shares)[sure] / np.maximum(family.standard_error[sure], 1e-3)
        assert off.max(initial=0) < 5


def test_its_model_draws_rows_and_comes_back_from_a_file(learned, tmp_path):
    assert isinstance(learned.model, NetworkModel)
    columns = next(learned.model.sample_codes(100, streams=Streams(1)))
    assert len(columns) == len(SIZES)
    assert learned.model.marginal(Marginal.of(0)).standard_error is None  # none is better than a wrong one
    path = tmp_path / "net.bif"
    path.write_text(to_bif(learned.model, [field.labels for field in learned.inbox.schema.fields]))
    again = learn(learned.inbox, structure=path)
    assert set(again.links) == set(learned.links)
    assert again.settings["structure"] == "given"


def test_without_an_order_the_links_are_found_all_the_same(inbox):
    learned = learn(inbox)
    assert {frozenset(link) for link in learned.links} == {frozenset(link) for link in TRUE}
    assert learned.settings["order"] == "learnt"
    assert any("order" in note for note in learned.notes)


def test_taking_published_rows_for_clean_ones_finds_links_that_are_not_there(inbox):
    # the wrong twin of all this
    codes = np.stack(made("7/10", 60_000).table.columns, axis=1)
    taken = randomise(np.random.default_rng(0), codes, SIZES, each_kept(SIZES, "1"))
    assert set(learn(taken, order=NAMES).links) - TRUE


@pytest.mark.parametrize("score", ["bic", "bayes"])
def test_the_papers_scores_find_it_too_once_calibrated(inbox, score):
    learned = learn(inbox, order=NAMES, score=score)
    assert len(set(learned.links) ^ TRUE) <= 1
    used = learned.settings["eta" if score == "bayes" else "penalty"]
    assert used["max"] <= 1 if score == "bayes" else used["min"] > 0


def test_the_papers_fixed_values_run_as_printed():
    noisy = made("7/10")
    fixed = {
        "eta 1": learn(noisy, order=NAMES, score="bayes", eta=1.0),
        "eta 0.99": learn(noisy, order=NAMES, score="bayes", eta=0.99),
        "C* 1": learn(noisy, order=NAMES, score="bic", penalty=1),
        "C* 8": learn(noisy, order=NAMES, score="bic", penalty=8),
    }
    ours = len(set(learn(noisy, order=NAMES).links) ^ TRUE)
    wrong = {name: len(set(one.links) ^ TRUE) for name, one in fixed.items()}
    assert all(ours < errors for errors in wrong.values())
    assert len(set(fixed["eta 1"].links) - TRUE) >= len(set(fixed["eta 0.99"].links) - TRUE) > 0
    assert any("not known" in note for note in fixed["C* 8"].notes)
    assert fixed["C* 8"].settings["penalty"]["median"] == 8


def test_nothing_is_found_where_nothing_depends_on_anything():
    # 15 pairs and their continuations: 0.1 links expected by chance, so 3 or more have odds of about 1 in 6,000
    rng = np.random.default_rng(7)
    rows = draw_strong(rng, SIZES, [[]] * 6, 20_000)
    inbox = randomise(rng, rows, SIZES, each_kept(SIZES, "6/10"))
    assert len(learn(inbox, order=NAMES).links) <= 2
    assert len(learn(inbox).links) <= 2


def test_columns_randomised_together_are_un_mixed_together():
    rng = np.random.default_rng(3)
    rows = draw_strong(rng, SIZES, PARENTS, 20_000)
    together = [([0, 1, 2], Response(12, Fraction(7, 10))), ([3, 4], Response(4, Fraction(8, 10)))]
    inbox = randomise(rng, rows, SIZES, [*together, ([5], Response(3, Fraction(85, 100)))])
    assert len(set(learn(inbox, order=NAMES).links) ^ TRUE) <= 2


@pytest.mark.parametrize(
    ("method", "options", "kind"),
    [
        ("privbayes", {}, NetworkModel),
        ("independent", {}, NetworkModel),
        ("mwem", {"ways": 2, "round_epsilon": 0.01}, JointModel),
    ],
)
def test_any_method_of_ours_runs_on_un_mixed_counts(inbox, method, options, kind):
    learned = learn(inbox, method=method, options=options)
    assert type(learned.model) is kind
    assert len(next(learned.model.sample_codes(50, streams=Streams(1)))) == len(SIZES)
    estimate = learned.model.marginal(Marginal.of(3))
    rows = draw_strong(np.random.default_rng(2), SIZES, PARENTS, 20_000)
    assert abs(estimate.probabilities[0] - np.mean(rows[:, 3] == 0)) < 0.05
    assert estimate.standard_error is None
    assert any(method in note for note in learned.notes)


def test_a_structure_that_leaves_out_columns_leaves_them_without_links(inbox):
    learned = learn(inbox, structure={"c1": ["c0"], "c0": []})
    assert learned.links == (("c0", "c1"),)
    assert any("does not name c2, c3, c4, c5" in note for note in learned.notes)


def test_a_given_structure_is_not_searched_for(inbox):
    for given in ({"order": NAMES}, {"eta": 0.99, "score": "bayes"}, {"penalty": 4, "score": "bic"}):
        with pytest.raises(OptionError, match="is for learning a structure, and one is given"):
            learn(inbox, structure={"c1": ["c0"], "c0": []}, **given)


def test_names_match_as_bif_spells_them(tmp_path):
    schema = Schema.from_dict(
        {"fields": [{"name": name, "categories": ["no", "yes"]} for name in ("is ill?", "Smokes", "2nd")]}
    )
    path = tmp_path / "net.bif"
    path.write_text(
        "variable is_ill_ { type discrete [2] {no, yes}; } variable smokes { type discrete [2] {no, yes}; } "
        "variable _2nd { type discrete [2] {no, yes}; } probability ( is_ill_ | smokes, _2nd ) { }"
    )
    network, _ = read_structure(path, schema)
    assert [axis.attribute for axis in network.parents_of(0)] == [1, 2]
    assert read_bif(path).links[0][1] == "is_ill_"
    with pytest.raises(OptionError, match="two variables stand for"):
        read_structure({"Smokes": [], "smokes": []}, schema)


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"structure": {"c0": ["c1"], "c1": ["c0"]}}, "go round in a circle"),
        ({"structure": {"c0": ["d1"], "d1": []}}, "no column 'd1' was published"),
        ({"structure": {"c0": ["c9"]}}, "no variable of it"),
        ({"structure": 3}, "structure must be"),
        ({"structure": "nowhere.bif"}, "there is no file"),
        ({"order": ["c0", "c1"]}, "it lacks c2, c3, c4, c5"),
        ({"order": [*NAMES, "c0"]}, "names a column twice"),
        ({"order": ["c0", "cO"]}, "no column 'cO'"),
        ({"order": "c0"}, "list of column names"),
        ({"score": "aic"}, "there is no score 'aic'"),
        ({"score": "bayes", "eta": 1.5}, "'eta' parameter must lie"),
        ({"score": "bayes", "eta": 0}, "'eta' parameter must lie"),
        ({"score": "bic", "penalty": -1}, "'penalty' parameter must be"),
        ({"eta": 0.9}, "score='bayes'"),
        ({"score": "bayes", "penalty": 2}, "score='bic'"),
        ({"false_links": 0}, "'false_links'"),
        ({"max_parents": 0}, "'max_parents' parameter"),
        ({"prior": -1}, "'prior' parameter"),
        ({"how": "magic"}, "'how' parameter"),
        ({"method": "privbays"}, "there is no method 'privbays'"),
        ({"method": "privbayes", "order": NAMES}, "'order' belongs to method 'k2'"),
        ({"method": "laplace"}, "cannot be published"),
        ({"options": {"k": 2}}, "'options' are those of another method"),
    ],
)
def test_wrong_requests_are_told_in_a_sentence(inbox, options, says):
    with pytest.raises(UserError, match=says) as told:
        learn(inbox, **options)
    assert isinstance(told.value, OptionError | ModelFileError)


def test_a_matrix_that_cannot_be_inverted_is_told():
    rng = np.random.default_rng(0)
    rows = draw_strong(rng, [2, 2], [[], [0]], 100)
    inbox = randomise(rng, rows, [2, 2], each_kept([2, 2], "1/2"))
    with pytest.raises(OptionError, match="singular"):
        learn(inbox)


def test_tables_too_large_are_left_out_and_told(inbox):
    learned = learn(inbox, order=NAMES, most_cells=6)
    assert learned.settings["too_large"] > 0
    assert any("not looked at" in note for note in learned.notes)


def test_all_of_it_as_plain_values(learned):
    told = learned.to_dict()
    assert len(told["families"]) == len(SIZES)
    assert told["rows"] == 20_000
    assert {tuple(link) for link in told["links"]} == TRUE


@pytest.mark.parametrize(
    ("sizes", "n", "options"),
    [
        ([2], 100, {}),
        ([1], 10, {}),
        ([1, 2, 1, 3], 500, {}),
        ([2, 2], 1, {}),
        ([3, 3, 3], 10, {"score": "bic"}),
        ([3, 3, 3], 10, {"score": "bayes"}),
        ([1, 2, 2], 300, {"method": "privbayes"}),
    ],
)
def test_tables_of_few_rows_columns_or_values_are_learnt_too(sizes, n, options):
    rng = np.random.default_rng(0)
    rows = draw_strong(rng, sizes, [[i - 1] if i else [] for i in range(len(sizes))], n)
    blocks = [([c], Response(size, Fraction(8, 10) if size > 1 else Fraction(1))) for c, size in enumerate(sizes)]
    learned = learn(randomise(rng, rows, sizes, blocks), **options)
    assert len(next(learned.model.sample_codes(5, streams=Streams(0)))) == len(sizes)
    assert learned.to_dict()["rows"] == n


@pytest.mark.slow
def test_alarm_is_found_with_fewer_wrong_links_than_by_fixed_values_or_from_rows_taken_for_clean():
    pgmpy = pytest.importorskip("pgmpy")
    net = read_bif(Path(pgmpy.__file__).parent / "utils" / "example_models" / "alarm.bif.gz")
    columns = next(net.to_model().sample_codes(20_000, streams=Streams(0), independent=True, batch_rows=20_000))
    sizes = [len(variable.states) for variable in net.variables]
    place = {name: f"c{number}" for number, name in enumerate(net.names)}
    true = {(place[parent], place[child]) for parent, child in net.links}
    rng = np.random.default_rng(1)
    inbox = randomise(rng, np.stack(columns, axis=1).astype(np.int64), sizes, each_kept(sizes, "8/10"))
    codes = np.stack(inbox.table.columns, axis=1)
    as_clean = randomise(rng, codes, sizes, each_kept(sizes, "1"))
    order = list(place.values())

    def wrong(rows, **options):
        return len(set(learn(rows, order=order, how="projection", **options).links) ^ true)

    ours = wrong(inbox)
    assert ours <= 12
    assert ours < wrong(as_clean, score="bic", penalty=1)
    assert all(ours < wrong(inbox, score="bayes", eta=eta) for eta in (1.0, 0.99, 0.98, 0.97))
