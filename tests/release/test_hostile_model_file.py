"""Small files that describe large things, and files damaged on purpose: a sentence each, soon and in little memory.

How soon is never timed. Instead memory is watched, and what would be slow is made to fail: nothing that an attacker
names may be built or unpacked before it is known to be of a sensible size.
"""

import json
import tracemalloc
from contextlib import suppress
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.release.hostile import changed, claiming, members_of, npy, zip_of
from tests.release.models import make_model, make_rows, make_tree
from understudy._core.errors import ModelFileError
from understudy.models import JointModel
from understudy.release import PublishedModel
from understudy.release._archive import MAX_MEMBERS, MAX_VALUES, known_documents, pack, unpack
from understudy.release._codec import from_archive, to_archive
from understudy.schema._limits import MAX_FIELDS

pytestmark = pytest.mark.one_in(2)

MANY = 1 << 22


@cache
def network_file():
    published = make_model()
    return pack(to_archive(published.schema, published.model, published.statement))


@cache
def joint_file():
    published = make_model()
    shape = [attribute.size for attribute in published.schema.domain]
    cells = np.arange(1.0, 1.0 + np.prod(shape)).reshape(shape)
    model = JointModel(published.schema.domain, 1000, cells / cells.sum())
    return pack(to_archive(published.schema, model, published.statement))


@cache
def tree_file():
    published = make_tree()
    return pack(to_archive(published.schema, published.model, published.statement))


@cache
def rows_file():
    published = make_rows()
    return pack(to_archive(published.schema, published.model, published.statement))


FILES = {"network": network_file, "joint": joint_file, "tree": tree_file, "rows": rows_file}
FIRST = {
    "network": "table-00000.npy",
    "joint": "table-00000.npy",
    "tree": "belief-00000.npy",
    "rows": "weight-00000.npy",
}


def refuse(data, words=None, *, within=24 << 20):
    """The file is refused with a sentence, in less memory than this."""
    tracemalloc.start()
    try:
        with pytest.raises(ModelFileError, match=words):
            from_archive(unpack(data))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < within


def with_field(**field):
    """A change of the schema: its second field, a range, becomes another."""

    def change(document):
        document["fields"][1].update(field)

    return change


@pytest.mark.parametrize("bins", [2_000_000_000, {"count": 2_000_000_000}, 999_999, 10**30])
@pytest.mark.parametrize("kind", FILES)
def test_bins_without_end_are_refused_before_they_are_made(kind, bins):
    change = with_field(type="number", constraints={"minimum": 0, "maximum": 1}, special=[], bins=bins)
    refuse(changed(FILES[kind](), "schema.json", change), "schema in this model file")


@pytest.mark.parametrize("name", ["zzz.json", "notes.json", "model.json", "networks.json"])
def test_an_unknown_document_is_never_parsed(name):
    refuse(zip_of(members_of(network_file()) | {name: b"[" + b"{}," * MANY + b"{}]"}), "names that understudy never")


def test_only_the_documents_of_registered_kinds_are_known():
    assert known_documents() == {
        "manifest.json",
        "schema.json",
        "statement.json",
        "network.json",
        "joint.json",
        "tree.json",
        "rows.json",
    }


@pytest.mark.parametrize("name", sorted(known_documents() - {"joint.json", "tree.json", "rows.json"}))
@pytest.mark.parametrize(
    "text",
    [
        b"[" + b"{}," * MANY + b"{}]",
        b"[" + b"[]," * MANY + b"[]]",
        b'{"a": [' + b"1," * MANY + b"1]}",
        b'["' + b'\\"' * MANY,
        b'["' + b"\\" * MANY,
        b"[" * 100_000,
        b'{"a":' * 100_000,
        b"9" * 4_301,
        b"-" + b"9" * 100_000,
        b'{"n": ' + b"9" * 100_000 + b"}",
        b'{"n": 1e400}',
        b'{"n": 1' + b"0" * 5_000 + b".0}",
        b"\xff" * 1000,
        b"\x00" * 1000,
    ],
    ids=lambda text: repr(text[:8]),
)
def test_a_document_of_millions_of_values_or_odd_numbers_is_refused_unbuilt(name, text):
    members = members_of(network_file()) | {name: text}
    refuse(zip_of(members, seal=name != "manifest.json"), within=64 << 20)


def test_a_document_may_hold_long_texts_full_of_commas():
    members = members_of(network_file())
    document = json.loads(members["schema.json"])
    document["description"] = ',[{"' * MAX_VALUES
    data = zip_of(members | {"schema.json": json.dumps(document).encode()})
    assert from_archive(unpack(data))[0].properties["description"].startswith(',[{"')


@pytest.mark.parametrize("kind", FILES)
def test_an_array_of_another_size_is_refused_before_it_is_unpacked(kind):
    bomb = claiming("(5000000,)", data=bytes(40_000_000))
    refuse(zip_of(members_of(FILES[kind]()) | {FIRST[kind]: bomb}), "missing or has another shape")


@pytest.mark.parametrize(
    "shape",
    [
        "(9999999999,)",
        "(4294967296, 4294967296)",
        "(4294967296, 4294967296, 0)",
        f"({', '.join(['2'] * 70)},)",
        "(-2,)",
        "(2.0,)",
        "(True, 2)",
        "('2',)",
        "2",
        "()",
        f"({'9' * 400},)",
        "(" * 300 + "2" + ")" * 300,
    ],
)
@pytest.mark.parametrize("kind", FILES)
def test_a_header_that_claims_another_shape_is_refused(kind, shape):
    data = np.full(14 * 4, 0.5).tobytes()
    for size in (16, len(data)):
        refuse(zip_of(members_of(FILES[kind]()) | {FIRST[kind]: claiming(shape, data=data[:size])}))


def test_members_that_unpack_to_too_much_in_all_are_refused(monkeypatch):
    monkeypatch.setattr("understudy.release._archive.MAX_TOTAL", 8 << 20)
    tables = {f"table-{i:05d}.npy": claiming("(2,)", data=bytes(1 << 20)) for i in range(9)}
    refuse(zip_of(tables), "unpacks to more", within=1 << 20)


def test_a_directory_of_very_many_members_is_refused_before_it_is_read(monkeypatch):
    monkeypatch.setattr("understudy.release._archive.MAX_MEMBERS", 1000)
    refuse(zip_of({f"table-{i:05d}.npy": b"" for i in range(20_000)}), "more parts than", within=1 << 20)


def test_a_model_of_as_many_columns_as_a_schema_may_have_can_be_opened():
    assert 2 * MAX_FIELDS + len(known_documents()) <= MAX_MEMBERS


@pytest.mark.parametrize("place", [0, 4, 8, 10, 12, 16, 20])
@pytest.mark.parametrize("value", [b"\xff\xff", b"\x00\x00", b"\x01\x00"])
def test_a_lying_end_of_the_zip_is_refused_or_harmless(place, value):
    data = bytearray(network_file())
    start = data.rfind(b"PK\x05\x06")
    data[start + place : start + place + 2] = value
    with suppress(ModelFileError):
        from_archive(unpack(bytes(data)))


def test_a_zip_in_a_zip_a_longer_end_and_large_zips_are_refused():
    whole = network_file()
    refuse(zip_of({"model.understudy": whole}, seal=False), "no manifest")
    refuse(whole + b"x", "not a whole understudy model file")
    end = whole.rfind(b"PK\x05\x06")
    refuse(whole[:end] + b"PK\x06\x07" + bytes(16) + whole[end:], "not a whole understudy model file")


def test_two_kinds_in_one_file_or_none_are_refused():
    network, joint = members_of(network_file()), members_of(joint_file())
    refuse(zip_of(network | {"joint.json": joint["joint.json"]}), "has 2 of them")
    del network["network.json"]
    refuse(zip_of(network), "has none of them")


@pytest.mark.parametrize("kind", ["joint", "network", "tree", "rows", "", None, 3, ["network"]])
def test_a_document_must_name_the_kind_that_it_is_called_after(kind):
    for name, file in FILES.items():
        if kind != name:
            refuse(changed(file(), f"{name}.json", lambda document: document.update(kind=kind)), "another kind")


def many_parents(document):
    document["nodes"][2]["parents"] = [[0, 0]] * 30_000


def parents_of_one(document):
    document["nodes"][2]["parents"] = [[i, 0] for i in range(40)]


def many_axes(document):
    document["measurements"][0]["axes"] = [[i, 0] for i in range(50_000)]


def many_nodes(document):
    document["nodes"] = document["nodes"][:1] * 30_000


def many_measurements(document):
    document["measurements"] = document["measurements"][:1] * 30_000


def many_factors(document):
    document["measurements"][0]["factors"] = [["1/3"] * 100_000]


def long_factors(document):
    document["measurements"][0]["factors"] = [["1/" + "9" * 4_000] * 2]


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [many_parents, parents_of_one, many_axes, many_nodes, many_measurements, many_factors, long_factors],
    ids=lambda change: change.__name__,
)
def test_a_structure_without_end_is_refused(change):
    refuse(changed(network_file(), "network.json", change), within=64 << 20)


@pytest.mark.parametrize("array", [np.array([0.5, np.nan]), np.array([2.0, -1.0]), np.array([0.4, 0.4]), np.ones(2)])
def test_a_joint_that_is_no_distribution_is_refused(array):
    members = members_of(joint_file())
    table = unpack(joint_file()).array("table-00000.npy", np.float64, (2, 7, 4)).copy()
    table[:, 0, 0] = array
    refuse(zip_of(members | {"table-00000.npy": npy(table)}))


@pytest.mark.parametrize("n", [-1, 1.5, 1 << 60, "3", None, True])
def test_a_joint_of_a_strange_number_of_rows_is_refused(n):
    refuse(changed(joint_file(), "joint.json", lambda document: document.update(n=n)))


@pytest.mark.parametrize(
    ("field", "value"),
    [("epsilon", "0"), ("epsilon", "-1"), ("delta", "1"), ("delta", "-1/2"), ("mu_squared", "0"), ("n_rows", 1 << 60)],
)
def test_a_statement_that_no_run_could_make_is_refused(field, value):
    refuse(changed(network_file(), "statement.json", lambda document: document.update({field: value})))


@pytest.mark.parametrize("kind", FILES)
def test_a_file_cut_anywhere_is_refused(kind):
    whole = FILES[kind]()
    for length in range(0, len(whole), 61):
        with pytest.raises(ModelFileError):
            from_archive(unpack(whole[:length]))


@settings(max_examples=300)
@given(st.data())
def test_damage_anywhere_ends_in_a_sentence_or_changes_nothing(data):
    whole = FILES[data.draw(st.sampled_from(sorted(FILES)))]()
    broken = bytearray(whole)
    for _ in range(data.draw(st.integers(1, 4))):
        place = data.draw(st.integers(0, len(broken) - 1))
        what = data.draw(st.sampled_from(["set", "drop", "double", "zero"]))
        length = data.draw(st.integers(1, 40))
        if what == "set":
            broken[place] = data.draw(st.integers(0, 255))
        elif what == "drop":
            del broken[place : place + length]
        elif what == "double":
            broken[place:place] = broken[place : place + length]
        else:
            broken[place : place + length] = bytes(len(broken[place : place + length]))
    try:
        schema, model, statement = from_archive(unpack(bytes(broken)))
    except ModelFileError:
        return
    assert members_of(pack(to_archive(schema, model, statement))) == members_of(whole)


def many_cliques(document):
    document["cliques"] = document["cliques"][:1] * 30_000


def wide_clique(document):
    document["cliques"][0] = list(range(50_000))


def many_tables(document):
    document["measurements"] = document["measurements"][:1] * 30_000


def wide_table(document):
    document["measurements"][0]["attributes"] = [0] * 50_000


def endless_merging(document):
    document["merged"][0]["size"] = 1 << 50


def looping_parents(document):
    document["parents"] = [2, 1]


def no_rows(document):
    document["n"] = 0


@pytest.mark.one_in(3)
@pytest.mark.parametrize(
    "change",
    [many_cliques, wide_clique, many_tables, wide_table, endless_merging, looping_parents, no_rows],
    ids=lambda change: change.__name__,
)
def test_a_tree_without_end_is_refused(change):
    refuse(changed(tree_file(), "tree.json", change), within=64 << 20)


@pytest.mark.parametrize("name", ["belief-00001", "merged-00000", "share-00000", "measured-00001"])
def test_a_tree_with_a_table_swapped_for_another_is_refused(name):
    members = members_of(tree_file())
    shapes = {"belief-00001": (4, 4), "merged-00000": (7,), "share-00000": (7,), "measured-00001": (2, 4)}
    dtype = np.int64 if name.startswith("merged") else np.float64
    refuse(zip_of(members | {f"{name}.npy": npy(np.full(shapes[name], 1 << 55, dtype=dtype))}))


def endless_rows(document):
    document["rows"] = 1 << 40


def rows_that_are_not_there(document):
    document["rows"] += 1


@pytest.mark.parametrize(
    "change",
    [endless_rows, rows_that_are_not_there, many_tables, wide_table, endless_merging],
    ids=lambda change: change.__name__,
)
def test_rows_without_end_are_refused(change):
    refuse(changed(rows_file(), "rows.json", change), within=64 << 20)


@pytest.mark.parametrize("name", ["rows-00000", "weight-00000", "merged-00000", "measured-00001"])
def test_rows_with_an_array_swapped_for_another_are_refused(name):
    members = members_of(rows_file())
    n = len(make_rows().model.rows)
    shapes = {"rows-00000": (n,), "weight-00000": (n,), "merged-00000": (7,), "measured-00001": (2, 4)}
    dtype = np.int64 if name.startswith(("merged", "rows")) else np.float64
    refuse(zip_of(members | {f"{name}.npy": npy(np.full(shapes[name], 1 << 55, dtype=dtype))}))


def test_all_kinds_open_as_they_are():
    for file in FILES.values():
        published = PublishedModel(*from_archive(unpack(file())))
        assert published.query("sex").probabilities.sum() == pytest.approx(1)
        assert len(published.sample(10, seed=1)) == 10
