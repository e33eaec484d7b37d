"""What Hypothesis draws, for all tests: domains, tables of codes, marginals, models, contingency tables, schemas."""

from __future__ import annotations

from datetime import date, datetime, timedelta
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import assume
from hypothesis import strategies as st

from tests.models.random_networks import ENCODINGS, random_model
from understudy._core.errors import SchemaError
from understudy.models import NetworkModel
from understudy.schema import Attribute, Axis, Domain, Level, Marginal, Schema
from understudy.tables import Table

# a file can hold all but these: surrogates and the zero byte
_texts = st.text(st.characters(codec="utf-8", exclude_categories=("Cs",), exclude_characters="\x00"), max_size=6)


@st.composite
def domains(draw: st.DrawFn, *, most: int = 4, smallest: int = 2, largest: int = 9, levels: bool = True) -> Domain:
    """A few attributes; with `levels`, pairs of codes are merged for as long as the draw goes on."""
    attributes = []
    for i, size in enumerate(draw(st.lists(st.integers(smallest, largest), min_size=1, max_size=most))):
        coarser, groups = [], tuple(range(size))
        while levels and max(groups) > 1 and draw(st.booleans()):
            groups = tuple(group // 2 for group in groups)
            coarser.append(Level(groups=groups))
        attributes.append(Attribute(name=str(i), size=size, coarser=tuple(coarser)))
    return Domain(tuple(attributes))


@st.composite
def coded_tables(draw: st.DrawFn, domain: Domain, *, most_rows: int = 30) -> Table:
    """Any small table of the domain: constant columns, single rows and all."""
    n_rows = draw(st.integers(1, most_rows))
    columns = [draw(st.lists(st.integers(0, a.size - 1), min_size=n_rows, max_size=n_rows)) for a in domain]
    return Table(domain, tuple(np.array(column) for column in columns))


def marginals(domain: Domain, *, most_axes: int = 3) -> st.SearchStrategy[Marginal]:
    """Some attributes in any order, each at any of its levels."""
    axis = st.integers(0, len(domain) - 1).flatmap(
        lambda a: st.builds(Axis, st.just(a), st.integers(0, domain[a].n_levels - 1))
    )
    axes = st.lists(axis, max_size=most_axes, unique_by=lambda axis: axis.attribute).map(tuple)
    return st.builds(Marginal, axes)


@st.composite
def contingency_tables(draw: st.DrawFn, *, child: int | None = None, most_parents: int = 6) -> np.ndarray[Any, Any]:
    """Counts[child value, parent configuration] with at least one record; `child` fixes the number of values."""
    shape = (child or draw(st.integers(1, 4)), draw(st.integers(1, most_parents)))
    cell = st.one_of(st.just(0), st.integers(0, 60))
    cells = draw(st.lists(cell, min_size=shape[0] * shape[1], max_size=shape[0] * shape[1]).filter(any))
    return np.array(cells, dtype=np.int64).reshape(shape)


@st.composite
def models(draw: st.DrawFn) -> NetworkModel:
    """Models of up to four attributes under any encoding."""
    encoding = draw(st.sampled_from(ENCODINGS))
    largest = 5 if encoding in ("binary", "gray") else 6
    sizes = tuple(draw(st.lists(st.integers(1, largest), min_size=1, max_size=4)))
    return random_model(draw(st.integers(0, 10**6)), sizes, encoding)


@st.composite
def questions(draw: st.DrawFn) -> tuple[NetworkModel, Marginal, dict[int, np.ndarray[Any, Any]]]:
    """A model, a marginal to ask for, and evidence that is possible, hard or soft."""
    model = draw(models())
    domain = model.domain
    marginal = draw(marginals(domain))
    given_ = draw(st.lists(st.integers(0, len(domain) - 1), unique=True, max_size=2))
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    evidence = {}
    for a in given_:
        weights = rng.random(domain[a].size) * (rng.random(domain[a].size) < 0.6)
        weights[0] += 0.1
        evidence[a] = (weights > 0).astype(float) if rng.random() < 0.5 else weights
    return model, marginal, evidence


@st.composite
def schemas(draw: st.DrawFn, *, most_fields: int = 3) -> Schema:
    """A schema file's content, read: fields of every type, with and without special, other and missing codes."""
    n_fields = draw(st.integers(1, most_fields))
    try:
        return Schema.from_dict({"fields": [draw(field_dicts(f"c{i}")) for i in range(n_fields)]})
    except SchemaError as error:
        # Two rare draws: a bin too narrow for its format, and a category that two texts write alike.
        assume("holds no" not in str(error) and "listed twice" not in str(error))
        raise


@st.composite
def field_dicts(draw: st.DrawFn, name: str = "x") -> dict[str, Any]:
    """A field of the schema file that has a public domain."""
    kind = draw(st.sampled_from(["string", "integer", "number", "boolean", "date", "datetime", "year"]))
    field: dict[str, Any] = {"name": name, "type": kind, "constraints": {}}
    field |= draw(_DOMAINS[kind]())
    if draw(st.booleans()):
        field["constraints"] = {**field["constraints"], "required": False}
    if draw(st.booleans()):
        field["outside"] = "other"
    elif "categories" not in field and kind not in ("string", "boolean") and draw(st.booleans()):
        field["outside"] = "clip"
    return field


@st.composite
def _string(draw: st.DrawFn) -> dict[str, Any]:
    return {
        "categories": draw(st.lists(_texts.filter(bool), min_size=1, max_size=8, unique=True)),
        "categoriesOrdered": draw(st.booleans()),
    }


@st.composite
def _whole(draw: st.DrawFn, low: int, high: int) -> dict[str, Any]:
    if draw(st.booleans()):
        return {"categories": draw(st.lists(st.integers(low, high), min_size=1, max_size=8, unique=True))}
    start = draw(st.integers(low, high))
    width = draw(st.integers(0, 300))
    field: dict[str, Any] = {"constraints": {"minimum": start, "maximum": start + width}}
    if width == 0 or draw(st.booleans()):
        field["bins"] = {
            "count": draw(st.integers(1, min(20, width + 1))),
            "closed": draw(st.sampled_from(["left", "right"])),
        }
    if draw(st.booleans()):
        field["special"] = draw(
            st.lists(st.integers(1, 99).map(lambda i: start - i), min_size=1, max_size=2, unique=True)
        )
    return field


@st.composite
def _number(draw: st.DrawFn) -> dict[str, Any]:
    digits = draw(st.integers(0, 4))
    start = Decimal(draw(st.integers(-(10**6), 10**6))).scaleb(-digits)
    width = Decimal(draw(st.integers(1, 10**6))).scaleb(-digits)
    field: dict[str, Any] = {"constraints": {"minimum": float(start), "maximum": float(start + width)}}
    field["bins"] = {"count": draw(st.integers(1, 20)), "closed": draw(st.sampled_from(["left", "right"]))}
    if draw(st.booleans()):
        field["special"] = [float(start) - 1.2345678]
    if draw(st.booleans()):
        field["decimalChar"] = ","
    return field


@st.composite
def _date(draw: st.DrawFn) -> dict[str, Any]:
    start = draw(st.dates(date(1900, 1, 1), date(2050, 1, 1)))
    days = draw(st.integers(0, 4000))
    field: dict[str, Any] = {
        "constraints": {"minimum": start.isoformat(), "maximum": (start + timedelta(days=days)).isoformat()},
        "format": draw(st.sampled_from(["default", "%d/%m/%Y", "%Y%m%d", "%d %B %Y", '%d, "%m" %Y'])),
    }
    if days == 0 or draw(st.booleans()):
        field["bins"] = draw(st.integers(1, min(20, days + 1)))
    if draw(st.booleans()):
        field["special"] = ["1800-01-01"]
    return field


@st.composite
def _datetime(draw: st.DrawFn) -> dict[str, Any]:
    start = draw(st.datetimes(datetime(1900, 1, 1), datetime(2050, 1, 1))).replace(microsecond=0)
    end = start + timedelta(days=draw(st.integers(30, 4000)))
    patterns = ["default", "%Y-%m-%d %H:%M", "%d/%m/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S.%f", "%d/%m/%Y %I %p"]
    return {
        "constraints": {"minimum": start.isoformat(), "maximum": end.isoformat()},
        "format": draw(st.sampled_from(patterns)),
        "bins": {"count": draw(st.integers(1, 20)), "closed": draw(st.sampled_from(["left", "right"]))},
    }


@st.composite
def _boolean(draw: st.DrawFn) -> dict[str, Any]:
    return draw(st.sampled_from([{}, {"trueValues": ["yes", "y"], "falseValues": ["no, never"]}]))


_DOMAINS: dict[str, Any] = {
    "string": _string,
    "integer": lambda: _whole(-(10**12), 10**12),
    "year": lambda: _whole(1000, 3000),
    "number": _number,
    "date": _date,
    "datetime": _datetime,
    "boolean": _boolean,
}
