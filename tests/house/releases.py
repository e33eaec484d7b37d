"""Seeded releases reduced to fingerprints, so that a change of the code can be held against the code before it.

`python -m tests.house.releases` writes the fingerprints anew: only where a change of results is wanted, and told in the
change log.

Rows and counts are hashed. Sums of floating-point numbers differ in their last digits from processor to processor, so
arrays of them are reduced to a few sums that any change of a number would move, and compared up to rounding.
"""

from __future__ import annotations

import hashlib
import io
import json
import re
import tempfile
import zipfile
from collections.abc import Callable, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

import understudy as us
from understudy import demo
from understudy._core.randomness import Streams
from understudy.counting import open_counter
from understudy.methods import method_named
from understudy.privacy import Neighbours, make_budget, make_noise, open_curator
from understudy.schema import Marginal, Schema

RECORDED = Path(__file__).with_name("releases.json")
SENSITIVE = ("self_rated_health", "chronic_disease_index")
_NUMBER = re.compile(r"[0-9.e+-]+")

# what every release is made under that names nothing else
PROMISE: Mapping[str, Any] = {"method": "privbayes", "delta": 0, "neighbours": "replace-one"}
# name → options of `publish`, on the demo table or, where `binary` stands, on a made one
RELEASES: Mapping[str, Mapping[str, Any]] = {
    "privbayes": {},
    "privbayes add-remove": {"neighbours": "add-remove"},
    "privbayes delta": {"delta": "1e-9"},
    "privbayes delta add-remove": {"delta": "1e-9", "neighbours": "add-remove"},
    "privbayes binary F": {"encoding": "binary", "score": "F", "k": 2, "max_candidates": 40},
    "privbayes gray I": {"encoding": "gray", "score": "I", "k": 1},
    "privbayes vanilla": {"encoding": "vanilla", "theta": 6},
    "privbayes printed post-processing": {"postprocessing": "printed"},
    "privbayes best network": {"diagnostic": "best-network"},
    "privbayes best marginals": {"diagnostic": "best-marginals"},
    "privbayes parquet": {"format": "parquet", "n": 1000},
    "privabn": {"method": "privabn"},
    "privabn delta add-remove": {"method": "privabn", "delta": "1e-9", "neighbours": "add-remove"},
    "privabn drawn": {"method": "privabn", "variant": "drawn"},
    "privabn greedy": {"method": "privabn", "variant": "greedy", "stop": True},
    "privabn printed": {"binary": True, "method": "privabn-as-printed", "no_guarantee": True},
    "hpprivbayes": {"method": "hpprivbayes", "sensitive": SENSITIVE},
    "hpprivbayes companions": {"method": "hpprivbayes", "sensitive": SENSITIVE, "companions": 1},
    "hpprivbayes delta add-remove": {
        "method": "hpprivbayes", "sensitive": SENSITIVE, "delta": "1e-9", "neighbours": "add-remove",
    },
    "hpprivbayes printed": {
        "method": "hpprivbayes-as-printed", "sensitive": SENSITIVE[:1], "no_guarantee": True,
    },
    "jtree": {"method": "jtree"},
    "jtree delta add-remove": {"method": "jtree", "delta": "1e-9", "neighbours": "add-remove"},
    "jtree printed": {"binary": True, "method": "jtree-as-printed", "no_guarantee": True},
    "independent": {"method": "independent"},
    "independent delta add-remove": {"method": "independent", "delta": "1e-9", "neighbours": "add-remove"},
    "uniform": {"method": "uniform", "neighbours": "add-remove"},
    "auto": {"method": "auto"},
    "privbayes on binary columns": {"binary": True},
    "privabn on binary columns": {"binary": True, "method": "privabn"},
    "jtree on binary columns": {"binary": True, "method": "jtree"},
}  # fmt: skip

# methods that publish no rows: their marginals over the first columns of the demo table
BASELINES: Mapping[str, tuple[str, Mapping[str, Any]]] = {
    f"{name}, {relation}, delta {delta}": (name, {"neighbours": relation, "delta": delta})
    for name in ("laplace", "fourier", "contingency", "mwem", "priview")
    for relation, delta in (("replace-one", None), ("add-remove", None), ("replace-one", "1e-9"))
}


Fingerprint: TypeAlias = str | list[float]


def release_fingerprints(options: Mapping[str, Any]) -> dict[str, Fingerprint]:
    """What a seeded release holds, part by part: rows, tables of the model, and what was charged for them."""
    given = dict(options)
    binary = given.pop("binary", False)
    source, schema = _binary_table() if binary else ("demo", None)
    where = {"c1": "yes"} if binary else {"sex": "Female"}
    with tempfile.TemporaryDirectory() as folder:
        release = us.publish(source, schema=schema, epsilon=1, seed=11, out=Path(folder) / "release", **PROMISE | given)
        found: dict[str, Fingerprint] = {"rows": _digest(release.synthetic.read_bytes())}
        with zipfile.ZipFile(Path(folder) / "release" / "model.understudy") as file:
            for name in sorted(file.namelist()):
                if name.endswith(".npy"):
                    found[name] = _of_array(np.load(io.BytesIO(file.read(name)), allow_pickle=False))
        statement = json.loads((Path(folder) / "release" / "privacy.json").read_text(encoding="utf-8"))
        conditional = release.model.sample(200, where=where, seed=3, kind="pyarrow")
        found["rows under a condition"] = _digest(json.dumps(conditional.to_pylist(), default=str).encode())
        answer = release.model.model.marginal(Marginal.of(1, 6))
        found["answer"] = _sums(answer.probabilities) + _sums(answer.standard_error)
    found["charges"] = _digest(json.dumps([_charge(line) for line in statement["charges"]]).encode())
    found["protection"] = _digest(json.dumps(statement["protection"], sort_keys=True).encode())
    return found


def _binary_table() -> tuple[Any, dict[str, Any]]:
    """Nine columns of yes and no that hang together, made without a generator."""
    import pyarrow as pa

    row = np.arange(2000)
    columns = [(row * (i + 3) // 7 + row // (5 + i)) % (2 + i % 3) == 0 for i in range(9)]
    columns[4] = columns[1] ^ (row % 11 == 0)
    columns[7] = columns[2] | (row % 5 == 0)
    table = pa.table({f"c{i}": np.where(column, "yes", "no") for i, column in enumerate(columns)})
    fields = [{"name": name, "type": "string", "categories": ["no", "yes"]} for name in table.column_names]
    return table, {"name": "binary", "fields": fields}


def baseline_fingerprints(name: str, options: Mapping[str, Any]) -> dict[str, Fingerprint]:
    """What a method without rows says of pairs of columns, of the demo table or of the binary one; and its charges."""
    table, schema = _binary_table() if name == "priview" else _first_columns()
    curator = open_curator(
        open_counter(table, Schema.from_dict(schema)),
        budget=make_budget(1, options["delta"]),
        neighbours=Neighbours(options["neighbours"]),
        noise=make_noise("exact", seed=11),
    )
    model = method_named(name).fit(curator, streams=Streams(11))
    pairs = [Marginal.of(a, b) for a in range(4) for b in range(a)]
    found: dict[str, Fingerprint] = {f"table {i}": _sums(model.marginal(m).probabilities) for i, m in enumerate(pairs)}
    charges = [[c.mechanism, str(c.share), c.n_tables, c.n_candidates, str(c.sensitivity)] for c in curator.charges]
    found["charges"] = _digest(json.dumps(charges).encode())
    return found


def _first_columns() -> tuple[Any, dict[str, Any]]:
    import pyarrow.csv as pacsv

    columns = ("site", "sex", "age", "self_rated_health")
    fields = [field for field in Schema.load(demo.schema_path()).to_dict()["fields"] if field["name"] in columns]
    return pacsv.read_csv(demo.table_path()).select(list(columns)), {"name": "four", "fields": fields}


def _charge(line: Mapping[str, Any]) -> list[object]:
    """A line of the statement without its words, which may change."""
    noise = _NUMBER.findall(line["noise"].partition("=")[2])
    cost = None if line["cost"] is None else str(Fraction(line["cost"]))
    return [line["mechanism"], cost, line["unit"], line["tables"], line["candidates"], noise[:1]]


def _of_array(array: npt.NDArray[Any]) -> Fingerprint:
    if array.dtype.kind == "f":
        return _sums(array)
    return _digest(f"{array.dtype.str} {array.shape}".encode() + array.tobytes())


def _sums(array: npt.NDArray[np.float64] | None) -> list[float]:
    """Of all numbers, of their squares, and of each with a weight that no other has."""
    flat = np.zeros(0) if array is None else np.asarray(array, dtype=np.float64).reshape(-1)
    weights = np.cos(np.arange(1.0, flat.size + 1))
    return [float(f"{total:.12g}") for total in (flat.size, flat.sum(), flat @ flat, flat @ weights)]


def _digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()[:16]


def all_fingerprints(told: Callable[[str], object] = lambda name: None) -> dict[str, dict[str, Fingerprint]]:
    """Every run, by name."""
    found: dict[str, dict[str, Fingerprint]] = {}
    for name, options in RELEASES.items():
        told(name)
        found[name] = release_fingerprints(options)
    for name, (method, options) in BASELINES.items():
        told(name)
        found[name] = baseline_fingerprints(method, options)
    return found


def _lines(found: Mapping[str, Fingerprint], indent: str) -> str:
    """A mapping with a line for each fingerprint."""
    lines = (f"{indent}{json.dumps(name)}: {json.dumps(one)}" for name, one in found.items())
    return "{\n" + ",\n".join(lines) + f"\n{indent[1:]}}}"


if __name__ == "__main__":
    runs = {name: _lines(found, "  ") for name, found in all_fingerprints(print).items()}
    RECORDED.write_text(
        "{\n" + ",\n".join(f" {json.dumps(k)}: {v}" for k, v in runs.items()) + "\n}\n", encoding="utf-8"
    )
