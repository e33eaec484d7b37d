"""`publish`: one call from table to release folder."""

import json
import os
import zipfile
from fractions import Fraction

import pandas as pd
import pyarrow.parquet as pq
import pytest

import understudy as us
from tests.api.people import SCHEMA, people
from tests.promises import STRICT
from understudy._core.errors import OptionError
from understudy.privacy import open_curator
from understudy.release import whole_folder

FILES = [
    "PRIVACY.md",
    "README.md",
    "croissant.json",
    "model.understudy",
    "network.svg",
    "privacy.json",
    "synthetic.csv",
]


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False)
    return path


def publish(source, tmp_path, **options):
    return us.publish(source, **{"schema": SCHEMA, "epsilon": 1, "out": tmp_path / "release"} | options)


def test_a_release_has_all_its_files_and_a_table_like_the_original(table, tmp_path):
    release = publish(table, tmp_path)
    assert sorted(os.listdir(tmp_path / "release")) == FILES
    synthetic = pd.read_csv(release.synthetic)
    original = pd.read_csv(table)
    assert list(synthetic.columns) == list(original.columns)
    assert len(synthetic) == release.n_rows == release.statement.n_rows
    assert list(synthetic.dtypes) == list(original.dtypes)
    assert sorted(path.name for path in release.files) == FILES


def test_every_file_agrees_on_epsilon(table, tmp_path):
    publish(table, tmp_path, epsilon="1/3")
    folder = tmp_path / "release"
    statement = json.loads((folder / "privacy.json").read_text())
    assert statement["epsilon"] == "1/3"
    assert json.loads((folder / "croissant.json").read_text())["dp:epsilon"] == pytest.approx(1 / 3)
    assert us.load(folder / "model.understudy").statement.epsilon == Fraction(1, 3)
    assert "ε = 0.333333" in (folder / "PRIVACY.md").read_text()


def test_the_charges_add_up_to_the_budget_exactly(table, tmp_path):
    charges = publish(table, tmp_path, epsilon="0.7", delta=0).statement.charges
    assert sum(charge.cost for charge in charges) <= Fraction(7, 10)
    assert {charge.unit for charge in charges} == {"epsilon"}


def test_a_parquet_table_comes_back_as_parquet(tmp_path):
    path = tmp_path / "people.parquet"
    people().to_parquet(path)
    release = publish(path, tmp_path)
    assert release.synthetic.name == "synthetic.parquet"
    assert pq.read_table(release.synthetic).column_names == list(people().columns)
    assert (
        pq.read_metadata(release.synthetic).metadata[b"understudy.guarantee"]
        == b"(epsilon, delta)-differential privacy"
    )


def test_a_seeded_parquet_table_says_so_inside(table, tmp_path):
    release = publish(table, tmp_path, seed=1, format="parquet")
    assert pq.read_metadata(release.synthetic).metadata[b"understudy.guarantee"] == b"NOT PRIVATE: seeded"


def test_the_original_column_order_wins_over_the_schemas(tmp_path):
    frame = people()[["job", "smokes", "sex", "age"]]
    release = publish(frame, tmp_path, format="parquet", n=10)
    assert pq.read_table(release.synthetic).column_names == ["job", "smokes", "sex", "age"]
    assert release.n_rows == 10


def test_a_seeded_run_repeats_and_is_stamped_in_every_output(table, tmp_path):
    one = publish(table, tmp_path, seed=7, out=tmp_path / "one")
    two = publish(table, tmp_path, seed=7, out=tmp_path / "two")
    assert one.synthetic.name == "synthetic.NOT-PRIVATE.csv"
    for path in one.files:
        assert path.read_bytes() == (two.path / path.name).read_bytes(), path.name
    stamp = "NOT PRIVATE: seeded"
    for name in ("privacy.json", "PRIVACY.md", "croissant.json", "network.svg"):
        assert stamp in (one.path / name).read_text(), name
    with zipfile.ZipFile(one.path / "model.understudy") as file:
        assert stamp in file.read("statement.json").decode()


def test_two_private_runs_differ(table, tmp_path):
    one, two = (publish(table, tmp_path, out=tmp_path / name) for name in ("one", "two"))
    assert one.synthetic.read_bytes() != two.synthetic.read_bytes()
    assert one.statement.stamp is None


@pytest.mark.parametrize("diagnostic", ["no-privacy", "best-network", "best-marginals"])
def test_a_diagnostic_run_never_carries_a_guarantee(table, tmp_path, diagnostic):
    ledger = tmp_path / "budget.db"
    release = publish(table, tmp_path, diagnostic=diagnostic, ledger=ledger, cap=1)
    assert release.statement.stamp == f"NO GUARANTEE: diagnostic run ({diagnostic})"
    assert "NO GUARANTEE" in (release.path / "PRIVACY.md").read_text()
    assert any(charge.cost is None for charge in release.statement.charges)
    assert release.statement.ledger is None


def test_with_a_delta_the_costs_are_in_mu_squared(table, tmp_path):
    statement = publish(table, tmp_path).statement
    assert {charge.unit for charge in statement.charges} == {"mu_squared"}
    assert sum(charge.cost for charge in statement.charges) <= statement.mu_squared
    assert statement.guarantee == "(epsilon, delta)-differential privacy"


def test_a_delta_of_one_in_rows_or_more_is_warned_about(table, tmp_path):
    release = publish(table, tmp_path, delta="0.01")
    assert any("delta is not below 1/rows" in warning for warning in release.statement.warnings)
    assert "delta is not below" in (release.path / "PRIVACY.md").read_text()


def test_a_tiny_epsilon_publishes_independent_columns_and_says_so(table, tmp_path):
    release = publish(table, tmp_path, epsilon="0.001")
    assert release.model.model.network.degree == 0
    assert any("independent of each other" in warning for warning in release.statement.warnings)


def test_add_remove_publishes_a_noisy_number_of_rows(table, tmp_path):
    statement = publish(table, tmp_path, neighbours="add-remove").statement
    assert not statement.n_public
    assert any(charge.what == "rows" for charge in statement.charges)


def test_draft_fields_are_refused_with_the_reason(table, tmp_path):
    schema = json.loads(json.dumps(SCHEMA))
    schema["fields"][1]["origin"] = "draft"
    with pytest.raises(us.SchemaError, match=r"'age'.*voids the guarantee.*--trust-draft"):
        publish(table, tmp_path, schema=schema)
    release = publish(table, tmp_path, schema=schema, trust_draft=True)
    assert release.statement.trusted_drafts == ("age",)
    assert "read off the private table" in (release.path / "PRIVACY.md").read_text()


@pytest.mark.parametrize("epsilon", [0, -1, float("nan"), float("inf"), "text", "", None, True])
def test_an_impossible_epsilon_is_refused(table, tmp_path, epsilon):
    with pytest.raises(us.OptionError, match="epsilon"):
        publish(table, tmp_path, epsilon=epsilon)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"delta": 2}, "delta"),
        ({"method": "privbays"}, "Did you mean 'privbayes'"),
        ({"neighbours": "cousins"}, "replace-one"),
        ({"seed": -1}, "seed"),
        ({"seed": "7"}, "seed"),
        ({"n": -1}, "n"),
        ({"format": "xls"}, "one of csv, parquet"),
        ({"noise": "loud"}, "noise"),
        ({"diagnostic": "all"}, "diagnostic"),
        ({"betta": 0.2}, "Did you mean 'beta'"),
        ({"beta": 2}, "beta"),
        ({"cap": 3}, "ledger"),
        ({"schema": 3}, "schema must be"),
        ({"schema": None}, "a schema is needed"),
    ],
)
def test_a_wrong_option_is_a_sentence_and_nothing_is_written(table, tmp_path, options, words):
    with pytest.raises(us.UserError, match=words):
        publish(table, tmp_path, **options)
    assert sorted(os.listdir(tmp_path)) == ["people.csv"]


def test_everything_checkable_is_checked_before_the_table_is_read(tmp_path):
    """The table does not exist: whoever complains about something else has not looked for it."""
    missing = tmp_path / "missing.csv"
    with pytest.raises(us.OptionError, match="epsilon"):
        publish(missing, tmp_path, epsilon=0)
    (tmp_path / "release").mkdir()
    with pytest.raises(us.OutputError, match="already exists"):
        publish(missing, tmp_path, format="csv")


def test_the_ledger_is_charged_once_and_its_hash_is_in_the_statement(table, tmp_path):
    ledger = tmp_path / "budget.db"
    release = publish(table, tmp_path, ledger=ledger, dataset="people-2024", cap=3)
    book = us.SQLiteLedger(ledger, dataset="people-2024")
    assert book.spent() == 1
    assert release.statement.ledger.head == book.head()
    assert book.head() in (release.path / "PRIVACY.md").read_text()


def test_over_the_cap_is_refused_before_anything_runs(table, tmp_path):
    ledger = tmp_path / "budget.db"
    publish(table, tmp_path, ledger=ledger, cap="1.5")
    with pytest.raises(us.BudgetExceeded, match=r"but 0\.5 of its cap 1\.5 is left"):
        publish(tmp_path / "missing.csv", tmp_path, ledger=ledger, out=tmp_path / "again", format="csv")
    assert not (tmp_path / "again").exists()


def test_a_rehearsal_charges_nothing(table, tmp_path):
    ledger = tmp_path / "budget.db"
    release = publish(table, tmp_path, ledger=ledger, cap=1, seed=3)
    assert release.statement.ledger is None
    assert us.SQLiteLedger(ledger, dataset="people", cap=1).spent() == 0


def test_a_table_with_faults_is_not_charged_for(tmp_path):
    frame = people()
    frame.loc[3, "age"] = 500
    ledger = tmp_path / "budget.db"
    with pytest.raises(us.TableError, match="age") as caught:
        publish(frame, tmp_path, ledger=ledger, cap=1)
    assert "500" not in str(caught.value)
    assert us.SQLiteLedger(ledger, dataset="people", cap=1).spent() == 0
    assert not (tmp_path / "release").exists()


def test_an_interrupt_while_writing_leaves_no_folder_and_tells_that_the_charge_stays(table, tmp_path, monkeypatch):
    def interrupt(*args, **kwargs):
        raise KeyboardInterrupt

    monkeypatch.setattr("understudy.release._write.privacy_letter", interrupt)
    with pytest.raises(KeyboardInterrupt) as caught:
        publish(table, tmp_path, ledger=tmp_path / "budget.db", cap=1)
    assert "stays in the ledger" in caught.value.__notes__[0]
    assert not (tmp_path / "release").exists()
    assert [name for name in os.listdir(tmp_path) if name.endswith(".part")] == []
    assert us.SQLiteLedger(tmp_path / "budget.db", dataset="people").spent() == 1


def test_a_full_disk_is_told_before_budget_is_spent(table, tmp_path, monkeypatch):
    monkeypatch.setattr("shutil.disk_usage", lambda path: type("Usage", (), {"free": 5})())
    with pytest.raises(us.OutputError, match="Nothing was spent"):
        publish(table, tmp_path, ledger=tmp_path / "budget.db", cap=1)
    assert us.SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=1).spent() == 0


@pytest.mark.parametrize("n", [1, 2])
def test_a_table_of_one_row_can_be_published(tmp_path, n):
    assert publish(people(n), tmp_path).n_rows >= 1
    assert publish(people(n), tmp_path, overwrite=True, neighbours="replace-one").n_rows == n


def test_a_table_of_one_column_with_one_value_can_be_published(tmp_path):
    frame = pd.DataFrame({"same": ["x"] * 20})
    release = publish(frame, tmp_path, schema={"fields": [{"name": "same", "categories": ["x"]}]})
    assert set(pd.read_csv(release.synthetic)["same"]) == {"x"}


def test_the_card_names_who_publishes_under_which_licence(table, tmp_path):
    publish(table, tmp_path, license="https://example.org/l", creator="An Office", url="https://example.org")
    card = json.loads((tmp_path / "release" / "croissant.json").read_text())
    assert card["license"] == "https://example.org/l"
    assert card["creator"]["name"] == "An Office"
    assert [field["name"] for field in card["recordSet"][0]["field"]] == ["sex", "age", "smokes", "job"]
    assert card["conformsTo"][0] == "http://mlcommons.org/croissant/1.0"
    assert {item["name"] for item in card["distribution"]} == set(FILES) - {"croissant.json"}


@pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of what mlcroissant reads cards with
def test_the_card_is_valid_croissant(table, tmp_path):
    import mlcroissant

    publish(table, tmp_path)
    card = mlcroissant.Dataset(jsonld=tmp_path / "release" / "croissant.json").metadata
    assert card.name == "people-synthetic"
    assert card.ctx.issues.errors == set()


def test_the_demo_publishes_without_a_schema_of_its_own(tmp_path):
    release = us.publish("demo", epsilon=1, out=tmp_path / "release")
    assert release.statement.private
    assert release.statement.promise.named == "(ε = 1, δ = 1e-09), add-remove"
    assert (release.statement.method, release.statement.n_public) == ("auto", False)
    strict = us.publish("demo", epsilon=1, out=tmp_path / "strict", **STRICT)
    assert strict.statement.promise.named == "ε = 1, replace-one"
    assert (strict.n_rows, strict.statement.n_public) == (5912, True)
    assert strict.statement.mu_squared is None


def test_a_row_of_the_demo_is_one_person_in_python_too(tmp_path):
    assert us.publish("demo", epsilon=1, out=tmp_path / "r").statement.unit == "one person"
    assert us.publish("demo", epsilon=1, out=tmp_path / "s", unit="a member").statement.unit == "a member"


@pytest.mark.parametrize("delimiter", [",", ";", "\t", "|"])
def test_a_published_csv_has_the_delimiter_of_the_input(tmp_path, delimiter):
    path = tmp_path / "people.csv"
    people().to_csv(path, index=False, sep=delimiter)
    release = us.publish(path, schema=SCHEMA, epsilon=1, out=tmp_path / "r")
    table = pd.read_csv(release.synthetic, sep=delimiter)
    assert list(table.columns) == list(people().columns)
    card = json.loads((tmp_path / "r" / "croissant.json").read_text())
    assert ("description" in card["distribution"][0]) == (delimiter != ",")


def test_a_run_whose_target_is_taken_spends_nothing(tmp_path):
    ledger = tmp_path / "budget.db"
    with whole_folder(tmp_path / "release"), pytest.raises(us.OutputError, match="another run"):
        us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path / "release", ledger=ledger, cap=2)
    assert not ledger.exists()


def test_a_run_that_cannot_be_put_in_place_says_that_its_charge_stays(tmp_path, monkeypatch):
    def full(*args, **kwargs):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("understudy.release._folder._put_in_place", full)
    with pytest.raises(us.OutputError) as failed:
        us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path / "r", ledger=tmp_path / "budget.db", cap=2)
    assert "stays in the ledger" in failed.value.__notes__[0]


def test_a_budget_that_promises_next_to_nothing_is_said_to(tmp_path):
    release = us.publish(people(), schema=SCHEMA, epsilon=50, out=tmp_path / "r")
    assert any("an epsilon of 50 promises next to nothing" in warning for warning in release.statement.warnings)
    assert "promises next to nothing" in (tmp_path / "r" / "PRIVACY.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("option", [{"cap": 5}, {"dataset": "others"}, {"delta_cap": "1e-6"}])
def test_a_cap_beside_a_ledger_object_is_refused_not_ignored(tmp_path, option):
    for ledger in (us.MemoryLedger(cap=2), us.SQLiteLedger(tmp_path / "budget.db", dataset="people", cap=2)):
        with pytest.raises(us.OptionError, match=f"so {next(iter(option))} would have no effect"):
            us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path / "r", ledger=ledger, **option)
        with pytest.raises(us.OptionError, match="would have no effect"):
            us.PrivBayes(epsilon=1, ledger=ledger, **option).fit(people(), SCHEMA)
        assert ledger.spent() == 0


def test_a_ledger_in_memory_that_is_spent_is_told_before_the_table_is_read(tmp_path):
    with pytest.raises(us.BudgetExceeded, match="make the ledger with a larger cap"):
        us.publish(
            tmp_path / "no.csv", schema=SCHEMA, epsilon=3, out=tmp_path, format="csv", ledger=us.MemoryLedger(cap=2)
        )


def test_an_interrupt_between_the_charge_and_the_first_count_says_that_the_charge_stays(tmp_path, monkeypatch):
    ledger = us.MemoryLedger(dataset="people", cap=2)

    def stopped(*args, **options):
        open_curator(*args, **options)
        raise KeyboardInterrupt

    monkeypatch.setattr("understudy._api._fit.open_curator", stopped)
    with pytest.raises(KeyboardInterrupt) as stop:
        us.publish(people(), schema=SCHEMA, epsilon=1, out=tmp_path / "r", ledger=ledger)
    assert stop.value.__notes__ == ["The charge of epsilon 1 to dataset 'people' stays in the ledger."]
    assert ledger.spent() == 1


def test_bundled_tables_know_their_unit(tmp_path):
    def unit(source, **more):
        release = us.publish(source, epsilon=1, method="uniform", out=tmp_path / "release", overwrite=True, **more)
        return release.statement.unit

    assert unit("demo") == "one person"
    assert unit("demo-visits") == "one person: all rows with the same person, of which 5 at most count"
    assert unit("demo-visits", max_rows=2).endswith("of which 2 at most count")
    assert unit("demo-visits", unit="one year of a person") == "one year of a person"
    with pytest.raises(OptionError, match="needs units"):
        unit("demo", max_rows=2)
