"""The release folder: synthetic table, model, statement for machines and for people, dataset card, drawing."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from understudy._core.formats import FORMATS, ending_of
from understudy._core.notebooks import card
from understudy.release._about import about_release, declared_facts
from understudy.release._card import croissant_card
from understudy.release._card_facts import CardFacts
from understudy.release._folder import whole_folder
from understudy.release._letter import privacy_letter
from understudy.release._protection import protection_chart
from understudy.release._published import PublishedModel
from understudy.release._statement import Statement

Progress: TypeAlias = Callable[[str, int, int], None]
_NOT_PRIVATE = "NOT-PRIVATE"


@dataclass(frozen=True, kw_only=True, repr=False)
class Release:
    """What was published and where: what `publish` returns."""

    path: Path
    model: PublishedModel
    synthetic: Path
    files: tuple[Path, ...]
    n_rows: int

    def __repr__(self) -> str:
        return f"Release({str(self.path)!r}, dataset={self.statement.summary()})"

    def _repr_html_(self) -> str:
        rows = [*self.statement.facts(), ("folder", str(self.path)), ("files", ", ".join(p.name for p in self.files))]
        return card(f"Release of {self.statement.dataset}", rows, warning=self.statement.stamp)

    @property
    def statement(self) -> Statement:
        """The privacy statement."""
        return self.model.statement


def table_name(statement: Statement, format: str) -> str:
    """Name of the synthetic table. A table that is not private says so in its name: a CSV has no other place for it.

    >>> table_name(Statement.example(), "csv"), table_name(Statement.example(seeded=True), "parquet")
    ('synthetic.csv', 'synthetic.NOT-PRIVATE.parquet')
    """
    return stamped_path(Path(f"synthetic{FORMATS[format].endings[0]}"), statement).name


def stamped_path(path: Path, statement: Statement) -> Path:
    """Where a table goes that was asked for at `path`: without a guarantee, NOT-PRIVATE is added to its name.

    >>> str(stamped_path(Path("more/rows.csv.gz"), Statement.example(seeded=True)))
    'more/rows.NOT-PRIVATE.csv.gz'
    """
    if statement.private or _NOT_PRIVATE in path.name:
        return path
    ending = ending_of(path.name) or path.suffix
    stem = path.name[: len(path.name) - len(ending)]
    return path.with_name(f"{stem}.{_NOT_PRIVATE}{path.name[len(stem) :]}")


def write_release(
    out: Path,
    model: PublishedModel,
    *,
    format: str = "csv",
    n_rows: int | None = None,
    seed: int | None = None,
    overwrite: bool = False,
    facts: CardFacts | None = None,
    progress: Progress | None = None,
) -> Release:
    """Write the whole folder, or nothing.

    >>> import tempfile
    >>> import pyarrow as pa
    >>> from understudy import PrivBayes
    >>> fields = [{"name": "smokes", "categories": ["no", "yes"]}]
    >>> model = PrivBayes(epsilon=1).fit(pa.table({"smokes": ["no", "yes"] * 50}), {"fields": fields}).model_
    >>> with tempfile.TemporaryDirectory() as home:
    ...     release = write_release(Path(home, "release"), model, format="parquet")
    ...     [path.name for path in release.files if path.is_file()][:2]
    ['synthetic.parquet', 'model.understudy']
    """
    with whole_folder(out, overwrite=overwrite) as folder:
        names, n_rows = fill_release(
            folder, model, format=format, n_rows=n_rows, seed=seed, facts=facts, progress=progress
        )
    return make_release(out, model, names, n_rows)


def make_release(out: Path, model: PublishedModel, names: Sequence[str], n_rows: int) -> Release:
    """The release whose files of these names lie in `out`; the synthetic table comes first."""
    files = tuple(out / name for name in names)
    return Release(path=out, model=model, synthetic=files[0], files=files, n_rows=n_rows)


def fill_release(
    folder: Path,
    model: PublishedModel,
    *,
    format: str,
    n_rows: int | None,
    seed: int | None,
    facts: CardFacts | None,
    progress: Progress | None,
    delimiter: str = ",",
) -> tuple[list[str], int]:
    """Write every file into a folder that is there already; their names and the number of synthetic rows."""
    table = folder / table_name(model.statement, format)
    written = write_table(table, model, n_rows=n_rows, seed=seed, progress=progress, delimiter=delimiter)
    model.save(folder / "model.understudy")
    (folder / "privacy.json").write_bytes(json_bytes(model.statement.to_dict()))
    (folder / "PRIVACY.md").write_text(privacy_letter(model.statement), encoding="utf-8")
    files = [table, *(folder / name for name in ("model.understudy", "privacy.json", "PRIVACY.md"))]
    if model.draws_itself:
        files.append(folder / "network.svg")
        model.draw(files[-1])
    if model.statement.unequal:
        files.append(protection_chart(model.statement).save(folder / "protection.svg"))
    said = declared_facts(model.schema.properties, facts or CardFacts())
    about = about_release(
        model.schema, model.statement, table=table.name, n_rows=written, facts=said, delimiter=delimiter
    )
    files.append(folder / "README.md")
    files[-1].write_text(about, encoding="utf-8")
    card = croissant_card(model.schema, model.statement, files, table, said, delimiter=delimiter)
    (folder / "croissant.json").write_bytes(json_bytes(card))
    if progress is not None:
        progress("writing", 1, 1)
    return [path.name for path in files] + ["croissant.json"], written


def write_table(
    path: Path,
    model: PublishedModel,
    *,
    n_rows: int | None = None,
    seed: int | None = None,
    progress: Progress | None = None,
    delimiter: str = ",",
    **sampling: Any,
) -> int:
    """Sample into a CSV or Parquet file, batch by batch; the number of rows written."""
    from understudy.tables import open_writer

    total = model.statement.n_rows if n_rows is None else n_rows
    done = 0
    with open_writer(path, model.schema, metadata=table_metadata(model.statement), delimiter=delimiter) as writer:
        for batch in model.sample_batches(n_rows, seed=seed, **sampling):
            writer.write(batch)
            done += batch.num_rows
            del batch  # before the next is made
            if progress is not None:
                progress("sampling", done, total)
    return done


def table_metadata(statement: Statement) -> dict[str, str]:
    """What a Parquet file says about itself, so that a copy without its folder still tells."""
    return {
        "understudy.guarantee": statement.guarantee,
        "understudy.epsilon": str(statement.epsilon) if statement.private else "unbounded",
        "understudy.delta": str(statement.delta) if statement.private else "unbounded",
        "understudy.unit": statement.unit,
    }


def json_bytes(document: Any) -> bytes:
    """A document as it is written.

    >>> json_bytes({"rows": 3})
    b'{\\n  "rows": 3\\n}\\n'
    """
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()
