"""Algorithm 1 from end to end: fields, pairs worth comparing, a network that learns, degrees, groups."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from importlib.util import find_spec
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from understudy._core.errors import OptionError, TableError, did_you_mean
from understudy._core.randomness import streams
from understudy.correlate._blocking import candidate_pairs
from understudy.correlate._copies import with_copies
from understudy.correlate._correlation import Correlation
from understudy.correlate._fields import FieldMap, read_fields
from understudy.correlate._grouping import bounded_groups
from understudy.correlate._groups import Groups
from understudy.correlate._labels import Labels, read_labels
from understudy.correlate._links import Links
from understudy.correlate._network import Network
from understudy.correlate._records import Records
from understudy.correlate._texts import Ints, as_texts
from understudy.correlate._training import learn
from understudy.options import CorrelateOptions
from understudy.tables import Column, Source, open_source

Progress: TypeAlias = Callable[[str, int, int], None]
_AT_ONCE = 250_000  # pairs
_COPIES = 4_000
_NEEDED = ("rapidfuzz", "sklearn")


def correlate(
    source: Any,
    *,
    fields: str | Iterable[str] | Mapping[str, str],
    labels: Any = None,
    key: str | None = None,
    threshold: float = 0.6,
    max_rows: int = 5,
    seed: int = 0,
    progress: Progress | None = None,
) -> Correlation:
    """Which records of a table belong together, and to what degree. Private: nothing of it may be published.

    Args:
        source: the private table: a file, or a pandas, polars or pyarrow table.
        fields: what to recognise records by: kinds of field (name, birthday, address, email, phone, id), columns, or
            columns with their tags ("dob:B").
        labels: pairs known to belong together or not, with columns row_a, row_b, same. Without, the network learns
            from pairs that it makes of the table itself, and records belong together if they are one person's.
        key: the column whose values the labels name records by. Default: they are numbers of rows, from 0.
        threshold: ϑ0, the least degree that counts, above 0 and at most 1.
        max_rows: the declared most rows of a group. It must come from knowledge of the table's making, not from here.
        seed: of the made pairs and the network's first weights.
        progress: called with a stage, how much of it is done, and how much there is.

    >>> days = ["1990-01-02", "1950-12-30", "1990-01-02"]
    >>> table = pa.table({"name": ["Ann Lee", "Bob Ray", "Ann Leee"], "born": days})
    >>> correlate(table, fields="name,birthday").groups.of_row.tolist()
    [0, 1, 0]
    """
    asked = CorrelateOptions(
        fields=_listed(fields), labels=labels, key=key, threshold=threshold, max_rows=max_rows, seed=seed
    )
    _refuse_without_packages()
    return _recognised(open_source(source), asked, progress or (lambda stage, done, total: None))


def _recognised(opened: Source, asked: CorrelateOptions, tell: Progress) -> Correlation:
    chosen = FieldMap.read(asked.fields, opened.names)
    columns, keys = _read(opened, chosen, None if asked.labels is None else asked.key, tell)
    n_rows = len(next(iter(columns.values()))[0][1].codes)
    if n_rows < 2:
        raise TableError("the table has one row. Records are recognised by comparing them: two are needed.")
    known = None if asked.labels is None else read_labels(asked.labels, n_rows=n_rows, keys=keys)
    coins = streams(asked.seed)
    records, originals = with_copies(columns, n_rows, n_copies=_COPIES, rng=coins.get("copies"))
    pairs = candidate_pairs(
        records.keys(), records.order, progress=lambda done, total: tell("finding pairs to compare", done, total)
    )
    tell("learning", 0, 1)
    learnt = learn(records, originals, pairs, known, coins)
    tell("learning", 1, 1)
    likely = _likely(records, learnt.network, pairs, threshold=float(asked.threshold), tell=tell)
    network = learnt.revised(records, likely)
    links = _linked(records, network, likely, threshold=float(asked.threshold), known=known)
    groups = Groups(
        of_row=bounded_groups(links, asked.max_rows),
        max_rows=asked.max_rows,
        origin="recognised",
        links=links,
        threshold=float(asked.threshold),
        fields=chosen.names,
    )
    return Correlation(
        groups=groups,
        fields=dict(chosen.columns),
        n_compared=len(pairs[0]),
        n_labels=None if known is None else known.n_pairs,
        layers=network.layers,
        largest=int(np.bincount(bounded_groups(links, n_rows)).max()),
    )


def _listed(fields: str | Iterable[str] | Mapping[str, str]) -> list[str]:
    """Words of `fields`, as one would write them on the command line."""
    if isinstance(fields, Mapping):
        return [f"{column}:{tag}" for column, tag in fields.items()]
    return fields.split(",") if isinstance(fields, str) else list(fields)


def _refuse_without_packages() -> None:
    missing = [name for name in _NEEDED if find_spec(name) is None]
    if missing:
        raise OptionError(
            f"recognising records needs {' and '.join(missing)}, which is not installed. To have it: "
            'pip install "understudy[correlate]".'
        )


def _read(opened: Source, chosen: FieldMap, key: str | None, tell: Progress) -> tuple[Any, pa.Array | None]:
    known = opened.n_rows or 0
    if key is not None and key not in opened.names:
        raise TableError(f"the table has no column '{key}' for --key. {did_you_mean(key, opened.names)}")
    parts: list[pa.Array] = []

    def beside(wanted: Sequence[str], rows: int = 0) -> Iterator[list[Column]]:
        """The key comes with the rows: read by itself, it might come in another order."""
        asked = list(dict.fromkeys([*wanted, str(key)]))
        for batch in opened.batches(asked):
            parts.append(as_texts(batch[asked.index(str(key))]))
            yield batch[: len(wanted)]

    source = opened if key is None else replace(opened, batches=beside)
    columns = read_fields(source, chosen, progress=lambda done: tell("reading", done, max(known, done)))
    if key is None:
        return columns, None
    return columns, pa.chunked_array(parts, pa.string()).combine_chunks()


def _likely(
    records: Records, network: Network, pairs: tuple[Ints, Ints], *, threshold: float, tell: Progress
) -> tuple[Ints, Ints]:
    """Candidate pairs whose degree comes near the threshold: few enough to be looked at once more."""
    first, second = pairs
    kept = [np.empty((2, 0), dtype=np.int64)]
    for start in range(0, len(first), _AT_ONCE):
        one, other = first[start : start + _AT_ONCE], second[start : start + _AT_ONCE]
        near = np.abs(network.degrees(records.features(one, other))) >= threshold / 2
        kept.append(np.stack([one[near], other[near]]))
        tell("comparing", min(start + _AT_ONCE, len(first)), len(first))
    found = np.concatenate(kept, axis=1)
    return found[0], found[1]


def _linked(
    records: Records, network: Network, likely: tuple[Ints, Ints], *, threshold: float, known: Labels | None
) -> Links:
    """All pairs whose degree reaches the threshold; those below it are 0. Labels are kept to."""
    n = records.n_rows
    numbers = likely[0] * n + likely[1]
    parts = [
        network.degrees(records.features(likely[0][start : start + _AT_ONCE], likely[1][start : start + _AT_ONCE]))
        for start in range(0, len(numbers), _AT_ONCE)
    ]
    degrees = np.concatenate([np.empty(0, dtype=np.float32), *parts])
    degrees[np.abs(degrees) < threshold] = 0
    if known is not None:
        labelled = np.minimum(known.first, known.second) * n + np.maximum(known.first, known.second)
        others = ~np.isin(numbers, labelled)
        numbers = np.concatenate([numbers[others], labelled])
        degrees = np.concatenate([degrees[others], known.tags])
    return Links.of_pairs(n, numbers // n, numbers % n, np.clip(degrees, -1, 1))
