"""What memory a process may have: the least of all limits that are told."""

from __future__ import annotations

import subprocess
import sys

import pytest

from understudy._core import memory
from understudy._core.memory import _machine_limit, memory_limit


@pytest.mark.parametrize(
    ("files", "own", "found"),
    [
        ({"memory.max": "max\n"}, "0::/\n", []),
        ({"memory.max": "1000\n"}, "0::/\n", [1000]),
        ({"memory.max": "max", "job/memory.max": "500\n"}, "0::/job/part\n", [500]),
        (
            {"memory/memory.limit_in_bytes": "900", "memory/job/memory.limit_in_bytes": "700"},
            "4:memory:/job\n",
            [900, 700],
        ),
        ({"memory.max": "800"}, "what is this", [800]),
        ({}, "0::/../..\n", []),
    ],
)
def test_limits_of_control_groups(tmp_path, files, own, found):
    root = tmp_path / "cgroup"
    for name, content in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(content)
    (tmp_path / "own").write_text(own)
    assert sorted(memory._of_groups(root, tmp_path / "own")) == sorted(found)


def test_without_any_word_of_groups_there_is_no_limit_of_theirs(tmp_path):
    assert list(memory._of_groups(tmp_path / "none", tmp_path / "neither")) == []


def test_the_least_counts_and_is_asked_once(monkeypatch):
    asked = []

    def limits():
        asked.append(1)
        yield from (5000, 0, 3000)

    monkeypatch.setattr(memory, "_limits", limits)
    _machine_limit.cache_clear()
    try:
        assert (memory_limit(), memory_limit(), len(asked)) == (3000, 3000, 1)
    finally:
        _machine_limit.cache_clear()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such limits")
def test_a_limit_of_the_process_counts():
    code = (
        "import resource; from understudy._core.memory import memory_limit;"
        "resource.setrlimit(resource.RLIMIT_DATA, (1 << 29, resource.getrlimit(resource.RLIMIT_DATA)[1]));"
        "print(memory_limit())"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(done.stdout) <= 1 << 29
