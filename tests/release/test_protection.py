"""The protection table, end to end: statement, letter, picture, model file, command line."""

from __future__ import annotations

import json
from fractions import Fraction
from xml.etree import ElementTree

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from tests.promises import STRICT, STRICT_FLAGS
from understudy.cli._main import run as main
from understudy.models import consistent_tables
from understudy.release import ProtectionLine, Statement, load_model, privacy_letter

FIELDS = [
    {"name": "sex", "categories": ["f", "m"]},
    {"name": "job", "categories": ["a", "b", "c"]},
    {"name": "ill", "categories": ["HIV", "cold", "flu"], "sensitivity": "high", "sensitivities": {"HIV": 3}},
]


def people(n=600):
    rng = np.random.default_rng(0)
    return pa.table({f["name"]: rng.choice(f["categories"], n) for f in FIELDS})


def publish(tmp_path, **options):
    given = {"method": "hpprivbayes", **STRICT} | options
    return us.publish(people(), schema={"name": "people", "fields": FIELDS}, epsilon=1, out=tmp_path / "r", **given)


def lines(statement):
    return {(line.attributes, line.value): line for line in statement.protection}


def test_a_release_states_columns_and_values_in_words_figures_and_a_picture(tmp_path):
    release = publish(tmp_path)
    found = lines(release.statement)
    assert found[(), None].promised == 1
    assert found[("ill",), None].promised == Fraction(1, 4)
    assert found[("ill",), "HIV"].released < found[("ill",), "cold"].released <= Fraction(1, 4)
    assert found[("sex",), None].promised == 1
    letter = (tmp_path / "r" / "PRIVACY.md").read_text()
    assert "| ill, from or to *HIV* | 0.25 |" in letter
    assert ElementTree.parse(tmp_path / "r" / "protection.svg").getroot().tag.endswith("svg")
    written = json.loads((tmp_path / "r" / "privacy.json").read_text())["protection"]
    assert {"attributes": ["ill"], "value": None, "promised": "1/4"}.items() <= written[3].items()
    assert load_model(tmp_path / "r" / "model.understudy").statement.protection == release.statement.protection


def test_unequal_noise_survives_the_model_file_and_gives_larger_errors_to_heavy_values(tmp_path):
    release = publish(tmp_path, seed=1)
    again = load_model(tmp_path / "r" / "model.understudy")
    measured = [m for m in again.model.measurements if m.factors]
    assert [m.factors for m in measured] == [m.factors for m in release.model.model.measurements if m.factors]
    variances = np.concatenate([m.variances().ravel() for m in measured])
    assert len(set(variances.round(6))) == 2
    errors = again.query("ill").standard_error
    assert errors is not None
    assert errors[0] > errors[1:].max()


def test_promises_alone_are_stated_under_epsilon_and_delta(tmp_path):
    found = lines(publish(tmp_path, delta="1e-9").statement)
    assert all(line.released is None and line.value is None for line in found.values())
    assert found[("ill",), None].promised < Fraction(6, 10)  # a quarter of ρ is about half of ε
    assert found[(), None].promised == 1


def test_under_add_remove_a_change_of_values_may_cost_twice_as_much(tmp_path):
    found = lines(publish(tmp_path, neighbours="add-remove").statement)
    assert found[("ill",), None].promised == Fraction(1, 2)
    assert found[("sex",), None].promised == 2
    assert "the row is there or not" in (tmp_path / "r" / "PRIVACY.md").read_text()


def test_other_methods_say_in_one_sentence_that_a_column_alone_costs_less(tmp_path):
    release = us.publish("demo", epsilon=1, out=tmp_path / "r", **STRICT)
    assert not release.statement.unequal
    assert not (tmp_path / "r" / "protection.svg").exists()
    assert "If only one column of one person's row would change" in (tmp_path / "r" / "PRIVACY.md").read_text()
    assert all(line.promised == 1 and line.released <= 1 for line in release.statement.protection)


def test_under_add_remove_no_column_is_said_to_cost_less_than_epsilon_when_it_may_cost_twice_that(tmp_path):
    fields = [{"name": name, "categories": ["f", "m"]} for name in "ab"]
    table = pa.table({name: np.random.default_rng(0).choice(["f", "m"], 500) for name in "ab"})
    release = us.publish(table, schema={"fields": fields}, epsilon=1, delta=0, out=tmp_path / "r")
    alone = max(line.released for line in release.statement.protection if line.attributes)
    assert 1 < alone <= 2
    letter = (tmp_path / "r" / "PRIVACY.md").read_text()
    assert "2ε covers any change" in letter
    assert "less" not in letter.split("If only one column")[1].split(".")[0]


def test_with_delta_the_table_bounds_how_often_guesses_are_right_not_each_guess(tmp_path):
    publish(tmp_path, delta="1e-2")
    letter = (tmp_path / "r" / "PRIVACY.md").read_text()
    assert "an even guess becomes" not in letter
    assert "whatever comes out" not in letter
    assert "| **anything: the whole row** | 1 | 73.4 % |" in letter  # (e + 0.01)/(1 + e)


def test_runs_without_a_price_state_no_protection(tmp_path):
    release = publish(tmp_path, method="hpprivbayes-as-printed", no_guarantee=True)
    assert release.statement.protection == ()
    assert release.statement.stamp == "NOT PRIVATE: as printed"
    assert not (tmp_path / "r" / "protection.svg").exists()
    with pytest.raises(us.OptionError, match="exact counts"):
        us.publish("demo", epsilon=1, out=tmp_path / "s", method="hpprivbayes-as-printed", sensitive="age")


@pytest.mark.parametrize("printed", [False, True])
def test_releases_with_columns_called_sensitive_can_be_evaluated(tmp_path, printed):
    plain = {"name": "people", "fields": [{"name": f["name"], "categories": f["categories"]} for f in FIELDS]}
    method = "hpprivbayes-as-printed" if printed else "hpprivbayes"
    us.publish(
        people(),
        schema=plain,
        epsilon=1,
        out=tmp_path / "r",
        method=method,
        sensitive="ill",
        no_guarantee=printed,
        **STRICT,
    )
    for page in (us.evaluate(people(), tmp_path / "r", classifiers=False), us.public_report(tmp_path / "r")):
        assert ("NOT PRIVATE: as printed" in page.html()) == printed


def test_hostile_names_do_not_break_letter_or_picture():
    line = ProtectionLine(attributes=("a|b<script>",), value="x\n| y", promised=Fraction(1, 4), released=Fraction(1, 5))
    whole = ProtectionLine(attributes=(), promised=Fraction(1), released=Fraction(1))
    letter = privacy_letter(Statement.example(protection=(whole, line)))
    assert "<script>" not in letter
    assert "a\\|b" in letter


@pytest.mark.parametrize(("unit", "said"), [
    ({}, "a part of one row and of nothing else"),
    ({"unit": "one person"}, "a part of one person's row and of nothing else"),
    ({"max_rows": 5, "bounding": "drop"}, "a part of a unit's rows and of nothing else"),
])  # fmt: skip
def test_the_section_is_worded_for_the_unit(unit, said):
    lines = tuple(ProtectionLine(attributes=(name,), promised=Fraction(1, k)) for k, name in enumerate("ab", 1))
    assert said in privacy_letter(Statement.example(protection=lines, **unit))


def test_many_lines_are_cut_in_letter_and_picture():
    many = tuple(
        ProtectionLine(attributes=(f"c{i}",), promised=Fraction(1, i + 1), released=Fraction(1, i + 2))
        for i in range(200)
    )
    letter = privacy_letter(Statement.example(protection=many))
    assert "more lines, all listed in `privacy.json`" in letter


def test_the_command_line_marks_columns_and_tells_bad_names(tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(tmp_path)
    base = ["publish", "demo", "--epsilon", "1", "--method", "hpprivbayes", *STRICT_FLAGS]
    assert main([*base, "--sensitive", "age,income", "--sensitive", "sex", "--out", "ok"]) == 0
    statement = json.loads((tmp_path / "ok" / "privacy.json").read_text())
    assert statement["options"]["sensitive"] == "sex, age, income"
    capsys.readouterr()
    for wrong, sentence in (
        (["--sensitive", "agee"], "Did you mean 'age'"),
        (["--sensitive", "age", "--option", "r=0"], "'r' parameter of HPPrivBayes must be a number above 0"),
        (["--sensitive", "age", "--option", "L1=0.2", "--option", "L2=0.2", "--option", "L3=0.2"], "add up to 1"),
        (["--sensitive", "age", "--method", "hpprivbayes-as-printed"], "docs/hpprivbayes.md"),
        ([], "no column is declared sensitive"),
    ):
        assert main([*base, *wrong, "--out", "wrong"]) == 2
        assert sentence in " ".join(capsys.readouterr().err.split())
    printed = ["--method", "hpprivbayes-as-printed", "--no-guarantee", "--out", "printed"]
    assert main([*base, "--sensitive", "age", *printed]) == 0
    assert (tmp_path / "printed" / "synthetic.NOT-PRIVATE.csv").exists()


def test_the_estimator_takes_the_same_options():
    model = us.HPPrivBayes(epsilon=1, r=0.25, seed=1, **STRICT).fit(people(), {"fields": FIELDS})
    assert lines(model.statement_)[("ill",), None].promised == Fraction(1, 5)
    assert repr(us.HPPrivBayes(epsilon=1, sensitive="ill")) == "HPPrivBayes(epsilon=1, sensitive='ill')"


def test_fitting_trusts_cells_by_their_own_noise():
    """Two tables share a margin; where one of them is noisy, the other decides."""
    from understudy.privacy import Measurement, NoiseLevel
    from understudy.schema import Attribute, Domain, Marginal

    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2)))
    level = NoiseLevel(kind="laplace", scale=Fraction(5))
    exact = Measurement(marginal=Marginal.of(0), counts=np.array([500, 500]), noise=level)
    uneven = Measurement(
        marginal=Marginal.of(0, 1),
        counts=np.array([[350, 350], [250, 250]]),
        noise=level,
        factors=((Fraction(1, 100), Fraction(1)), ()),
    )
    one, both = consistent_tables([exact, uneven], domain, 1000)
    assert one[0] == pytest.approx(500, abs=8)
    assert both.sum() == pytest.approx(1000)
