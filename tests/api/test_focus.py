"""Tables that matter most, named in a file: in the form of a workload."""

from __future__ import annotations

import pytest

from understudy._api._focus import read_focus
from understudy._api._options import make_method
from understudy._core.errors import OptionError
from understudy.methods import Adaptive, Auto, read_method
from understudy.methods._registry import describe_method


@pytest.mark.parametrize("name", ["tables.txt", "Tables.TXT", "tables.csv"])
def test_each_line_is_a_table(tmp_path, name):
    lines = [
        "income, education",
        "table('marital status', sex | age=30..40)",
        "age=20..39, smoker=yes",
        "count(site=a)",
    ]
    if name.endswith("csv"):
        lines = ["query", *(f'"{line}"' for line in lines)]
    else:
        lines = ["# what the ministry asks for", "", *lines]
    path = tmp_path / name
    path.write_text("\n".join(lines))
    found = (("income", "education"), ("marital status", "sex", "age"), ("age", "smoker"), ("site",))
    for given in (path, str(path), [str(path)]):
        assert read_focus(given) == found
        assert make_method("adaptive", {"focus": given}) == Adaptive(focus=found)
        assert make_method("auto", {"focus": given}) == Auto(focus=found)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no query"),
        ("table(|age=3)", "line 1: the query names no column"),
        ("income\n'education", "line 2: a quote"),
        ("=3, income", "line 1: '=3' is not a condition"),
    ],
)
def test_what_is_wrong_with_a_file_is_told_with_its_line(tmp_path, text, said):
    path = tmp_path / "tables.txt"
    path.write_text(text)
    with pytest.raises(OptionError, match=said):
        read_focus(path)


def test_a_file_stands_alone_and_must_be_there(tmp_path):
    with pytest.raises(OptionError, match="and more"):
        read_focus(["tables.txt", "income"])
    with pytest.raises(OptionError, match="cannot be read"):
        read_focus(str(tmp_path / "tables.txt"))


@pytest.mark.parametrize("focus", [("a", "b"), (("a", "b"), ("b", "c", "d")), ("a", "b", ("c", "d"))])
def test_a_method_is_written_so_that_it_can_be_read_again(focus):
    assert read_method(describe_method(Adaptive(focus=focus))) == Adaptive(focus=focus)


@pytest.mark.parametrize("focus", [3, [3], [("a", 3)], [["a", None]]])
def test_what_is_no_name_is_refused(focus):
    with pytest.raises(OptionError, match="names of columns"):
        Adaptive(focus=focus)
