"""Methods as their papers print them: refused without a word of consent, stamped everywhere, never charged."""

import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import understudy as us
from tests.promises import STRICT, STRICT_FLAGS
from understudy.cli._main import run
from understudy.methods import method_named, read_method
from understudy.privacy import read_ledger

NAMES = ("bread", "milk", "beer")
SCHEMA = {"name": "baskets", "fields": [{"name": name, "categories": ["no", "yes"]} for name in NAMES]}


@pytest.fixture
def baskets():
    cells = ["no", "yes", "no", "no", "yes", "no"] * 40
    return pa.table({name: cells[i : 200 + i] for i, name in enumerate(NAMES)})


def test_a_printed_form_without_consent_is_refused_in_one_line_with_a_link(baskets, tmp_path):
    with pytest.raises(us.OptionError) as refused:
        us.publish(baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", method="privabn-as-printed")
    sentence = str(refused.value)
    assert "\n" not in sentence
    assert "exact maxima" in sentence
    assert "docs/privabn.md#what-is-wrong-as-printed" in sentence
    assert not (tmp_path / "r").exists()


def test_consent_without_need_is_refused(baskets, tmp_path):
    for options in ({}, {"method": "privabn"}):
        with pytest.raises(us.OptionError, match="nothing to permit"):
            us.publish(baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", no_guarantee=True, **options)


def test_a_method_without_such_a_form_says_so(baskets, tmp_path):
    with pytest.raises(us.OptionError, match="no method 'privbayes-as-printed'"):
        us.publish(baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", method="privbayes-as-printed")


@pytest.mark.parametrize(
    ("word", "option", "other"),
    [
        ("jtree", "phi", "jtree-as-printed"),
        ("hpprivbayes", "mi_threshold", "hpprivbayes-as-printed"),
        ("jtree-as-printed", "pairs", "jtree"),
        ("privabn-as-printed", "beta", "privabn"),
    ],
)
def test_an_option_of_the_other_form_is_never_ignored(word, option, other):
    sentence = f"method '{word}' has no option '{option}'. It is one of '{other}'."
    with pytest.raises(us.OptionError) as in_python:
        method_named(word, **{option: 0.2})
    with pytest.raises(us.OptionError) as in_text:
        read_method(f"{word}:{option}=0.2")
    assert (str(in_python.value), str(in_text.value)) == (sentence, sentence)


@pytest.mark.parametrize("promise", [{"delta": 0}, {"neighbours": "replace-one"}, {}])
def test_a_printed_form_is_refused_under_another_promise_than_its_papers(baskets, tmp_path, promise):
    with pytest.raises(us.OptionError, match="Say --delta 0 --neighbours replace-one"):
        us.publish(
            baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", method="privabn-as-printed", no_guarantee=True,
            **promise,
        )  # fmt: skip
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("seed", [None, 3])
def test_every_output_is_stamped_and_no_ledger_charged(baskets, tmp_path, seed):
    ledger = tmp_path / "budget.db"
    release = us.publish(
        baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", method="privabn-as-printed", no_guarantee=True,
        **STRICT, ledger=ledger, cap="0.5", seed=seed,
    )  # fmt: skip
    stamp = "NOT PRIVATE: as printed" + ("" if seed is None else "; NOT PRIVATE: seeded")
    assert (release.statement.stamp, release.statement.private, release.statement.ledger) == (stamp, False, None)
    assert not any(entry.kind == "charge" for entry in (read_ledger(ledger).entries if ledger.exists() else ()))
    assert release.synthetic.name == "synthetic.NOT-PRIVATE.csv"
    letter = (tmp_path / "r" / "PRIVACY.md").read_text(encoding="utf-8")
    assert stamp in letter
    assert "The claim is wrong" in letter
    assert "no floating point" not in letter
    assert "unbounded" in letter
    assert stamp in (tmp_path / "r" / "network.svg").read_text(encoding="utf-8")
    assert json.loads((tmp_path / "r" / "privacy.json").read_text())["as_printed"]
    loaded = us.load(tmp_path / "r" / "model.understudy")
    assert loaded.statement == release.statement


def test_a_seed_repeats_a_run_as_printed(baskets, tmp_path):
    options = {"epsilon": 1, "method": "privabn-as-printed", "no_guarantee": True, "seed": 4, **STRICT}
    one, other = (us.publish(baskets, schema=SCHEMA, out=tmp_path / word, **options) for word in "ab")
    assert one.model.sample(50, seed=1).equals(other.model.sample(50, seed=1))


def test_no_priv_abn_is_the_diagnostic_without_noise(baskets, tmp_path):
    model = us.publish(
        baskets, schema=SCHEMA, epsilon=1, out=tmp_path / "r", method="privabn-as-printed", no_guarantee=True,
        diagnostic="no-privacy", **STRICT,
    ).model  # fmt: skip
    assert model.statement.stamp == "NOT PRIVATE: as printed; NO GUARANTEE: diagnostic run (no-privacy)"
    exact = baskets.group_by("bread").aggregate([([], "count_all")]).to_pydict()
    shares = {value: count / baskets.num_rows for value, count in zip(exact["bread"], exact["count_all"], strict=True)}
    assert model.query("bread").probabilities.tolist() == pytest.approx([shares["no"], shares["yes"]])


def test_a_plan_needs_no_consent():
    plan = us.plan(schema=SCHEMA, epsilon=1, rows=200, method="privabn-as-printed", **STRICT)
    assert "no guarantee" in plan.notes[0]


def test_a_comparison_names_them_as_without_a_guarantee(baskets, tmp_path):
    found = us.compare(
        baskets, schema=SCHEMA, methods=["privabn", "privabn-as-printed"], epsilons=[1], seeds=1, ways=[2],
        out=tmp_path / "c", **STRICT,
    )  # fmt: skip
    assert [row["method"] for row in found.rows_of_table()] == ["privabn", "privabn-as-printed (no guarantee)"]
    assert "(no guarantee)" in (tmp_path / "c" / "comparison.html").read_text(encoding="utf-8")


@pytest.fixture
def files(baskets, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pq.write_table(baskets, "baskets.parquet")
    (tmp_path / "s.json").write_text(json.dumps(SCHEMA))
    return ["baskets.parquet", "--schema", "s.json", "--epsilon", "1", "--method"]


def test_the_command_line_wants_both_words(files, capsys, tmp_path):
    assert run(["publish", *files, "privabn-as-printed"]) == 2
    told = capsys.readouterr().err
    assert "docs/privabn.md" in told
    assert told.count("\n") == 1
    assert not (tmp_path / "release").exists()
    assert run(["publish", *files, "privabn-as-printed", "--no-guarantee", *STRICT_FLAGS]) == 0
    assert "*** NOT PRIVATE: as printed" in capsys.readouterr().out


def test_auto_says_on_screen_and_in_the_statement_what_it_chose_and_why(files, capsys, tmp_path):
    assert run(["publish", *files, "auto", "--delta", "0"]) == 0
    assert "Method: adaptive, since all 3 columns have two values" in capsys.readouterr().out
    options = json.loads((tmp_path / "release" / "privacy.json").read_text())["options"]
    assert options["chosen"] == "adaptive"
    assert "all 3 columns have two values" in (tmp_path / "release" / "PRIVACY.md").read_text(encoding="utf-8")
    assert run(["plan", *files, "auto", "--rows", "200"]) == 0
    assert "Chosen: adaptive, since with a δ" in capsys.readouterr().out
    assert run(["plan", *files, "auto", "--rows", "200", "--delta", "0"]) == 0
    assert "Chosen: adaptive, since all 3 columns have two values" in capsys.readouterr().out
