"""Networks in BIF files: what others write, what we write ourselves, and files that are broken or hostile."""

from __future__ import annotations

import contextlib
import gzip

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.strategies import models
from understudy._core.errors import ModelFileError
from understudy.models import parents_first, parse_bif, read_bif, to_bif
from understudy.models._export import plain_nodes

TWO = """
network unknown { }
variable smokes { type discrete [ 2 ] { no, yes }; }
variable ill { type discrete [ 3 ] { none, some, bad }; }
"""
ROOT = "probability ( smokes ) { table 0.75, 0.25; }\n"
CHILD = "probability ( ill | smokes ) { (no) 0.7, 0.2, 0.1; (yes) 0.25, 0.5, 0.25; }\n"


@settings(max_examples=40)
@given(models().filter(lambda model: len(model.network.nodes) > 0))
def test_what_we_export_comes_back_as_it_was(model):
    read = parse_bif(to_bif(model))
    written = plain_nodes(model)
    assert len(read.variables) == len(written)
    for ours, theirs in zip(written, read.variables, strict=True):
        assert len(theirs.parents) == len(ours.parents)
        np.testing.assert_allclose(theirs.table, ours.table, atol=1e-9)
    again = read.to_model(n=3)
    assert again.network.degree == max(len(node.parents) for node in written)


def test_entries_may_come_in_any_order_and_parents_after_children():
    text = TWO + "probability ( ill | smokes ) { (yes) 0.25, 0.5, 0.25; (no) 0.7, 0.2, 0.1; }" + ROOT
    text = text.replace("variable smokes { type discrete [ 2 ] { no, yes }; }", "")
    text = text.replace("probability ( ill", "variable smokes { type discrete [ 2 ] { no, yes }; }\nprobability ( ill")
    net = parse_bif(text)
    assert net.names == ("smokes", "ill")
    assert net["ill"].table.tolist() == [[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]]


def test_a_table_of_a_child_lists_its_first_state_first():
    table = parse_bif(TWO + ROOT + "probability ( ill | smokes ) { table 0.7 0.25 0.2 0.5 0.1 0.25; }")["ill"].table
    assert table.tolist() == [[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]]


def test_quotes_properties_comments_and_defaults_are_read():
    net = parse_bif(
        """
        // a comment { with signs
        network "dogs" { property "version; 1" ; }
        variable "family out" { /* two
            lines */ type discrete[2] { "true" "false" }; property "position = (3, 4)" ; }
        variable light { type discrete [2] { on, off/out }; }
        probability ( "family out" ) { table 0.15 0.85; }
        probability ( "light" "family out" ) { default 0.5, 0.5; ("true") 0.75, 0.25; property x ; }
        """
    )
    assert net["light"].parents == ("family out",)
    assert net["light"].states == ("on", "off/out")
    assert net["light"].table.tolist() == [[0.75, 0.25], [0.5, 0.5]]


def test_a_structure_needs_no_probabilities():
    net = parse_bif(TWO + "probability ( ill | smokes ) { }")
    assert net.links == (("smokes", "ill"),)
    assert net["ill"].table is None
    with pytest.raises(ModelFileError, match="has no probabilities"):
        net.to_model()


def test_rounded_rows_are_made_to_add_up():
    net = parse_bif(TWO + "probability ( ill ) { table 0.333, 0.333, 0.333; }")
    assert net["ill"].table.sum() == pytest.approx(1, abs=1e-15)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "declares no variables"),
        ("hello", "'hello' where 'network'"),
        (TWO + "probability ( ill | smoke ) { }", "no variable 'smoke'. Did you mean 'smokes'?"),
        (TWO + "probability ( smokes ) { table 0.5; }", "1 probabilities where 2 were expected"),
        (TWO + "probability ( ill | smokes ) { table 0.5, 0.5; }", "2 probabilities where 6 were expected"),
        (TWO + "probability ( ill | smokes ) { (no) 1, 0, 0; }", "has no probabilities for some states"),
        (TWO + "probability ( ill | smokes ) { (maybe) 1, 0, 0; }", "'smokes' has no state 'maybe'"),
        (TWO + "probability ( ill | smokes ) { (no, no) 1, 0, 0; }", "2 states for 1 parents"),
        (TWO + "probability ( smokes ) { table 0.5, 0.4; }", "do not add up to 1"),
        (TWO + "probability ( smokes ) { table 1.5, -0.5; }", "is no probability"),
        (TWO + "probability ( smokes ) { table nan, 0.5; }", "is no probability"),
        (TWO + "probability ( smokes ) { table half, half; }", "'half' is no probability"),
        (TWO + "probability ( smokes ) { tabel 0.5, 0.5; }", "'tabel' where 'table'"),
        (TWO + ROOT + ROOT, "two blocks"),
        (TWO + "probability ( smokes | smokes ) { }", "its own parent"),
        (TWO + "probability ( ill | smokes, smokes ) { }", "one parent twice"),
        (TWO + "probability ( smokes, ill | ill ) { }", "must name one variable"),
        (TWO + "probability ( ) { }", "must name one variable"),
        (TWO + "variable ill { type discrete [1] {x}; }", "declared twice"),
        ("variable a { }", "has no states"),
        ("variable a { type discrete [3] {x, y}; }", "lists 2 states, and says that it has 3"),
        ("variable a { type discrete [2] {x, x}; }", "lists a state twice"),
        ("variable a { type continuous; }", "is not discrete"),
        ("variable a { type discrete [2] {x, y}; ", "cut short"),
        ('variable "a { type discrete [2] {x, y}; }', "never closed"),
        (TWO + "probability ( smokes | ill ) { } probability ( ill | smokes ) { }", "go round in a circle"),
    ],
)
def test_a_broken_file_is_told_in_a_sentence(text, says, tmp_path):
    with pytest.raises(ModelFileError, match=says.replace("(", r"\(").replace(".", r"\.").replace("?", r"\?")):
        parse_bif(text)
    path = tmp_path / "net.bif"
    path.write_text(text)
    with pytest.raises(ModelFileError, match=r"^net\.bif: "):
        read_bif(path)


@settings(max_examples=200)
@given(st.text(alphabet='ab |(){}[],;."/*\n0.5', max_size=60), st.integers(0, len(TWO + ROOT + CHILD)))
def test_no_text_does_anything_but_a_sentence(noise, place):
    whole = TWO + ROOT + CHILD
    for text in (noise, whole[:place] + noise + whole[place:], whole[:place]):
        with contextlib.suppress(ModelFileError):
            parse_bif(text)


def test_a_huge_table_is_refused_before_it_is_built():
    names = [f"v{i}" for i in range(12)]
    states = ", ".join(f"s{i}" for i in range(20))
    text = "".join(f"variable {name} {{ type discrete [ 20 ] {{ {states} }}; }}\n" for name in names)
    with pytest.raises(ModelFileError, match="would not fit in memory"):
        parse_bif(text + f"probability ( v0 | {', '.join(names[1:])} ) {{ }}")


def test_long_chains_are_ordered_and_long_circles_told():
    chain = {str(i): [str(i + 1)] for i in range(5000)} | {"5000": []}
    assert parents_first(chain)[0] == "5000"
    with pytest.raises(ModelFileError, match="go round in a circle"):
        parents_first({"a": ["b"], "b": ["c"], "c": ["a"]})


def test_files_are_read_packed_or_not_and_told_where_they_are_neither(tmp_path):
    packed = tmp_path / "net.bif.gz"
    packed.write_bytes(gzip.compress((TWO + ROOT + CHILD).encode()))
    assert read_bif(packed).names == ("smokes", "ill")
    packed.write_bytes(gzip.compress(b"x" * 1000)[:-12])
    for path, says in ((packed, "damaged"), (tmp_path / "none.bif", "there is no file"), (tmp_path, "cannot read")):
        with pytest.raises(ModelFileError, match=says):
            read_bif(path)
    (tmp_path / "bytes").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(ModelFileError, match="not UTF-8"):
        read_bif(tmp_path / "bytes")
    (tmp_path / "bomb").write_bytes(gzip.compress(b" " * ((64 << 20) + 1), 1))
    with pytest.raises(ModelFileError, match="larger than any"):
        read_bif(tmp_path / "bomb")


@pytest.mark.slow
def test_pgmpy_reads_what_we_read(tmp_path):
    readwrite = pytest.importorskip("pgmpy.readwrite")
    path = tmp_path / "net.bif"
    path.write_text(TWO + ROOT + CHILD)
    theirs = readwrite.BIFReader(str(path)).get_model()
    written = tmp_path / "theirs.bif"
    readwrite.BIFWriter(theirs).write(str(written))
    ours = read_bif(written)
    assert ours.links == (("smokes", "ill"),)
    np.testing.assert_allclose(ours["ill"].table, [[0.7, 0.2, 0.1], [0.25, 0.5, 0.25]])
