"""Kernels are compiled wherever the program runs: also where neither package nor home can be written to."""

import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import pytest
from numba import config
from numba.core import caching

from understudy._core import compiling
from understudy._core.compiling import kernel
from understudy._core.errors import UnderstudyWarning
from understudy._core.locks import LOCKS, try_lock

pytestmark = pytest.mark.skipif(bool(os.environ.get("NUMBA_DISABLE_JIT")), reason="nothing is compiled")


def twice(x):
    return 2 * x


@pytest.fixture
def nowhere(tmp_path, monkeypatch):
    """Only a folder that is named can be written to: neither the package nor the home."""
    monkeypatch.setattr(config, "CACHE_DIR", "")
    monkeypatch.setattr(caching.CacheImpl, "_locator_classes", [caching.UserProvidedCacheLocator])
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    compiling._temporary_place.cache_clear()
    yield tmp_path / f"understudy-kernels-{os.geteuid()}"
    compiling._temporary_place.cache_clear()


def test_machine_code_is_kept_with_the_temporary_files_and_that_is_said_once(nowhere):
    with pytest.warns(UnderstudyWarning, match="so compiled kernels are kept in .*NUMBA_CACHE_DIR") as said:
        made = [kernel()(twice), kernel()(twice)]
    assert [each(21) for each in made] == [42, 42]
    assert len(said) == 1
    assert nowhere.stat().st_mode & 0o777 == 0o700
    assert list(nowhere.rglob("*.nbc"))
    assert config.CACHE_DIR == ""  # other people's kernels go where they went before


def test_the_next_run_finds_it_and_says_nothing(nowhere):
    nowhere.mkdir(mode=0o700)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert kernel()(twice)(21) == 42


@pytest.mark.parametrize("found", ["open to others", "a link", "a file"])
def test_a_folder_that_is_not_to_be_trusted_is_not_used(nowhere, tmp_path, found):
    if found == "a link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        nowhere.symlink_to(tmp_path / "elsewhere")
    elif found == "a file":
        nowhere.touch()
    else:
        nowhere.mkdir()
        nowhere.chmod(0o755)
    with pytest.warns(UnderstudyWarning, match="compiled anew in each run"):
        assert kernel()(twice)(21) == 42
    assert not list(tmp_path.rglob("*.nbc"))


def test_a_disk_that_is_full_stops_no_kernel(nowhere, monkeypatch):
    def full(self, *args):
        raise OSError(28, "No space left on device")

    nowhere.mkdir(mode=0o700)
    monkeypatch.setattr(caching.IndexDataCacheFile, "save", full)
    assert kernel()(twice)(21) == 42


@pytest.mark.skipif(not LOCKS, reason="there are no locks to wait for")
def test_processes_that_compile_at_once_do_not_take_each_others_code(nowhere, monkeypatch):
    """While one reads or writes the index of what is kept, it has the lock that all others wait for."""
    held, read = [], caching.IndexDataCacheFile._load_index

    def read_and_tell(self):
        folder = os.open(self._cache_path, os.O_RDONLY)
        held.append(try_lock(folder) is False)
        os.close(folder)
        return read(self)

    nowhere.mkdir(mode=0o700)
    kept = [kernel()(twice)._cache._cache_file for _ in range(2)]
    monkeypatch.setattr(caching.IndexDataCacheFile, "_load_index", read_and_tell)
    for i in range(2):
        kept[i].save(f"types {i}", f"code {i}")
    assert [kept[0].load(f"types {i}") for i in range(2)] == ["code 0", "code 1"]
    assert held == [True] * 4


def test_where_the_package_can_be_written_to_nothing_changes():
    made = kernel()(twice)
    assert made(21) == 42
    assert Path(made.stats.cache_path).is_dir()
    assert Path(made.stats.cache_path).is_relative_to(Path(__file__).parent)


KERNELS = """
import sys
import numpy as np
from understudy._core.compiling import kernel

@kernel()
def doubled(values):
    made = np.empty(values.shape[0])
    for i in range(values.shape[0]):
        made[i] = 2 * values[i]
    return made

@kernel()
def halved_and_doubled(values):
    return doubled(values / 2)

numbers = np.arange(4)
print(doubled(numbers).tolist(), "scipy.linalg" in sys.modules)
if len(sys.argv) > 1:
    print(halved_and_doubled(numbers).tolist(), doubled(numbers.astype(np.uint8)).tolist())
"""


@pytest.mark.slow
def test_code_that_was_kept_is_loaded_without_the_compiler_which_is_there_when_needed(tmp_path):
    pytest.importorskip("scipy")
    program = tmp_path / "kernels.py"
    program.write_text(KERNELS)

    def said(*arguments):
        run = subprocess.run([sys.executable, program, *arguments], capture_output=True, text=True, check=True)
        return run.stdout.splitlines()

    twice_each = "[0.0, 2.0, 4.0, 6.0]"
    assert said() == [f"{twice_each} True"]
    assert said("more") == [f"{twice_each} False", f"[0.0, 1.0, 2.0, 3.0] {twice_each}"]
