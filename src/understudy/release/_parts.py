"""A sample as a folder of Parquet files, part by part: in memory that does not grow, whole or not at all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

from understudy._core.errors import OptionError, OutputError
from understudy._core.formats import format_of
from understudy._core.numbers import whole_number
from understudy._core.randomness import Streams
from understudy.release._folder import FolderKind, check_output, whole_folder

if TYPE_CHECKING:
    from understudy.release._published import PublishedModel

MOST_PARTS = 100_000
_THREADS = 4  # more only wait for the disk, and each holds a batch of its own
PARTS = FolderKind(
    what="table in parts", ours=lambda name: re.fullmatch(r"part-\d{5,6}(\.NOT-PRIVATE)?\.parquet", name) is not None
)


def part_rows(n: int, parts: int) -> list[int]:
    """How many of n rows each part gets: as equal as can be, the longer ones first.

    >>> part_rows(10, 4)
    [3, 3, 2, 2]
    """
    each, more = divmod(n, parts)
    return [each + (i < more) for i in range(parts)]


def check_parts(out: Path, partitions: int, *, overwrite: bool) -> None:
    """Refuse a place or a number of parts that a table cannot be written to, before anything is drawn.

    >>> check_parts(Path("no-such-folder"), 64, overwrite=False)
    """
    if whole_number(partitions, "partitions", least=1) > MOST_PARTS:
        raise OptionError(f"The number of partitions must be between 1 and {MOST_PARTS:,}. Got {partitions} instead.")
    if format_of(out.name) is not None:
        raise OutputError(
            f"'{out}' is the name of a file, and {partitions} partitions need a folder. Name one, such as "
            f"'{out.name.partition('.')[0]}', or leave --partitions out."
        )
    check_output(out, overwrite=overwrite, kind=PARTS)


def write_parts(
    out: Path,
    model: PublishedModel,
    *,
    partitions: int,
    n_rows: int | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    threads: int | None = None,
    progress: Callable[[str, int, int], None] | None = None,
    **sampling: Any,
) -> int:
    """Sample into a new folder of so many Parquet files; the number of rows written.

    Each part has random streams of its own: which rows it gets depends on the seed, if there is one, and on its number,
    and not on what draws it when. Without a guarantee the name of each file says so.
    """
    from understudy.counting import n_threads
    from understudy.release._write import stamped_path

    check_parts(out, partitions, overwrite=overwrite)
    total = model.statement.n_rows if n_rows is None else n_rows
    sampling["seed"] = Streams.fresh().root if seed is None else whole_number(seed, "seed")
    work = _Work(model=model, total=total, partitions=partitions, sampling=sampling, progress=progress)
    with whole_folder(out, overwrite=overwrite, kind=PARTS) as folder:
        names = [stamped_path(folder / f"part-{i:05d}.parquet", model.statement) for i in range(partitions)]
        with ThreadPoolExecutor(min(_THREADS, n_threads(threads), partitions)) as pool:
            try:
                running = [pool.submit(work.write, name, i) for i, name in enumerate(names)]
                done = wait(running, return_when=FIRST_EXCEPTION).done
                for one in done:
                    one.result()
            except BaseException:  # an interrupt too: what is drawn at the moment is not waited for
                work.stop.set()
                pool.shutdown(wait=True, cancel_futures=True)
                raise
    return work.done


@dataclass(eq=False, kw_only=True)
class _Work:
    """What the threads share."""

    model: PublishedModel
    total: int
    partitions: int
    sampling: dict[str, Any]
    progress: Callable[[str, int, int], None] | None
    stop: Event = field(default_factory=Event)
    done: int = 0
    _lock: Lock = field(default_factory=Lock)

    def write(self, path: Path, part: int) -> None:
        """Write one part."""
        from understudy.release._write import table_metadata
        from understudy.tables import open_writer

        with open_writer(path, self.model.schema, metadata=table_metadata(self.model.statement), coded=True) as writer:
            for batch in self._batches(part):
                if self.stop.is_set():
                    raise _Stopped
                writer.write(batch)
                self._told(batch.num_rows)
                del batch  # before the next is made

    def _batches(self, part: int) -> Iterator[Any]:
        return self.model.sample_part(part, self.partitions, self.total, coded=True, **self.sampling)

    def _told(self, rows: int) -> None:
        with self._lock:
            self.done += rows
            if self.progress is not None:
                self.progress("sampling", self.done, self.total)


class _Stopped(Exception):
    """Another part failed."""
