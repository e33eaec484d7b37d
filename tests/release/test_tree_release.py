"""A release whose model is a junction tree: saved, loaded, asked, sampled, drawn and exported like a network's."""

import json

import numpy as np
import pandas as pd
import pytest

from tests.release.models import make_tree
from understudy.cli._main import run
from understudy.release import load_model


@pytest.fixture
def path(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make_tree().save("model.understudy")
    return "model.understudy"


def test_the_file_gives_the_same_model_and_the_same_bytes(path, tmp_path):
    loaded, made = load_model(path), make_tree()
    loaded.save("again.understudy")
    assert (tmp_path / "again.understudy").read_bytes() == (tmp_path / path).read_bytes()
    assert loaded.model.tree.cliques == made.model.tree.cliques
    for mine, theirs in zip(loaded.model.measurements, made.model.measurements, strict=True):
        assert np.array_equal(mine.values, theirs.values)
        assert (mine.marginal, mine.variance, mine.interaction) == (
            theirs.marginal,
            theirs.variance,
            theirs.interaction,
        )


def test_query_answers_under_a_condition_with_intervals(path, capsys):
    assert run(["query", path, "sex | age=60..99, marital status=single", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    # by hand: ages are merged above 60, so the condition weighs the last merged code
    tree = make_tree().model.tree
    column = tree.beliefs[0][:, 3] / tree.beliefs[0][:, 3].sum()
    assert [row["probability"] for row in rows] == pytest.approx(column.tolist())
    assert all(row["low"] <= row["probability"] <= row["high"] for row in rows)
    assert rows[0]["low"] < rows[0]["high"]


def test_sample_keeps_a_condition(path):
    assert run(["sample", path, "-n", "200", "--where", "age=60..79, sex=Male", "-o", "s.csv", "--seed", "1"]) == 0
    frame = pd.read_csv("s.csv")
    assert len(frame) == 200
    assert set(frame["sex"]) == {"Male"}
    assert frame["age"].between(60, 79).all()


def test_draw_shows_relations_and_export_a_network(path, tmp_path):
    assert run(["draw", path, "-o", "tree.svg"]) == 0
    picture = (tmp_path / "tree.svg").read_text()
    assert "sex – age" in picture
    assert "1 relation" in picture
    assert "marital status –" not in picture
    assert run(["export", path, "-o", "tree.bif"]) == 0
    assert "probability ( sex | age_1 )" in (tmp_path / "tree.bif").read_text()


def test_pgmpy_has_the_tables_of_the_network(path):
    pytest.importorskip("pgmpy")
    published = load_model(path)
    network, model = published.to_pgmpy(), published.model
    for node, table in zip(model.network.nodes, model.conditionals, strict=True):
        found = network.get_cpds(model.domain[node.child].name).values
        assert np.moveaxis(found, 0, -1) == pytest.approx(table)


def test_networkx_has_the_merged_values_as_a_helper(path):
    pytest.importorskip("networkx")
    graph = load_model(path).to_networkx()
    assert ("age", "age@1") in graph.edges
    assert graph.nodes["age@1"]["size"] == 4
