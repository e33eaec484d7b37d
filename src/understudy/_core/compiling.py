"""How kernels are compiled, and where the machine code is kept between runs.

numba keeps it beside the package, or else in the user's home. Where neither can be written to (a package that the
administrator installed, an account without a home), it would refuse to load at all; here it is kept with the temporary
files then, in a folder that nobody else may enter, since what lies there is run. Failing that too, it is compiled anew
in each run. Either is said once.
"""

from __future__ import annotations

import os
import stat
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache, partial
from pathlib import Path
from typing import Any

from llvmlite import binding
from numba import config, njit
from numba.core import environment
from numba.core.runtime import nrt

from understudy._core.errors import UnderstudyWarning
from understudy._core.locks import one_at_a_time


def kernel(**options: Any) -> Callable[[Callable[..., Any]], Any]:
    """A decorator that compiles a function: without Python's lock, and kept for the next run."""

    def compiled(function: Callable[..., Any]) -> Any:
        try:
            made = njit(nogil=True, cache=True, **options)(function)
        except RuntimeError:  # there is no place that it could be kept in
            place = _temporary_place()
            if place is None:
                return njit(nogil=True, **options)(function)
            with _kept_in(place):
                made = njit(nogil=True, cache=True, **options)(function)
        return _sharing(_kept(made))

    return compiled


@cache
def _temporary_place() -> Path | None:
    """A folder for machine code among the temporary files; None if there is none to be trusted. Says so, once."""
    instead = "Set NUMBA_CACHE_DIR to a folder that you may write to."
    try:
        place = Path(tempfile.gettempdir(), f"understudy-kernels-{os.geteuid()}")
        new = not place.exists()
        place.mkdir(mode=0o700, exist_ok=True)
        found = place.lstat()
        trusted = stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077
        tempfile.TemporaryFile(dir=place).close()
    except (OSError, AttributeError):  # Windows knows no owners; there, it is the user's own folder to begin with
        trusted = False
    if not trusted:
        warnings.warn(
            "neither the package nor your home can be written to, so kernels are compiled anew in each run, which "
            f"takes some seconds. {instead}",
            UnderstudyWarning,
            stacklevel=3,
        )
        return None
    if new:
        warnings.warn(
            f"neither the package nor your home can be written to, so compiled kernels are kept in {place}. {instead}",
            UnderstudyWarning,
            stacklevel=3,
        )
    return place


@contextmanager
def _kept_in(place: Path) -> Iterator[None]:
    """Have numba keep in `place` what is compiled inside the block, and nothing else."""
    before, config.CACHE_DIR = config.CACHE_DIR, str(place)
    try:
        yield
    finally:
        config.CACHE_DIR = before


def _kept(made: Any) -> Any:
    """The same function, not stopped by a disk that fills up, and loaded by `_load`."""
    keeper: Any = getattr(made, "_cache", None)
    save = getattr(keeper, "save_overload", None)
    if save is not None:

        def save_if_possible(*args: Any) -> None:  # what cannot be kept is compiled again next time
            with suppress(OSError):
                save(*args)

        keeper.save_overload = save_if_possible
        keeper.load_overload = partial(_load, keeper)
    return made


def _load(keeper: Any, signature: Any, context: Any) -> Any:
    """Machine code that was kept; None if there is none, and then the compiler prepares itself.

    numba would prepare it here already, with scipy and much else: half a second, for nothing if all that is called was
    kept. Kept code needs the memory manager's functions alone; whatever else it refers to is kept with it.
    """
    _name_runtime()
    with keeper._guard_against_spurious_io_errors(), _without_globals():
        return keeper._load_overload(signature, context)


@cache
def _name_runtime() -> None:
    """Have the linker find the memory manager, under the names that numba gives it."""
    for name, address in nrt._nrt.c_helpers.items():
        binding.add_symbol(name if name.startswith("_") else f"NRT_{name}", address)


@contextmanager
def _without_globals() -> Iterator[None]:
    """Have numba load no modules of its own for functions of theirs that kept code has taken in.

    It would look globals up there for code that Python interprets, and here is none. The modules are those that teach
    the compiler about arrays and texts, a tenth of a short run.
    """
    rebuild: Any = getattr(environment, "_rebuild_env", None)
    if rebuild is None:
        yield
        return

    def rebuilt(module: str, constants: list[Any], name: str) -> Any:
        if not module.startswith("numba.") or environment.lookup_environment(name) is not None:
            return rebuild(module, constants, name)
        made = environment.Environment({"__name__": module})
        made.consts[:], made.env_name = constants, name
        environment.Environment._memo[name] = made
        return made

    environment._rebuild_env = rebuilt
    try:
        yield
    finally:
        environment._rebuild_env = rebuild


def _sharing(made: Any) -> Any:
    """The same function, kept safely where several processes compile it at once.

    numba reads the index of what is kept, writes it with a name for the new code, then writes the code. Two processes
    that compile for different types can take the same name, and the code of one is then run on the arrays of the other.
    """
    keeper: Any = getattr(made, "_cache", None)
    files: Any = getattr(keeper, "_cache_file", None)
    if files is None:
        return made
    save, load = files.save, files.load

    def save_alone(*args: Any) -> None:
        with one_at_a_time(keeper.cache_path):
            save(*args)

    def load_alone(*args: Any) -> Any:
        with one_at_a_time(keeper.cache_path):
            return load(*args)

    files.save, files.load = save_alone, load_alone
    return made
