"""The model file: exact, deterministic, and safe to open whoever wrote it."""

import io
import json
import zipfile
from dataclasses import replace
from fractions import Fraction
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.release.hostile import changed, members_of, npy, zip_of
from tests.release.models import make_model, make_tree
from understudy._core.errors import ModelFileError, OutputError
from understudy.models import NetworkModel
from understudy.privacy import NoiseLevel
from understudy.release import PublishedModel, load_model, privacy_letter
from understudy.release._archive import MAX_DOCUMENT, pack, unpack
from understudy.release._codec import from_archive, to_archive

ENCODINGS = ["hierarchical", "vanilla", "binary", "gray"]


def archive_of(published):
    return to_archive(published.schema, published.model, published.statement)


@cache
def whole_file():
    return pack(archive_of(make_model()))


@cache
def tree_file():
    return pack(archive_of(make_tree()))


@pytest.fixture
def whole():
    return whole_file()


def open_bytes(data):
    return from_archive(unpack(data))


@pytest.mark.parametrize("encoding", ENCODINGS)
def test_a_model_comes_back_as_it_was(tmp_path, encoding):
    published = make_model(encoding=encoding)
    published.save(tmp_path / "model.understudy")
    loaded = load_model(tmp_path / "model.understudy")
    assert loaded.schema == published.schema
    assert loaded.statement == published.statement
    assert loaded.model.network == published.model.network
    assert loaded.model.recoding == published.model.recoding
    assert loaded.model.n == 1000
    for mine, theirs in zip(loaded.model.conditionals, published.model.conditionals, strict=True):
        assert np.array_equal(mine, theirs)
    for mine, theirs in zip(loaded.model.measurements, published.model.measurements, strict=True):
        assert np.array_equal(mine.counts, theirs.counts)
        assert (mine.marginal, mine.noise) == (theirs.marginal, theirs.noise)


def test_a_file_of_version_0_1_opens_and_answers_as_it_did_then():
    model = load_model(Path(__file__).with_name("network-0.1.understudy"))
    assert (model.statement.stamp, model.statement.epsilon, model.model.n) == ("NOT PRIVATE: seeded", 2, 300)
    answer = model.query("smokes | age=60..79")
    assert answer.probabilities.tolist() == pytest.approx([0.09448273038779655, 0.9055172696122035])
    assert model.sample(5, seed=1, kind="pyarrow").to_pylist()[:3] == [
        {"sex": "F", "age": 45, "smokes": "no"},
        {"sex": "F", "age": 28, "smokes": "no"},
        {"sex": "M", "age": 25, "smokes": "no"},
    ]


def test_the_same_model_makes_the_same_bytes(tmp_path):
    make_model().save(tmp_path / "one")
    make_model().save(tmp_path / "two")
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    load_model(tmp_path / "one").save(tmp_path / "three")
    assert (tmp_path / "three").read_bytes() == (tmp_path / "one").read_bytes()


@pytest.mark.parametrize("kind", ["balanced", "knorm"])
def test_noise_of_tables_asked_together_comes_back_as_it_was(tmp_path, kind):
    published = make_model()
    level = NoiseLevel(kind=kind, scale=Fraction("12.5"), shape=Fraction("0.71"))
    old = published.model
    measured = [replace(measurement, noise=level) for measurement in old.measurements]
    model = NetworkModel(old.network, old.conditionals, old.recoding, measured, old.n)
    PublishedModel(published.schema, model, published.statement).save(tmp_path / "model")
    again = load_model(tmp_path / "model")
    assert {m.noise for m in again.model.measurements} == {level}
    answer = again.query("sex")
    assert (answer.high > answer.low).all()


def test_a_model_without_measurements_can_be_saved_and_asked(tmp_path):
    make_model(measured=False).save(tmp_path / "model")
    answer = load_model(tmp_path / "model").query("sex")
    assert answer.low is None


def test_it_holds_only_the_named_parts(whole):
    kinds = {name.split("-")[0] for name in members_of(whole)}
    assert kinds == {"manifest.json", "schema.json", "network.json", "statement.json", "table", "count"}


def test_a_file_cut_anywhere_is_refused_with_a_sentence(whole):
    for length in [*range(0, len(whole), 37), len(whole) - 1]:
        with pytest.raises(ModelFileError):
            open_bytes(whole[:length])


@given(position=st.integers(0, 10**9), value=st.integers(0, 255))
@settings(max_examples=200)
def test_a_flipped_byte_is_refused_or_harmless(position, value):
    original = whole_file()
    data = bytearray(original)
    data[position % len(data)] = value
    try:
        schema, model, statement = open_bytes(bytes(data))
    except ModelFileError:
        return
    # A byte of the zip's own bookkeeping, such as a time stamp: the content is untouched.
    assert archive_of_parts(schema, model, statement) == members_of(original)


def archive_of_parts(schema, model, statement):
    return members_of(pack(to_archive(schema, model, statement)))


@given(data=st.binary(max_size=400))
@settings(max_examples=200)
def test_arbitrary_bytes_are_refused(data):
    with pytest.raises(ModelFileError):
        open_bytes(data)


def test_a_zip_bomb_is_refused_before_it_unpacks(whole):
    members = members_of(whole) | {"schema.json": b" " * (MAX_DOCUMENT + 1)}
    with pytest.raises(ModelFileError, match="unpacks to more"):
        open_bytes(zip_of(members))


def test_a_member_that_lies_about_its_size_is_refused(whole):
    data = bytearray(zip_of({"schema.json": b"0" * 100_000}))
    # The central directory says 10 bytes where 100,000 come out.
    start = data.rfind(b"PK\x01\x02", 0, data.rfind(b"PK\x01\x02"))
    data[start + 24 : start + 28] = (10).to_bytes(4, "little")
    with pytest.raises(ModelFileError):
        open_bytes(bytes(data))


def test_too_many_members_are_refused(monkeypatch, whole):
    monkeypatch.setattr("understudy.release._archive.MAX_MEMBERS", 3)
    with pytest.raises(ModelFileError, match="parts"):
        open_bytes(whole)


@pytest.mark.parametrize(
    "name", ["../evil.json", "/etc/passwd", "a/b.json", "x.pkl", "C:\\x.json", "table-00000.NPY", "é.json", "x.json\n"]
)
def test_odd_names_are_refused(whole, name):
    with pytest.raises(ModelFileError, match="names that understudy never writes"):
        open_bytes(zip_of(members_of(whole) | {name: b"{}"}))


def test_a_member_twice_is_refused(whole):
    buffer = io.BytesIO(whole)
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(buffer, "a") as file:
        file.writestr("schema.json", b"{}")
    with pytest.raises(ModelFileError, match="names"):
        open_bytes(buffer.getvalue())


def test_a_changed_part_does_not_match_the_manifest(whole):
    members = members_of(whole) | {"schema.json": b"{}"}
    with pytest.raises(ModelFileError, match="do not match its manifest"):
        open_bytes(zip_of(members, seal=False))


def test_another_format_version_is_told(whole):
    members = members_of(whole) | {"manifest.json": b'{"format": "understudy-model/9", "members": {}}'}
    with pytest.raises(ModelFileError, match="Update understudy"):
        open_bytes(zip_of(members, seal=False))


def test_another_zip_is_told(whole):
    with pytest.raises(ModelFileError, match="no manifest"):
        open_bytes(zip_of({"document.json": b"{}"}, seal=False))


def test_a_pickled_array_is_refused_and_never_loaded(whole):
    trap = np.array([Trap()], dtype=object)
    with pytest.raises(ModelFileError, match="not a plain array"):
        open_bytes(zip_of(members_of(whole) | {"table-00000.npy": npy(trap)}))
    assert not Trap.sprung


class Trap:
    sprung = False

    def __reduce__(self):
        return (Trap.spring, ())

    @staticmethod
    def spring():
        Trap.sprung = True


@pytest.mark.parametrize(
    "array",
    [
        np.array([0.5, np.nan]),
        np.array([np.inf, 0.5]),
        np.array([1.5, -0.5]),
        np.array([0.2, 0.2]),
        np.array([0.5, 0.5], dtype=np.float32),
        np.array([1, 0]),
        np.array([0.5, 0.25, 0.25]),
        np.array([[0.5, 0.5]]),
        np.array(1.0),
        np.array(["0.5", "0.5"]),
        np.zeros((0,)),
    ],
    ids=str,
)
def test_a_table_that_is_no_distribution_is_refused(whole, array):
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members_of(whole) | {"table-00000.npy": npy(array)}))


def test_an_array_header_that_claims_more_than_there_is_is_refused(whole):
    header = npy(np.array([0.5, 0.5])).replace(b"(2,), ", b"(9999999999,), ")
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members_of(whole) | {"table-00000.npy": header}))


@pytest.mark.parametrize("header", [b"{'descr': (", b"  {\n 'descr'", b"{'descr': '<f8", b"(" * 900, b"\xff\x00"])
def test_an_array_header_that_is_no_literal_is_refused(whole, header):
    data = b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members_of(whole) | {"table-00000.npy": data}))


def set_path(*path, value):
    def change(document):
        for key in path[:-1]:
            document = document[key]
        document[path[-1]] = value

    return change


@pytest.mark.parametrize(
    "change",
    [
        set_path("nodes", 0, "parents", value=[[1, 0]]),  # a cycle: 1 depends on 0
        set_path("nodes", 0, "parents", value=[[0, 0]]),
        set_path("nodes", 1, "child", value=0),
        set_path("nodes", 1, "child", value=99),
        set_path("nodes", 1, "child", value=-1),
        set_path("nodes", 1, "child", value=True),
        set_path("nodes", 1, "child", value="0"),
        set_path("nodes", 1, "parents", value=[[0, 7]]),
        set_path("nodes", 1, "parents", value=[[0, -1]]),
        set_path("nodes", 1, "parents", value=[[0, 0, 0]]),
        set_path("nodes", 1, "parents", value="00"),
        set_path("nodes", value=[]),
        set_path("nodes", value={}),
        set_path("nodes", value=None),
        set_path("kind", value="pickle"),
        set_path("encoding", value="rot13"),
        set_path("encoding", value=["vanilla"]),
        set_path("n", value=-5),
        set_path("n", value=1.5),
        set_path("n", value=10**400),
        set_path("measurements", value=[]),
        set_path("measurements", 0, "noise", value="soft"),
        set_path("measurements", 0, "scale", value="0"),
        set_path("measurements", 0, "scale", value="1/0"),
        set_path("measurements", 0, "scale", value="1e9"),
        set_path("measurements", 0, "scale", value="1" + "0" * 40),
        set_path("measurements", 0, "scale", value="1/1" + "0" * 40),
        set_path("measurements", 0, "shape", value="2"),
        set_path("measurements", 0, "shape", value="-1/2"),
        set_path("measurements", 0, "shape", value=0.5),
        set_path("measurements", 0, "axes", value=[[9, 0]]),
        set_path("measurements", 0, "axes", value=[[0, 5]]),
        set_path("measurements", 1, "axes", value=[[0, 0], [0, 0]]),
    ],
)
def test_a_network_that_cannot_be_is_refused(whole, change):
    with pytest.raises(ModelFileError):
        open_bytes(changed(whole, "network.json", change))


@pytest.mark.parametrize(
    "change",
    [
        set_path("fields", value=[]),
        set_path("fields", 0, "categories", value=["x"]),
        set_path("fields", 0, "name", value="age"),
        set_path("fields", 0, "type", value="pickle"),
        set_path("resources", value=[{"path": "/etc/passwd"}]),
    ],
)
def test_a_schema_that_cannot_be_is_refused(whole, change):
    with pytest.raises(ModelFileError):
        open_bytes(changed(whole, "schema.json", change))


@pytest.mark.parametrize(
    "text", [b"", b"{", b"NaN", b"\xff\xfe", b"[" * 100_000, b'{"n": ' + b"9" * 10_000 + b"}", b"null", b"[]", b"3"]
)
@pytest.mark.parametrize("name", ["schema.json", "network.json", "statement.json", "manifest.json"])
def test_broken_json_is_refused(whole, name, text):
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members_of(whole) | {name: text}, seal=name != "manifest.json"))


@pytest.mark.parametrize(
    "name", ["schema.json", "network.json", "statement.json", "table-00001.npy", "count-00001.npy"]
)
def test_a_missing_part_is_refused(whole, name):
    members = members_of(whole)
    del members[name]
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members))


def test_a_family_that_no_measured_table_holds_is_refused(whole):
    members = members_of(whole)
    document = json.loads(members["network.json"])
    document["measurements"].pop()
    del members["count-00002.npy"]
    members["network.json"] = json.dumps(document).encode()
    with pytest.raises(ModelFileError, match="no measured table holds"):
        open_bytes(zip_of(members))


@pytest.mark.parametrize("epsilon", ["9" * 2000, "1/0", "nan", "1e9", 1])
def test_a_budget_that_is_no_number_to_show_is_refused(whole, epsilon):
    with pytest.raises(ModelFileError):
        open_bytes(changed(whole, "statement.json", set_path("epsilon", value=epsilon)))


LEAVES = [
    None,
    True,
    -1,
    0,
    2,
    2**53,
    2**70,
    1.5,
    1e300,
    "",
    "x",
    "9" * 2000,
    [],
    {},
    [0],
    [[0, 1]],
    [[2, 0]],
    {"a": 1},
]


def places(document, path=()):
    """Where something stands in a JSON document, inner places included."""
    items = (
        document.items() if isinstance(document, dict) else enumerate(document if isinstance(document, list) else ())
    )
    for key, value in items:
        yield (*path, key)
        yield from places(value, (*path, key))


@settings(max_examples=60)
@given(st.data())
def test_whatever_stands_anywhere_in_a_part_the_model_is_refused_or_works(data):
    name = data.draw(st.sampled_from(["network.json", "tree.json", "schema.json", "statement.json"]))
    file = tree_file() if name == "tree.json" else whole_file()
    path = data.draw(st.sampled_from(list(places(json.loads(members_of(file)[name])))))
    strange = changed(file, name, set_path(*path, value=data.draw(st.sampled_from(LEAVES))))
    try:
        model = PublishedModel(*open_bytes(strange))
    except ModelFileError:
        return
    model.query(f'"{model.schema.fields[0].name}"')
    model.sample(3)
    privacy_letter(model.statement)


def test_a_table_that_nothing_refers_to_is_refused(whole):
    with pytest.raises(ModelFileError):
        open_bytes(zip_of(members_of(whole) | {"table-00099.npy": npy(np.eye(2))}))


def test_a_password_protected_or_oddly_packed_file_is_refused(whole):
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_BZIP2) as file:
        for name, data in members_of(whole).items():
            file.writestr(name, data)
    with pytest.raises(ModelFileError, match="never uses"):
        open_bytes(buffer.getvalue())


def test_a_missing_file_and_a_folder_are_told(tmp_path):
    with pytest.raises(ModelFileError, match="there is no model file"):
        load_model(tmp_path / "nothing")
    with pytest.raises(ModelFileError, match=r"model\.understudy"):
        load_model(tmp_path)


def test_saving_where_no_folder_is_leaves_nothing(tmp_path):
    with pytest.raises(OutputError):
        make_model().save(tmp_path / "no" / "model")
    assert list(tmp_path.iterdir()) == []
