"""The report as one HTML page: everything in it, nothing fetched."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from math import isfinite
from typing import TYPE_CHECKING, Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from understudy.charts import Chart, gauge, percent, plain, style_rules, tidy
from understudy.evaluation._figures import association_maps, difference_map, histogram_bars, result_strip, share_bars
from understudy.evaluation._markdown import inline, render
from understudy.evaluation._measure import Group
from understudy.evaluation._page_first import first_screen, number_rows
from understudy.evaluation._pictures import number_bars
from understudy.evaluation._rating import references_differ, tone_of
from understudy.evaluation._result import MeasureResult
from understudy.evaluation._verdict import points as in_points

if TYPE_CHECKING:
    from understudy.evaluation._public import PublicReport
    from understudy.evaluation._report import Report

SHOWN_COLUMNS = 12
_SHOWN_ROWS = 12
_WORST = 3
_MANY = 12
_READABLE = 0.6
"""Drawings are not made smaller than this part of their size: on a narrow page they are scrolled."""


def report_page(report: Report) -> str:
    """The page of a report on a real and a synthetic table."""
    values = {
        "facts": report.facts,
        "score": report.score,
        "fresh_sample_score": report.fresh_sample_score,
        "independent_columns_score": report.independent_columns_score,
        **first_screen(report),
        **_grouped([_verdict(known) for known in report.results]),
        "numbers": number_rows(report.number_columns),
        "columns": _columns(report),
        "associations": [_maps(known.matrices[0]) for known in report.results if known.matrices],
        "worst": report.worst_cells[:_WORST],
        **_shared(report.facts),
    }
    return _environment().get_template("report.html").render(values)


def public_page(report: PublicReport) -> str:
    """The page that may be published: of the release alone."""
    columns = [
        {"name": tidy(shares.name), "chart": _drawn(share_bars(shares)), "values": len(shares.labels)}
        for shares in report.columns
    ]
    values = {
        "facts": report.facts,
        "columns": columns,
        "may_be_published": report.may_be_published,
        **_shared(report.facts),
    }
    return _environment().get_template("public.html").render(values)


@cache
def _environment() -> Environment:
    environment = Environment(
        loader=PackageLoader("understudy.evaluation", "_html"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters.update(
        points=points, percent=percent, plain=plain, inline=inline, tidy=tidy, signed=_signed, count=_count
    )
    style, script = (_asset(environment, name) for name in ("style.css", "script.js"))
    environment.globals.update(
        shown_columns=SHOWN_COLUMNS,
        chart_style=Markup(style_rules()),
        style=Markup(style),
        script=Markup(script),
        # whatever else should get onto the page, a browser will run this script only
        script_hash="sha256-" + b64encode(sha256(script.encode()).digest()).decode(),
    )
    return environment


def _asset(environment: Environment, name: str) -> str:
    assert environment.loader is not None
    return environment.loader.get_source(environment, name)[0].strip()


def _shared(facts: Any) -> dict[str, Any]:
    return {
        "letter": None if facts.privacy_letter is None else render(_without_title(facts.privacy_letter), top=2),
        "about": None if facts.about is None else render(_without_title(facts.about), top=1),
        "network": None if facts.network_svg is None else Markup(_embedded(facts.network_svg)),
        "directed": facts.directed,
        "budgets": facts.budgets,
    }


def points(share: float | None) -> str:
    """A share as points of a hundred.

    >>> points(0.0123), points(0.0004), points(None)
    ('1.2', '0.04', '–')
    """
    return "–" if share is None or not isfinite(share) else in_points(share)


def _signed(share: float) -> str:
    return ("+" if share > 0 else "−" if share < 0 else "±") + points(abs(share))


def _count(number: int) -> str:
    return f"{number:,}"


def shown_value(known: MeasureResult, value: float | None) -> str:
    """A number in the result's unit."""
    if value is None or not isfinite(value):
        return "–"
    if known.unit == "share":
        return points(value) if value == 0 or abs(value) >= 0.01 else f"{100 * value:.2f}"
    return plain(value) if abs(value) >= 100 else f"{value:.2g}"


def _grouped(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """What was measured, by the question it answers. Groups with a heading have sections of their own, and other
    people's names for the same go into a table at the end."""
    questions: dict[str, list[dict[str, Any]]] = {}
    sections: dict[Group, dict[str, list[dict[str, Any]]]] = {}
    familiar = [row for row in rows if row["known"].synonym is not None]
    for row in rows:
        known = row["known"]
        if known.synonym is None:
            cards = sections.setdefault(known.group, {}) if known.group.heading else questions
            cards.setdefault(known.question, []).append(row)
    return {
        "questions": list(questions.items()),
        "sections": [(group, list(cards.items())) for group, cards in sections.items()],
        "familiar": familiar,
        "familiar_from": ", ".join(dict.fromkeys(row["known"].synonym for row in familiar)),
    }


def _verdict(known: MeasureResult) -> dict[str, Any]:
    independent = known.independent_columns if references_differ(known) else None
    # without independent columns only shares have an end to lie short of
    has_bar = isfinite(known.value) and (
        independent is not None or (known.fresh_sample is not None and known.unit == "share")
    )
    ends = None if known.interval is None else [shown_value(known, end) for end in known.interval]
    from_model = None if known.from_model is None or "model" in known.verdict else shown_value(known, known.from_model)
    more = known.direction != "less"
    most = 0.1 if independent is None and known.unit == "share" else 0.0
    bar = gauge(
        known.value, best=known.fresh_sample, worst=independent, more_is_better=more, most=most, title=known.name
    )
    spread = result_strip(known)
    return {
        "known": known,
        "tone": tone_of(known),
        "unit": "" if known.unit != "share" else "%" if more else "points",
        "value": shown_value(known, known.value),
        "fresh_sample": None if known.fresh_sample is None else shown_value(known, known.fresh_sample),
        "independent_columns": None if independent is None else shown_value(known, independent),
        "from_model": from_model,
        "interval": ends if ends is not None and ends[0] != ends[1] else None,
        "exact": {
            "value": "–" if not isfinite(known.value) else f"{known.value:.3f}",
            "fresh_sample": "–" if known.fresh_sample is None else f"{known.fresh_sample:.3f}",
            "independent_columns": "–" if known.independent_columns is None else f"{known.independent_columns:.3f}",
        },
        "gauge": _drawn(bar) if has_bar else None,
        "strip": None if spread is None else _drawn(spread),
        "table": _details(known),
    }


def _details(known: MeasureResult) -> dict[str, Any] | None:
    """The first lines of a result's details, as text."""
    if known.details is None or not known.details.num_rows:
        return None
    lines = known.details.slice(0, _SHOWN_ROWS).to_pylist()
    names = list(known.details.schema.names)
    numeric = {name: any(isinstance(line[name], int | float) for line in lines) for name in names}
    return {
        "names": [(name.replace("_", " "), numeric[name]) for name in names],
        "rows": [
            [(_cell(known, name, line[name], _apart(name, line)), numeric[name]) for name in names] for line in lines
        ],
        "total": known.details.num_rows,
        "in_points": known.unit == "share",
    }


def _apart(name: str, line: dict[str, Any]) -> float:
    """How far a figure is from the same of the other table: both are written with digits enough to see it."""
    side, _, figure = name.partition("_")
    real, made = (line.get(f"{one}_{figure}") for one in ("real", "synthetic"))
    if side not in ("real", "synthetic") or not isinstance(real, float) or not isinstance(made, float):
        return 0.0
    return abs(real - made) if isfinite(real) and isfinite(made) else 0.0


def _cell(known: MeasureResult, name: str, value: Any, apart: float = 0.0) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        # deviations have the unit of their column, their errors are parts of them
        return points(value) if known.unit == "share" and not name.endswith("_deviation") else plain(value, apart)
    if isinstance(value, list | tuple):
        return ", ".join(_cell(known, name, part) for part in value)
    return "–" if value is None else tidy(str(value))


def _columns(report: Report) -> list[dict[str, Any]]:
    """A picture a column, those that differ most first: numbers as they are, all others by their codes."""
    numbers = {column.name: column for column in report.number_columns}
    found = []
    for histogram in report.histograms:
        column = numbers.get(histogram.name)
        chart = None if column is None else number_bars(column)
        off = histogram.distance if column is None else column.errors["KS"].value
        found.append(
            {
                "name": tidy(histogram.name),
                "distance": off,
                "off_by": f"{points(off)} points off" + ("" if column is None else " (KS)"),
                "chart": _drawn(histogram_bars(histogram) if chart is None else chart),
            }
        )
    found += [
        {
            "name": tidy(column.name),
            "distance": column.errors["KS"].value,
            "off_by": f"{points(column.errors['KS'].value)} points off (KS)",
            "chart": _drawn(chart),
        }
        for column in report.number_columns
        if column.difference and (chart := number_bars(column)) is not None
    ]
    return sorted(found, key=lambda column: -column["distance"])


def _maps(found: Any) -> dict[str, Any]:
    if len(found.names) < 2:
        return {"measure": found.name, "maps": [], "many": False}
    real, synthetic = association_maps(found)
    difference = difference_map(found, title="difference: synthetic minus real")
    drawn = [("difference", difference), ("real", real), ("synthetic", synthetic)]
    return {
        "measure": found.name,
        "maps": [(name, _drawn(chart)) for name, chart in drawn],
        "many": len(found.names) > _MANY,
        "width": real.width,
    }


def _drawn(chart: Chart) -> Markup:
    return Markup(chart.inline())


def _without_title(letter: str) -> str:
    """The page has a heading of its own for the statement."""
    return re.sub(r"\A\s*#\s[^\n]*\n", "", letter)


def _embedded(picture: str) -> str:
    """A drawing of ours from its first tag on: scaled to the page, but not so far that nobody can read it.

    >>> _embedded('<svg width="1000" height="9">')
    '<svg style="min-width:600px" width="1000" height="9">'
    """
    start = picture.find("<svg")
    if start < 0:
        return ""
    drawn = picture[start:].strip()
    width = re.search(r'\bwidth="([0-9]+)', drawn[: drawn.find(">")])
    least = "" if width is None else f' style="min-width:{round(_READABLE * int(width[1]))}px"'
    return f"<svg{least}{drawn[4:]}"
