"""A folder that appears whole or not at all.

Everything is written into a hidden folder beside the wanted one, flushed to disk, and renamed. A failure or an
interrupt at any moment removes the hidden folder; a `kill -9` may leave it, never a half-written release, and the next
run clears it away.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path

from understudy._core.addresses import looks_like_an_address
from understudy._core.errors import OutputError
from understudy._core.files import as_output_error, parents_made
from understudy.release._reserve import reserved_folder

RELEASE_FILES = frozenset(
    {
        *("model.understudy", "privacy.json", "PRIVACY.md", "croissant.json", "network.svg", "protection.svg"),
        *("README.md", "structure.bif"),  # the latter of a study among parties
    }
)
_TABLES = ("synthetic.", "parameters.")


@dataclass(frozen=True, kw_only=True)
class FolderKind:
    """What a folder holds, and which names of files are of it: a folder with others is never replaced.

    >>> RELEASE.ours("synthetic.csv"), RELEASE.ours("thesis.docx")
    (True, False)
    """

    what: str
    ours: Callable[[str], bool]


RELEASE = FolderKind(what="release", ours=lambda name: name in RELEASE_FILES or name.startswith(_TABLES))


def check_output(out: Path, *, overwrite: bool, kind: FolderKind = RELEASE) -> None:
    """Refuse an output folder that is already there, unless it may be overwritten and holds nothing but its kind.

    >>> check_output(Path("no-such-folder"), overwrite=False)
    """
    if out.name in ("", ".."):
        raise OutputError(f"'{out}' is no name for a new folder. Choose another --out, such as 'release'.")
    if looks_like_an_address(out):
        raise OutputError(f"what --out has is an address, and a {kind.what} is a folder. Name one, such as 'release'.")
    if not os.path.lexists(out):
        return
    if not out.is_dir():
        raise OutputError(f"'{out}' is a file, and the {kind.what} needs a folder of that name. Choose another --out.")
    if not overwrite:
        raise OutputError(
            f"the folder '{out}' already exists. Choose another --out, or pass --overwrite to replace it."
        )
    strange = sorted(entry.name for entry in out.iterdir() if not kind.ours(entry.name))
    if strange:
        raise OutputError(
            f"the folder '{out}' holds things that no {kind.what} has (such as '{strange[0]}'), so it is not replaced. "
            "Choose another --out, or remove the folder yourself."
        )


@contextmanager
def whole_folder(out: Path, *, overwrite: bool = False, kind: FolderKind = RELEASE) -> Iterator[Path]:
    """A folder to write into; when the block ends well it becomes `out`, otherwise it is gone.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as home:
    ...     with whole_folder(Path(home, "release")) as folder:
    ...         _ = Path(folder, "privacy.json").write_text("{}")
    ...     sorted(os.listdir(home)), os.listdir(Path(home, "release"))
    (['release'], ['privacy.json'])
    """
    with as_output_error(out):
        check_output(out, overwrite=overwrite, kind=kind)
        target = out.resolve() if out.is_symlink() else out.absolute()
        with parents_made(target), reserved_folder(target) as temporary:
            _take_up(target, kind)
            # Again, now that nobody else can make it: another run may have ended since.
            check_output(out, overwrite=overwrite, kind=kind)
            yield temporary
            _resolve(temporary)
            _put_in_place(temporary, target, overwrite=overwrite)


def _take_up(target: Path, kind: FolderKind) -> None:
    """Mend what a run left that was killed while it replaced a release: nobody else is at it, so what is old is ours.

    Killed between its two renames, it left the old release under a hidden name and none under its own.
    """
    for old in _old_names(target):
        if not os.path.lexists(old):
            return
        if old.is_symlink() or not old.is_dir() or not all(kind.ours(entry.name) for entry in old.iterdir()):
            continue  # somebody else's
        if os.path.lexists(target):
            shutil.rmtree(old, ignore_errors=True)
        else:
            old.rename(target)


def _old_names(target: Path) -> Iterator[Path]:
    return (target.with_name(f".{target.name}.{number}.old") for number in count())


def _resolve(folder: Path) -> None:
    """Flush every file and the folder itself; give the permissions a plain mkdir would have given."""
    umask = os.umask(0)
    os.umask(umask)
    for path in sorted(folder.iterdir()):
        _flush(path)
        path.chmod(0o666 & ~umask)
    folder.chmod(0o777 & ~umask)
    _flush(folder)


def _flush(path: Path) -> None:
    if os.name == "nt" and path.is_dir():
        return  # Windows has no way to flush a folder
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _flush_name(target: Path) -> None:
    with suppress(OSError):  # the release is in place, and no disk that cannot promise it for good may deny that
        _flush(target.parent)


def _put_in_place(temporary: Path, target: Path, *, overwrite: bool) -> None:
    if not (overwrite and target.exists()):
        # Checked again: somebody may have made the folder while the run went on. (rename replaces an empty folder.)
        check_output(target, overwrite=False)
        temporary.rename(target)
        _flush_name(target)
        return
    old = next(name for name in _old_names(target) if not os.path.lexists(name))
    try:
        target.rename(old)
        temporary.rename(target)
        _flush_name(target)
        shutil.rmtree(old, ignore_errors=True)
    except BaseException:
        if not temporary.exists():  # the new release is in place, and what is left is to clear the old one away
            shutil.rmtree(old, ignore_errors=True)
        elif old.exists() and not target.exists():
            old.rename(target)
        raise
