"""A release of another kind than a network, and methods whose model could not be released."""

import json
import zipfile
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pytest

import understudy as us
from tests.models.worked_example import columns_model
from tests.promises import STRICT
from understudy.counting import MemoryCounter
from understudy.methods import BASELINES, METHODS, MWEM, Contingency, PrivBayes, method_named, models_made
from understudy.models import KINDS, JointModel, Model, NetworkModel, TablesModel, clip_and_rescale
from understudy.privacy import NoisyTables, make_budget, make_noise, open_curator, read_ledger
from understudy.release import load_model
from understudy.schema import Attribute, Domain, Marginal, Schema
from understudy.tables import Table, read_table

FIELDS = [
    {"name": "sex", "categories": ["F", "M"]},
    {"name": "smokes", "categories": ["no", "yes", "used to"]},
    {"name": "country", "categories": ["here"]},
]
SCHEMA = {"name": "people", "fields": FIELDS}


@pytest.fixture(scope="module")
def table():
    return pa.table({"sex": ["F", "M"] * 400, "smokes": ["no", "no", "yes", "no"] * 200, "country": ["here"] * 800})


@pytest.fixture(scope="module")
def release(table, tmp_path_factory):
    out = tmp_path_factory.mktemp("joint") / "release"
    return us.publish(table, schema=SCHEMA, epsilon=2, method=MWEM(ways=2), out=out, **STRICT)


def test_a_joint_is_released_without_a_drawing(release):
    names = {path.name for path in release.path.iterdir()}
    assert names == {"synthetic.csv", "model.understudy", "privacy.json", "PRIVACY.md", "README.md", "croissant.json"}
    assert {path.name for path in release.files} == names
    card = json.loads((release.path / "croissant.json").read_text())
    assert not any("svg" in file["name"] for file in card["distribution"])
    with zipfile.ZipFile(release.path / "model.understudy") as file:
        assert set(file.namelist()) == {
            "manifest.json", "schema.json", "joint.json", "statement.json", "table-00000.npy",
        }  # fmt: skip
        assert json.loads(file.read("joint.json")) == {"kind": "joint", "n": 800}


def test_a_joint_that_was_loaded_samples_and_answers_as_before(release):
    loaded = load_model(release.path / "model.understudy")
    assert loaded.model.kind == "joint"
    assert isinstance(loaded.model, JointModel)
    assert np.array_equal(loaded.model.probabilities, release.model.model.probabilities)
    one, other = (model.sample(100, where={"smokes": "yes"}, seed=1) for model in (release.model, loaded))
    assert one.equals(other)
    answer = loaded.query("sex | smokes=yes")
    assert answer.probabilities.sum() == pytest.approx(1)
    assert answer.low is None  # nothing is known of its errors


@pytest.mark.parametrize("export", ["to_bif", "to_pgmpy", "to_networkx", "to_svg"])
def test_what_only_networks_can_do_is_told_of_a_joint(release, export):
    with pytest.raises(us.OptionError, match="this model is of kind 'joint'"):
        getattr(release.model, export)()


def test_a_report_lives_without_a_network(table, release):
    page = us.evaluate(table, release.path, classifiers=False).save(release.path.parent / "report.html").read_text()
    assert "<h1" in page
    us.public_report(release.path)


@dataclass(frozen=True)
class Unsaid:
    """A method that does not say what it makes."""

    name: ClassVar[str] = "unsaid"
    inner: ClassVar[PrivBayes] = PrivBayes()

    def check(self, *given):
        self.inner.check(*given)

    def describe(self, *given):
        return self.inner.describe(*given)

    def remarks(self, model, rows):
        return ()

    def plan(self, *given):
        return self.inner.plan(*given)

    def fit(self, curator, *, streams=None, progress=None):
        return self.inner.fit(curator, streams=streams, progress=progress)


@dataclass(frozen=True)
class Foreign(Unsaid):
    """A method from elsewhere that makes networks and says so."""

    makes: ClassVar[type[Model]] = NetworkModel


class Strange(NetworkModel):
    """Nobody could read it back as what it is."""

    kind: ClassVar[str] = "strange"


@dataclass(frozen=True)
class Stranger(Unsaid):
    """A method whose model no file can hold."""

    makes: ClassVar[type[Model]] = Strange


@dataclass(frozen=True)
class Liar(Foreign):
    """A method that makes something else than it says."""

    def fit(self, curator, *, streams=None, progress=None):
        return TablesModel(curator.domain, curator.measure_rows(share=curator.share_left), {})


def charges(path):
    return [entry for entry in (read_ledger(path).entries if path.exists() else ()) if entry.kind == "charge"]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (Unsaid(), "Unsaid is no method yet: it lacks makes"),
        (object(), "object is no method yet: it lacks name, makes, check"),
        (Stranger(), "no model file can hold its kind, 'strange'"),
        (Contingency(), "cannot be saved and draws no rows"),
        ("laplace", "'laplace' learns cannot be published"),
        ("priview", "'priview' learns cannot be published"),
    ],
)
def test_a_method_whose_model_cannot_be_released_is_refused_before_the_charge(table, tmp_path, method, words):
    ledger = tmp_path / "budget.db"
    with pytest.raises(us.OptionError, match=words) as caught:
        us.publish(table, schema=SCHEMA, epsilon=1, method=method, ledger=ledger, cap=1, out=tmp_path / "release")
    assert charges(ledger) == []
    assert not hasattr(caught.value, "__notes__")
    assert not (tmp_path / "release").exists()


def test_a_method_from_elsewhere_that_makes_a_known_kind_is_published(table, tmp_path):
    release = us.publish(table, schema=SCHEMA, epsilon=1, method=Foreign(), out=tmp_path / "release")
    assert release.statement.method == "unsaid"
    assert load_model(tmp_path / "release" / "model.understudy").model.kind == "network"


def test_a_method_that_makes_something_else_than_it_said_is_told_that_the_charge_stays(table, tmp_path):
    ledger = tmp_path / "budget.db"
    with pytest.raises(us.OptionError, match="made a TablesModel and had said that it makes a NetworkModel") as caught:
        us.publish(table, schema=SCHEMA, epsilon=1, method=Liar(), ledger=ledger, cap=1, out=tmp_path / "release")
    assert len(charges(ledger)) == 1
    assert any("stays in the ledger" in note for note in caught.value.__notes__)


@dataclass(frozen=True)
class Columns(Unsaid):
    """A method that makes the kind of model that docs/contributing.md shows."""

    makes: ClassVar[type[Model]] = columns_model()

    def fit(self, curator, *, streams=None, progress=None):
        domain = curator.domain
        question = NoisyTables(marginals=[Marginal.of(a) for a in range(len(domain))], what="columns")
        measured = curator.ask(question, share=curator.share_left)
        return self.makes(domain, curator.rows, tuple(clip_and_rescale(noisy.counts) for noisy in measured))


def test_a_new_kind_takes_its_class_and_one_line(table, tmp_path, monkeypatch):
    run = {"schema": SCHEMA, "epsilon": 1, "method": Columns(), "out": tmp_path / "release", **STRICT}
    with pytest.raises(us.OptionError, match="no model file can hold its kind, 'columns'"):
        us.publish(table, **run)
    monkeypatch.setitem(KINDS, "columns", columns_model())  # the line in models/_kinds.py
    release = us.publish(table, **run)
    assert not (tmp_path / "release" / "network.svg").exists()
    loaded = load_model(tmp_path / "release" / "model.understudy")
    assert isinstance(loaded.model, columns_model())
    assert loaded.sample(50, where={"smokes": "yes"}, seed=1).equals(
        release.model.sample(50, where={"smokes": "yes"}, seed=1)
    )
    assert loaded.query("sex, smokes | country=here").probabilities.sum() == pytest.approx(1)
    with pytest.raises(us.OptionError, match="this model is of kind 'columns'"):
        loaded.to_bif()
    assert us.evaluate(table, loaded, classifiers=False).score > 0


def test_every_method_says_what_it_makes():
    columns = {name: ["x", "y"] * 50 for name in "abc"}
    fields = [{"name": name, "categories": ["x", "y"]} for name in columns]
    schema = Schema.from_dict({"fields": [*fields[:-1], fields[-1] | {"sensitivity": "high"}]})
    counter = MemoryCounter(read_table(pa.table(columns), schema))
    for method in [*(method_named(name) for name in (*METHODS, *BASELINES)), Contingency(clip="table")]:
        curator = open_curator(counter, budget=make_budget(1), noise=make_noise(seed=1))
        assert type(method.fit(curator)) in models_made(method), method.name


@pytest.mark.parametrize(
    ("delta", "sensitivity", "made"), [("1e-9", 0, "TreeModel"), (None, 0, "TreeModel"), (None, 1, "NetworkModel")]
)
def test_a_method_that_chooses_says_all_that_may_come_out(delta, sensitivity, made):
    domain = Domain((Attribute(name="a", size=2), Attribute(name="b", size=2, sensitivity=Fraction(sensitivity))))
    counter = MemoryCounter(Table(domain, (np.zeros(50, dtype=np.uint8),) * 2))
    budget = make_budget(1, delta) if delta else make_budget(1)
    model = method_named("auto").fit(open_curator(counter, budget=budget, noise=make_noise(seed=1)))
    assert type(model).__name__ == made
    assert type(model) in models_made(method_named("auto"))
