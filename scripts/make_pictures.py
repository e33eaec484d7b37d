"""Make pictures: publish the demo table at ε = 3, draw what it kept and lost (README), and a network of PrivBayes.

Noise differs from run to run, and so do the pictures. Of five releases the median is drawn, by mean distance over all
pairs of columns: neither the luckiest nor the unluckiest. The real side may be shown because the demo table has
been public for decades; with a private table such a picture would itself be a release.

    .venv/bin/python scripts/make_pictures.py
"""

from __future__ import annotations

import sys
import tempfile
from dataclasses import dataclass
from html import escape
from itertools import combinations
from pathlib import Path
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

import understudy as us
from understudy import demo
from understudy.schema import Field, Schema
from understudy.tables import Table, read_table

Floats: TypeAlias = npt.NDArray[np.float64]

IMAGES = Path(__file__).parents[1] / "docs" / "images"
FONT = "Inter, 'Segoe UI', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif"
INK, MUTED, REAL, SYNTHETIC = "#1f2937", "#6b7280", "#b6bdca", "#3f5bd0"
WIDTH, MARGIN, GAP = 1040, 40, 34
ROWS_OF_PANELS = (
    ("self_rated_health", "site", "coinsurance"),
    ("doctor_visits", "medical_spending", "age"),
)
LINE = 17
RUNS = 5
EPSILON = 3


def main() -> None:
    """Publish some times, keep the median run, draw it."""
    schema = us.Schema.load(demo.schema_path())  # the coarse bins: bars and cells that can be seen
    real = read_table(demo.table_path(), schema)
    runs = sorted((_run(schema, real) for _ in range(RUNS)), key=lambda run: run.mean_distance)
    median = runs[RUNS // 2]
    strongest = max(_pairs(schema), key=lambda pair: _information(schema, median.synthetic, pair))
    with tempfile.TemporaryDirectory() as folder:
        network = us.publish("demo", method="privbayes", epsilon=EPSILON, out=Path(folder) / "release")
        network.model.draw(IMAGES / "demo-network.svg")
    picture = _comparison(schema, real, median.synthetic, strongest)
    (IMAGES / "demo-comparison.svg").write_text(picture, encoding="utf-8")
    sys.stdout.write("mean distance over all pairs: " + " ".join(f"{run.mean_distance:.3f}" for run in runs) + "\n")


@dataclass(frozen=True)
class Run:
    """One release and how far it is from the real table."""

    synthetic: Table
    mean_distance: float


def _run(schema: Schema, real: Table) -> Run:
    with tempfile.TemporaryDirectory() as folder:
        release = us.publish("demo", schema=demo.health_schema_path(), epsilon=EPSILON, out=Path(folder) / "release")
        synthetic = read_table(release.synthetic, schema)
    distances = [_distance(schema, real, synthetic, pair) for pair in _pairs(schema)]
    return Run(synthetic, float(np.mean(distances)))


def _comparison(schema: Schema, real: Table, synthetic: Table, strongest: tuple[int, int]) -> str:
    parts = [_text(MARGIN, 46, f"5,912 people, real and synthetic, at ε = {EPSILON}", size=20, weight=650)]
    parts += _legend(MARGIN, 72)
    top = 104.0
    width = (WIDTH - 2 * MARGIN - 2 * GAP) / 3
    for names in ROWS_OF_PANELS:
        fields = [schema[name] for name in names]
        for column, field in enumerate(fields):
            left = MARGIN + column * (width + GAP)
            parts += _bars(left, top, width, field, *(_share(t, schema, field.name) for t in (real, synthetic)))
        top += 30 + LINE * max(len(field.labels) for field in fields) + 26
    parts.append(f'<path d="M{MARGIN},{top - 12}H{WIDTH - MARGIN}" stroke="#dfe3ea"/>')
    lost = _most_lost(schema, real, synthetic)
    half = (WIDTH - 2 * MARGIN - 2 * GAP) / 2
    for side, (pair, what) in enumerate(((strongest, "A relation it learnt"), (lost, "The relation it lost most of"))):
        left = MARGIN + side * (half + 2 * GAP)
        parts += _heatmaps(left, top + 18, half, what, schema, pair, real, synthetic)
    height = top + 18 + 42 + (half - GAP) / 2 + 34
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0f}" width="{WIDTH}" '
        f'height="{height:.0f}" font-family="{FONT}" role="img" aria-label="Real and synthetic distributions">\n'
        f'<rect width="{WIDTH}" height="{height:.0f}" rx="14" fill="#fbfcfe"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _share(table: Table, schema: Schema, *names: str) -> Floats:
    """Shares of all cells of one or more columns."""
    places = [schema.names.index(name) for name in names]
    sizes = [len(schema[name].labels) for name in names]
    cells = np.ravel_multi_index([table.columns[i].astype(np.int64) for i in places], sizes)
    counts = np.bincount(cells, minlength=int(np.prod(sizes)))
    return (counts / counts.sum()).reshape(sizes)


def _most_lost(schema: Schema, real: Table, synthetic: Table) -> tuple[int, int]:
    """The pair of columns whose joint distribution differs most."""
    return max(_pairs(schema), key=lambda pair: _distance(schema, real, synthetic, pair))


def _pairs(schema: Schema) -> list[tuple[int, int]]:
    return list(combinations(range(len(schema.names)), 2))


def _distance(schema: Schema, real: Table, synthetic: Table, pair: tuple[int, int]) -> float:
    names = [schema.names[i] for i in pair]
    return float(np.abs(_share(real, schema, *names) - _share(synthetic, schema, *names)).sum() / 2)


def _information(schema: Schema, table: Table, pair: tuple[int, int]) -> float:
    """Mutual information of two columns."""
    joint = _share(table, schema, *(schema.names[i] for i in pair))
    apart = np.outer(joint.sum(axis=1), joint.sum(axis=0))
    there = joint > 0
    return float((joint[there] * np.log2(joint[there] / apart[there])).sum())


def _bars(left: float, top: float, width: float, field: Field, real: Floats, synthetic: Floats) -> list[str]:
    distance = np.abs(real - synthetic).sum() / 2
    parts = [
        _text(left, top + 8, field.name, size=13.5, weight=650),
        _text(left + width, top + 8, f"distance {distance:.3f}", size=11, fill=MUTED, anchor="end"),
    ]
    room = 110
    scale = (width - room) / max(real.max(), synthetic.max())
    for i, label in enumerate(field.labels):
        y = top + 22 + i * LINE
        parts.append(_text(left + room - 8, y + 10.5, _short(label), size=11, fill=MUTED, anchor="end"))
        for offset, value, colour in ((0, real[i], REAL), (6.5, synthetic[i], SYNTHETIC)):
            parts.append(
                f'<rect x="{left + room:.1f}" y="{y + offset:.1f}" width="{max(value * scale, 0.6):.1f}" height="6" '
                f'rx="1.5" fill="{colour}"/>'
            )
    return parts


def _heatmaps(
    left: float,
    top: float,
    width: float,
    what: str,
    schema: Schema,
    pair: tuple[int, int],
    real: Table,
    synthetic: Table,
) -> list[str]:
    down, across = (schema.names[i] for i in pair)
    tables = [_share(table, schema, down, across) for table in (real, synthetic)]
    distance = np.abs(tables[0] - tables[1]).sum() / 2
    parts = [
        _text(left, top + 8, what, size=13.5, weight=650),
        _text(left + width, top + 8, f"distance {distance:.3f}", size=11, fill=MUTED, anchor="end"),
        _text(left, top + 26, f"{down} (down) and {across} (across)", size=11, fill=MUTED),
    ]
    side = (width - GAP) / 2
    darkest = max(table.max() for table in tables)
    for k, (table, name) in enumerate(zip(tables, ("real", "synthetic"), strict=True)):
        x0, y0 = left + k * (side + GAP), top + 40
        high, wide = side / table.shape[0], side / table.shape[1]
        for (i, j), value in np.ndenumerate(table):
            # the square root makes small shares visible beside large ones
            parts.append(
                f'<rect x="{x0 + j * wide:.1f}" y="{y0 + i * high:.1f}" width="{wide - 1:.1f}" '
                f'height="{high - 1:.1f}" fill="{_shade(np.sqrt(value / darkest))}"/>'
            )
        parts.append(_text(x0 + side / 2, y0 + side + 18, name, size=11, fill=MUTED, anchor="middle"))
    return parts


def _shade(strength: float) -> str:
    light, dark = np.array([0xEE, 0xF1, 0xF8]), np.array([0x2B, 0x2A, 0x78])
    return "#" + "".join(f"{round(c):02x}" for c in light + (dark - light) * strength)


def _legend(x: float, y: float) -> list[str]:
    return [
        f'<rect x="{x}" y="{y - 9}" width="12" height="9" rx="2" fill="{REAL}"/>',
        _text(x + 18, y, "real", size=12, fill=MUTED),
        f'<rect x="{x + 60}" y="{y - 9}" width="12" height="9" rx="2" fill="{SYNTHETIC}"/>',
        _text(x + 78, y, "synthetic", size=12, fill=MUTED),
        _text(
            WIDTH - MARGIN, y, "distance: total variation, 0 is equal, 1 is disjoint", size=12, fill=MUTED, anchor="end"
        ),
    ]


def _short(label: str) -> str:
    return label if len(label) <= 17 else label[:16] + "…"


def _text(
    x: float, y: float, words: str, *, size: float, fill: str = INK, weight: int = 400, anchor: str = "start"
) -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{fill}" font-weight="{weight}" '
        f'text-anchor="{anchor}">{escape(words)}</text>'
    )


if __name__ == "__main__":
    main()
