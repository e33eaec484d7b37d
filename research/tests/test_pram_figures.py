"""PRAM-BN's tables and figures: well-formed runs, and tasks that agree with brute force."""

from __future__ import annotations

import json
from importlib.util import find_spec
from itertools import product

import numpy as np
import pytest

from research import EXPERIMENTS, check_ready
from research._experiment import Results, Scale
from research.tasks import PARAMETERS, TASKS, parameter_words
from research.tasks._pram_networks import DRAWN, PARTIES, TABLE_2_COLUMNS, declared, divergence, links_of, rows_of
from research.tasks._pram_randomised import (
    TABLE_1,
    parameter_spread,
    randomised,
    symmetric,
    theorem_2,
    together,
)
from research.tasks._pram_structure import network_named, parties_of
from research.tests.made_up_results import measures_of
from understudy._core.errors import TableError

NAMES = [name for name in EXPERIMENTS if name.startswith("pram-")]
QUICK, FULL = Scale(seeds=3, quick=True), Scale(seeds=1, quick=False)


def results_of(name, value):
    """Results of an experiment's quick runs in which every point is what `value(run, measure, x)` says."""
    return Results.of(
        [(run, {n: value(run, *run.place(n)) for n in measures_of(run)}) for run in EXPERIMENTS[name].runs(QUICK)]
    )


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("scale", [QUICK, FULL])
def test_runs_are_well_formed_and_every_panel_has_lines(name, scale):
    experiment = EXPERIMENTS[name]
    runs = experiment.runs(scale)
    assert {run.task for run in runs} <= set(TASKS)
    for run in runs:
        assert json.loads(json.dumps(run.params)) == run.params
    results = results_of(name, lambda run, measure, x: 1.0)
    assert all(results.series(panel.measure, panel.group) for panel in experiment.panels)


# -- networks -------------------------------------------------------------------------


def test_the_declared_network_has_the_sizes_of_table_2():
    printed = dict(zip("ATSLBEDXCFG", (2, 4, 2, 6, 6, 12, 12, 4, 8, 4, 4), strict=True))
    tables = declared("table 2").conditionals
    assert {name: table.size for name, table in zip(TABLE_2_COLUMNS, tables, strict=True)} == printed
    assert sum(table[..., :-1].size for table in tables) == PARAMETERS
    assert parameter_words(PARAMETERS) == "P(G = 0 | F = 1)"


@pytest.mark.parametrize("name", PARTIES)
def test_every_column_belongs_to_one_party(name):
    assert sorted("".join(PARTIES[name])) == sorted(attribute.name for attribute in declared(name).domain)


@pytest.mark.parametrize("name", DRAWN)
def test_networks_that_are_drawn_have_the_links_of_figure_3_and_probabilities_of_their_own(name):
    drawn, figure_3 = declared(name), declared("figure 3")
    assert links_of(drawn.network) == links_of(figure_3.network)
    ones = np.concatenate([table[..., 1].ravel() for table in drawn.conditionals])
    assert np.allclose(ones * 20, np.round(ones * 20))
    assert 0.04 < ones.min() < ones.max() < 0.96
    assert divergence(figure_3, drawn) > 0
    assert all(divergence(drawn, declared(other)) > 0 for other in DRAWN if other != name)
    assert parties_of(name) == parties_of("figure 3")


def test_the_parents_of_d_in_figure_3_are_in_another_site():
    names = [attribute.name for attribute in declared("figure 3").domain]
    parents = {names[a] for a, child in links_of(declared("figure 3").network) if names[child] == "D"}
    assert parents == {"B", "C"}
    assert all(parents.isdisjoint(party) for party in PARTIES["figure 3"] if "D" in party)


def test_the_distance_of_a_network_from_itself_is_none_and_from_another_as_brute_force_says():
    one = declared("figure 3")
    rows = rows_of(one, 50, 1)
    assert divergence(one, one) == 0
    assert rows.n == 50

    def probability(cell):
        found = 1.0
        for node, table in zip(one.network.nodes, one.conditionals, strict=True):
            found *= table[tuple(cell[axis.attribute] for axis in node.marginal.axes)]
        return found

    cells = [probability(cell) for cell in product((0, 1), repeat=7)]
    assert sum(cells) == pytest.approx(1)


# -- randomising ----------------------------------------------------------------------


def test_columns_are_kept_as_often_as_their_matrices_say():
    clean = rows_of(declared("table 2"), 20_000, 3)
    mixed = randomised(clean, TABLE_1, 3)
    for place, attribute in enumerate(clean.domain):
        true, found = clean.columns[place], mixed.columns[place]
        for code in range(attribute.size):
            row = TABLE_1[attribute.name].dense[code] if attribute.name in TABLE_1 else np.eye(attribute.size)[code]
            chosen = found[true == code]
            shares = np.bincount(chosen, minlength=attribute.size) / len(chosen)
            # five standard errors: wrong in one of 30,000 tests
            assert np.all(np.abs(shares - row) <= 5 * np.sqrt(row * (1 - row) / len(chosen)) + 1e-12)


def test_theorem_2_is_the_covariance_that_enumeration_gives():
    matrix = together([symmetric(2, "0.25")])
    counts, inverse = np.array([2.0, 1.0]), np.linalg.inv(matrix)
    mean, square = np.zeros(2), np.zeros((2, 2))
    for published in product((0, 1), repeat=3):
        chance = np.prod([matrix[true, found] for true, found in zip((0, 0, 1), published, strict=True)])
        estimate = inverse.T @ np.bincount(published, minlength=2)
        mean += chance * estimate
        square += chance * np.outer(estimate, estimate)
    assert mean == pytest.approx(counts)
    assert theorem_2(counts, matrix) == pytest.approx(square - np.outer(mean, mean))


def test_the_spread_of_a_parameter_is_that_of_a_ratio():
    counts, matrix = np.array([[300.0, 200.0], [100.0, 400.0]]), together([symmetric(2, "0.1")] * 2)
    covariance = theorem_2(counts, matrix)
    first, total = covariance[0, 0], covariance[:2, :2].sum()
    both, share = covariance[0, :2].sum(), 300 / 500
    assert parameter_spread(counts, matrix)[0, 0] ** 2 == pytest.approx(
        (first - 2 * share * both + share**2 * total) / 500**2
    )


# -- tasks ----------------------------------------------------------------------------


def test_parameters_are_learnt_in_both_setups_and_local_ones_exactly(tmp_path):
    params = {"rows": 2_000, "runs": 2}
    one, two = (TASKS["pram parameters"](params | {"setup": setup}, 0, tmp_path) for setup in ("I", "II"))
    assert one["off 1"] == one["off 2"] == two["sd 4"] == 0  # A and T | A are local, S is public
    assert two["off 1"] > 0
    assert 0 < one["off 13"] < two["off 13"] * 2
    assert TASKS["pram parameters"](params | {"setup": "I"}, 0, tmp_path) == one


def test_table_1_is_recomputed(tmp_path):
    found = TASKS["pram amplification"]({}, 0, tmp_path)
    assert (found["gamma X"], found["printed X"]) == (1.5, 3)
    assert (found["gamma C"], found["printed C"]) == (7.5, 9)
    assert found["epsilon"] == pytest.approx(11.1, abs=0.01)
    assert found["clear"] == 3


def test_what_is_put_beside_table_2_has_a_place_for_each_parameter(tmp_path):
    for what in ("printed", "declared", "Theorem 2"):
        found = TASKS["pram beside"]({"what": what, "rows": 20_000, "setup": "II"}, 0, tmp_path)
        assert {int(name.split()[1]) for name in found} == set(range(1, PARAMETERS + 1))
    two = TASKS["pram beside"]({"what": "Theorem 2", "rows": 20_000, "setup": "II", "p of X": 0.25}, 0, tmp_path)
    assert {parameter_words(int(name.split()[1])) for name in two} == {"P(X = 0 | E = 0)", "P(X = 0 | E = 1)"}


def test_estimates_without_randomising_are_those_of_the_rows(tmp_path):
    found = TASKS["pram estimates"]({"rows": 500, "p": 0.0, "runs": 1}, 0, tmp_path)
    assert [found[f"off {b}{c}"] for b in "01" for c in "01"] == pytest.approx([0] * 4, abs=1e-6)
    assert [found[f"sd {b}{c}"] for b in "01" for c in "01"] == [0] * 4
    assert found["likely 00"] == pytest.approx(found["00"], abs=1e-3)


def test_the_largest_p_grows_with_the_rows(tmp_path):
    found = [
        TASKS["pram largest p"]({"rows": rows, "c": 0.05, "runs": 2, "by": by}, 0, tmp_path)["p*"]
        for by in ("Theorem 2", "runs")
        for rows in (500, 50_000)
    ]
    assert found[0] < found[1]
    assert found[2] < found[3]
    assert TASKS["pram largest p"]({"rows": 500, "c": 1e9, "runs": 1, "by": "Theorem 2"}, 0, tmp_path) == {"p*": 0.5}


def test_printed_formulas_are_biased_and_repaired_ones_are_not(tmp_path):
    for node in range(len(TABLE_2_COLUMNS)):
        assert (
            TASKS["pram order of factors"]({"node": node, "as_printed": False, "runs": 0}, 0, tmp_path)["bias"] < 1e-9
        )
    of_d = {"node": TABLE_2_COLUMNS.index("D"), "as_printed": True}
    exact, measured = (TASKS["pram order of factors"](of_d | {"runs": runs}, 0, tmp_path)["bias"] for runs in (0, 20))
    assert exact > 0.1
    assert measured == pytest.approx(exact, abs=0.1)
    assert TASKS["pram marginal matrix"]({"share": 0.2, "as_printed": False}, 0, tmp_path)["bias"] < 1e-9
    assert TASKS["pram marginal matrix"]({"share": 0.2, "as_printed": True}, 0, tmp_path)["bias"] > 0.05


def test_structure_is_learnt_and_compared_with_that_of_the_clean_rows(tmp_path):
    params = {"network": "figure 3", "rows": 5_000, "p": 0.05, "method": "likelihood"}
    found = TASKS["pram structure"](params, 0, tmp_path)
    assert found["links in error"] == found["extra"] + found["missing"] <= 2
    assert 0 < found["KL"] < 0.1
    none = TASKS["pram structure"](params | {"method": "bic", "penalty": "N/2"}, 0, tmp_path)
    assert none["links"] == 0  # the printed penalty admits no link
    assert none["KL"] > found["KL"]


@pytest.mark.skipif(find_spec("pgmpy") is None, reason="the networks are in pgmpy's package")
@pytest.mark.parametrize(("name", "columns", "links"), [("alarm", 37, 46), ("insurance", 27, 52)])
def test_real_networks_are_split_among_three_parties(name, columns, links):
    network = network_named(name).network
    assert (len(network.domain), len(links_of(network))) == (columns, links)
    parties = parties_of(name)
    assert len(parties) == 3
    assert [name for party in parties for name in party] == [attribute.name for attribute in network.domain]


def test_real_networks_that_are_not_there_are_told_before_anything_runs(monkeypatch):
    monkeypatch.setattr("research.tasks._pram_structure.find_spec", lambda name: None)
    with pytest.raises(TableError, match=r"ALARM is read from the package pgmpy.*make setup"):
        check_ready(["pram-real"], "no-such-folder")
