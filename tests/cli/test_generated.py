"""Code that `dataclasses` writes, compiled once."""

import dataclasses
import sys
from pathlib import Path

import pytest

from understudy.cli import _generated
from understudy.cli._generated import Generated

_TEXT = "def made(x):\n return x + 1"


def _made(generated: Generated) -> int:
    found: dict = {}
    generated.execute(_TEXT, {}, found)
    return found["made"](41)


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    return tmp_path / "__pycache__" / "generated.bin"


def test_what_was_kept_is_not_compiled_again(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    first = Generated(path)
    assert _made(first) == 42
    first.keep()
    assert [one.name for one in path.parent.iterdir()] == ["generated.bin"]
    monkeypatch.setattr(_generated, "compile", None, raising=False)
    assert _made(Generated(path)) == 42


def test_both_of_two_runs_are_kept(path: Path) -> None:
    for text in (_TEXT, "x = 1"):
        one = Generated(path)
        one.execute(text, {}, {})
        one.keep()
    before = path.stat().st_mtime_ns
    again = Generated(path)
    for text in (_TEXT, "x = 1"):
        again.execute(text, {}, {})
    again.keep()
    assert path.stat().st_mtime_ns == before  # nothing was new


@pytest.mark.parametrize("cut", [0, 2, 4, 20, -1])
def test_a_broken_file_is_as_none(path: Path, cut: int) -> None:
    first = Generated(path)
    _made(first)
    first.keep()
    path.write_bytes(path.read_bytes()[:cut])
    again = Generated(path)
    assert _made(again) == 42
    again.keep()
    assert len(path.read_bytes()) > 20


def test_nothing_is_written_where_python_may_not(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    one = Generated(path)
    _made(one)
    one.keep()
    assert not path.parent.exists()


def test_a_folder_that_cannot_be_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    (tmp_path / "file").write_text("")
    one = Generated(tmp_path / "file" / "generated.bin")
    _made(one)
    one.keep()


def test_classes_come_out_the_same(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def make() -> type:
        @dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
        class Made:
            a: int
            b: list = dataclasses.field(default_factory=list)

        return Made

    usual = make()
    for _ in range(2):  # compiled, then from the file
        generated = Generated(path)
        monkeypatch.setitem(vars(dataclasses), "exec", generated.execute)
        made = make()
        generated.keep()
        assert made(a=1) == made(a=1) != made(a=2)
        assert repr(made(a=1)) == repr(usual(a=1))
        assert made.__init__.__code__.co_code == usual.__init__.__code__.co_code
        with pytest.raises(dataclasses.FrozenInstanceError):
            made(a=1).a = 2
