"""A comparison as one page that needs nothing else, and its figures as one picture."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from understudy._api._comparison import FEWEST_FOR_INTERVAL, spread_text
from understudy.charts import Chart, style_rules

if TYPE_CHECKING:
    from understudy._api._comparison import Comparison

_SIDE_BY_SIDE = 2
_STYLE = """
:root { color-scheme: light dark; --ink: #1f2937; --quiet: #5b6472; --line: #d5dae3; --paper: #fff; --warn: #fdf1e3; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8ecf3; --quiet: #a3adbd; --line: #3a4354; --paper: #10141c; --warn: #3a2a17; }
}
body { margin: 0 auto; padding: 1.5rem 1rem 3rem; max-width: 84rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 Inter, "Segoe UI", "Helvetica Neue", Helvetica, Arial, "DejaVu Sans", sans-serif; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; }
p { max-width: 46rem; } p.quiet { color: var(--quiet); max-width: none; }
.two { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 0 3rem; }
.private { background: var(--warn); border-radius: 8px; padding: .6rem .9rem; max-width: none; font-weight: 600; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 30rem), 1fr)); gap: 1rem; }
.figures svg { width: 100%; height: auto; max-width: 44rem; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .3rem .8rem; border-bottom: 1px solid var(--line); text-align: right; white-space: nowrap; }
th:first-child, td:first-child { text-align: left; padding-left: 0; }
thead th { color: var(--quiet); font-size: .85rem; }
td small { color: var(--quiet); } tr.new td, tr.new th { border-top: 2px solid var(--line); }
tfoot td { color: var(--quiet); }
@media (max-width: 40rem) { th, td { padding: .3rem .35rem; } td small { display: block; } }
@media print { body { max-width: none; } .figures svg { max-width: 48%; } }
"""


def panels(charts: Sequence[Chart]) -> str:
    """Several pictures as one, two side by side.

    >>> panels([Chart('<svg viewBox="0 0 10 5"></svg>', 10, 5)] * 2).count("<svg")
    3
    """
    if len(charts) == 1:
        return charts[0].svg
    gap = 12
    across = min(len(charts), _SIDE_BY_SIDE)
    down = -(-len(charts) // across)
    width, height = max(chart.width for chart in charts), max(chart.height for chart in charts)
    total = (across * width + (across - 1) * gap, down * height + (down - 1) * gap)
    placed = [
        re.sub(r"^<svg", f'<svg x="{i % across * (width + gap)}" y="{i // across * (height + gap)}"', chart.inline())
        for i, chart in enumerate(charts)
    ]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {total[0]} {total[1]}" width="{total[0]}" '
        f'height="{total[1]}"><style>{style_rules()}</style>{"".join(placed)}</svg>\n'
    )


def page(comparison: Comparison) -> str:
    """The page: figures, the table, and how to read them."""
    name = escape(comparison.dataset)
    figures = "".join(comparison.figure(measure).inline() for measure in comparison.measures)
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<meta name="robots" content="noindex">
<title>Comparison: {name} (private)</title>
<style>{_STYLE}{style_rules()}</style>
</head>
<body>
<h1>Which method, which budget? {name}</h1>
<p class="quiet">{_facts(comparison)}</p>
<p class="private">Private to the holder: these numbers were computed from the real table. Do not publish this page.</p>
<div class="figures">{figures}</div>
<div class="two"><section>
<h2>All results</h2>
{_table(comparison)}
</section><section>
<h2>How to read this</h2>
<p>The error is the total variation distance between a contingency table of the real rows and the same table of the
synthetic ones, on average over all tables: at 0.05, five in a hundred synthetic rows would have to move to another cell
to make the two alike.
{_scopes(comparison)}
Lower is better. {_spread(comparison)}</p>
<p><strong>Fresh sample</strong>: what as many new rows of the same kind would get, so nothing can be expected to do
better. <strong>Independent columns</strong> have every column right and no relation between columns.
Above them, a method adds more noise than it learns.</p>
<p>Every run was a rehearsal with a seed: no budget was spent and no ledger was touched. But choosing a method or a
budget by looking at this page is itself a look at the real table, which no guarantee covers: choose on a similar table
that is public where you can.</p>
</section></div>
</body>
</html>
"""


def _facts(comparison: Comparison) -> str:
    delta = f", δ = {float(comparison.delta):g}" if comparison.delta else ""
    unit = "" if comparison.unit == "one row" else f"; unit: {escape(comparison.unit)}"
    runs = len(comparison.runs)
    return (
        f"{comparison.rows:,} rows, {comparison.columns} columns; {comparison.neighbours} neighbours{delta}"
        f"{unit}; {runs:,} {'rehearsal' if runs == 1 else 'rehearsals'} over {len(comparison.seeds)} "
        f"{'seed' if len(comparison.seeds) == 1 else 'seeds'}; understudy {escape(comparison.version)}."
    )


def _scopes(comparison: Comparison) -> str:
    told = "; ".join(f"{name}: {scope}" for name, scope in comparison.scopes.items())
    return f"Compared were {escape(told)}."


def _spread(comparison: Comparison) -> str:
    runs = len(comparison.seeds)
    if runs == 1:
        return "Each is one run; how far others would be off is not known."
    what = (
        "the range of its runs, too few for an interval"
        if runs < FEWEST_FOR_INTERVAL
        else "the half-width of its 95 % interval over seeds (Student's t)"
    )
    return f"After each mean stands {what}; bands in the figures show the same."


def _table(comparison: Comparison) -> str:
    measures = comparison.measures
    rows = comparison.rows_of_table()
    head = "".join(f"<th>{escape(measure)} error</th>" for measure in measures)
    body, before = [], None
    for start in range(0, len(rows), len(measures)):
        group = rows[start : start + len(measures)]
        new = ' class="new"' if before not in (None, group[0]["method"]) else ""
        before = group[0]["method"]
        cells = "".join(f"<td>{_cell(row)}</td>" for row in group)
        body.append(f"<tr{new}><td>{escape(before)}</td><td>{group[0]['epsilon']:g}</td>{cells}</tr>")
    foot = "".join(
        f"<tr><td>{label}</td><td></td>{''.join(f'<td>{values[m]:.4f}</td>' for m in measures)}</tr>"
        for label, values in (
            ("fresh sample", comparison.fresh_sample),
            ("independent columns", comparison.independent_columns),
        )
    )
    return (
        f'<div class="wide"><table><thead><tr><th>method</th><th>ε</th>{head}</tr></thead>'
        f"<tbody>{''.join(body)}</tbody><tfoot>{foot}</tfoot></table></div>"
    )


def _cell(row: dict[str, Any]) -> str:
    spread = spread_text(row)
    return f"{row['mean']:.4f}" + (f" <small>{spread}</small>" if spread else "")
