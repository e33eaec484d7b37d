"""The page that a release brings for its readers: what the table is good for, how it was made, how to load and cite it.

It is made from the release alone, so it costs no privacy.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from understudy.numbers import BEYOND_SPIKES, MEANS, ROUND_VALUES, VALUE_BY_VALUE
from understudy.release._card_facts import CardFacts
from understudy.release._histogram_noise import fine_noise, hiding_noise
from understudy.release._letter_parts import banners
from understudy.release._loading import loading
from understudy.release._number_words import roughly
from understudy.release._statement import Statement
from understudy.release._statement_text import clean, describe_domain, number
from understudy.schema import Field, Schema

_MOST_COLUMNS = 40
_AN_HOUR = 3600 * 10**6


def about_release(
    schema: Schema, statement: Statement, *, table: str, n_rows: int, facts: CardFacts, delimiter: str = ","
) -> str:
    """The page as Markdown.

    >>> schema = Schema.from_dict({"fields": [{"name": "smokes", "type": "boolean"}]})
    >>> page = about_release(schema, Statement.example(), table="synthetic.csv", n_rows=100, facts=CardFacts())
    >>> [line for line in page.splitlines() if line.startswith("## ")][:2]
    ['## What it may be used for', '## How its values were made']
    """
    parts = [
        f"# {clean(facts.title or statement.dataset)}: a synthetic table",
        *banners(statement),
        _what(schema, statement, table, n_rows),
        _uses(schema, statement),
        _making(schema, statement),
        loading(schema, table, delimiter),
        _citing(statement, facts),
    ]
    return "\n\n".join(parts) + "\n"


def _what(schema: Schema, statement: Statement, table: str, n_rows: int) -> str:
    """What the folder holds, in a paragraph."""
    promise = f" under {clean(statement.guarantee)}" if statement.private else ""
    return (
        f"`{table}` has {n_rows:,} synthetic rows and {len(schema.fields):,} columns. They were drawn from a model "
        f"that was fitted to the table '{clean(statement.dataset)}'{promise}; none of its rows is real, and none "
        "was copied. What that promises to those in the original table, and what not, is in `PRIVACY.md`."
    )


def _uses(schema: Schema, statement: Statement) -> str:
    good, bad = _good_for(schema, statement), _not_for(schema, statement)
    private = f" The noise was set by ε = {number(statement.epsilon)}." if statement.private else ""
    return (
        "## What it may be used for\n\nGood for:\n\n"
        + "\n".join(f"- {line}" for line in good)
        + "\n\nNot for:\n\n"
        + "\n".join(f"- {line}" for line in bad)
        + "\n\nHow far each can be trusted only the holder of the original table can measure (`understudy evaluate`)."
        + private
    )


def _good_for(schema: Schema, statement: Statement) -> list[str]:
    noisy = len(statement.noisy_columns)
    but = " that are not named below" if noisy else ""
    return [
        "writing, testing and teaching programs for the original table: names, types and values are the same",
        *([f"first answers on single columns{but}: shares, means, quantiles, frequent values"]
          if noisy < len(schema.fields) else []),
        *(["relations of two or three columns that the model holds (`network.svg`, where there is one), with care"]
          if not statement.no_relations else []),
        "planning an analysis, which is then run on the original table by those who may",
    ]  # fmt: skip


def _not_for(schema: Schema, statement: Statement) -> list[str]:
    lost = "relations of many columns, and of pairs that the model does not hold: they are weakened or lost"
    if statement.no_relations:
        declared = " but what was declared of every row" if statement.declared else ""
        lost = f"relations between columns: none was measured, and the table shows none{declared}"
    return [
        "decisions about a person, or looking for one: no row is anybody",
        *([f"shares, means and quantiles of {_noisy(schema, statement)}: noise outweighs what is known there"]
          if statement.noisy_columns else []),
        "small groups and rare values: the noise is as large as they are",
        lost,
        *_clocks(schema),
        "a published finding without a check on the original table; tests of significance and confidence intervals "
        "from these rows know nothing of the noise, so they are too sure of themselves",
    ]  # fmt: skip


def _clocks(schema: Schema) -> list[str]:
    """What is said of moments that are drawn inside stretches of hours or more."""
    names = [clean(field.name) for field in schema.fields if field.type == "datetime" and _longer_than_an_hour(field)]
    if not names:
        return []
    named = ", ".join(names[:_MOST_COLUMNS]) + (" and more" if len(names) > _MOST_COLUMNS else "")
    return [f"hour of day and weekday of {named}: moments lie evenly inside stretches of time that know of neither"]


def _longer_than_an_hour(field: Field) -> bool:
    """Whether values of a column of moments are drawn from a stretch that holds several hours."""
    if field.bins is None:
        return False
    first, last, _ = field.bins.pieces
    return int((last - first).max()) * field.bins.unit >= _AN_HOUR


def _noisy(schema: Schema, statement: Statement) -> str:
    if len(statement.noisy_columns) >= len(schema.fields):
        return "all columns"
    named = ", ".join(clean(name) for name in statement.noisy_columns[:_MOST_COLUMNS])
    more = len(statement.noisy_columns) - _MOST_COLUMNS
    return named + (f" and {more} more, all listed in `privacy.json`" if more > 0 else "")


def _making(schema: Schema, statement: Statement) -> str:
    lines = [
        "## How its values were made",
        "Rows are drawn in the categories and bins below; inside a bin a value is then drawn by the column's rule.",
        "| column | domain | values inside a bin |\n|---|---|---|\n"
        + "\n".join(
            f"| {clean(field.name)} | {clean(describe_domain(field))} | {_inside(field)} |"
            for field in schema.fields[:_MOST_COLUMNS]
        ),
    ]
    if len(schema.fields) > _MOST_COLUMNS:
        lines.append(
            f"… and {len(schema.fields) - _MOST_COLUMNS} more columns, all in the schema in `model.understudy`."
        )
    if codes := [(field, one) for field in schema.fields for one in field.special if one.value != 0]:
        named = ", ".join(clean(f"{field.name} = {field.form.text(one.value)}") for field, one in codes[:_MOST_COLUMNS])
        lines.append(f"Codes for something else than a number, to be left out of means and quantiles: {named}.")
    share = _numbers_share(statement)
    if share is not None:
        found = any(field.has_found_bins for field in schema.fields)
        what = "Bins, frequent values and what lies inside bins were" if found else "What lies inside bins was"
        lines.append(
            f"{what} found from a noisy histogram and mean of each such "
            f"column, for {100 * float(share):.3g} % of the privacy budget. Groups of rows that do not stand out from "
            f"noise are missing from it{_size_of_noise(statement)}. The outermost rows of a long tail are too few to "
            "be seen: they are drawn as those before them suggest, so "
            "largest values and deviations of heavy-tailed columns are guesses."
        )
    return "\n\n".join(lines)


def _size_of_noise(statement: Statement) -> str:
    """How many rows that is, for each value or stretch of values."""
    noise = fine_noise(statement)
    if noise is None:
        return ""
    rows = hiding_noise(noise)
    part = 100 * rows / max(statement.n_rows, 1)
    return (
        f": noise is some {roughly(rows)} rows ({part:.2g} % of all) for a value or a stretch of values, and may hide "
        "several times that"
    )


def _inside(field: Field) -> str:
    if field.bins is None:
        return ""
    if field.bins.shape is not None:
        of = "bins and" if field.has_found_bins else "declared bins, and"
        return f"{field.bins.count} {of} the distribution inside them, found with noise"
    first, last = field.bins.grid
    if (first == last).all():
        return "one value each"
    return f"{field.bins.count} declared bins, evenly filled: nothing is known of where in a bin values lie"


def _numbers_share(statement: Statement) -> Fraction | None:
    """The part of the budget that fine histograms and means took; None where there were none, or no price is known.

    Of all that may be spent, as methods need not spend it: `uniform` asks for no more than a number of rows.
    """
    numbers = (VALUE_BY_VALUE, BEYOND_SPIKES, ROUND_VALUES, MEANS)
    found = [charge for charge in statement.charges if charge.what in numbers]
    costs = [charge.cost for charge in found if charge.cost is not None]
    budget = statement.epsilon if statement.mu_squared is None else statement.mu_squared
    return sum(costs, Fraction(0)) / budget if found and len(costs) == len(found) else None


def _citing(statement: Statement, facts: CardFacts) -> str:
    who = facts.creator or "the publisher (not named)"
    year = statement.created[:4]
    where = f" {clean(facts.url)}" if facts.url else ""
    what = f"{clean(facts.title or statement.dataset)}, synthetic version"
    under = f" {clean(statement.guarantee)}, ε = {number(statement.epsilon)}." if statement.private else ""
    licence = clean(facts.license) if facts.license else "not stated by the publisher. Ask before you share it further"
    helped = f"\n\nContributors: {clean(', '.join(facts.contributors))}." if facts.contributors else ""
    return (
        f"## Licence and citation\n\nLicence: {licence}.\n\nCite as: {clean(who)} ({year}). {what} [data set]. Made "
        f"with understudy {clean(statement.version)}, method {clean(statement.ran)}.{under}{where}{helped}"
    )


def declared_facts(properties: Any, given: CardFacts) -> CardFacts:
    """What the publisher said, and where nothing was said what the schema's data package declares.

    `title`, `licenses` (`path`, `title` or `name`), `contributors` (`title` or `name`, and `role`) and `homepage` are
    properties of a Frictionless data package.

    >>> declared_facts({"licenses": [{"name": "CC-BY-4.0"}], "title": "Visits"}, CardFacts()).license
    'CC-BY-4.0'
    """
    licences = [name for one in _listed(properties.get("licenses")) if (name := _named(one, "path", "title", "name"))]
    everyone = _listed(properties.get("contributors"))
    people = [name for one in everyone if (name := _named(one, "title", "name"))]
    first = [one for one in everyone if isinstance(one, dict) and one.get("role") in ("publisher", "author")]
    makers = [name for one in first if (name := _named(one, "title", "name"))]
    title, home = properties.get("title"), properties.get("homepage")
    return CardFacts(
        license=given.license or (", ".join(licences) or None),
        creator=given.creator or (", ".join(makers or people) or None),
        url=given.url or (home if isinstance(home, str) else None),
        title=given.title or (title if isinstance(title, str) and title.strip() else None),
        contributors=given.contributors or tuple(people),
    )


def _listed(value: Any) -> list[Any]:
    return list(value) if isinstance(value, list | tuple) else [] if value is None else [value]


def _named(one: Any, *keys: str) -> str | None:
    """The first of these that is a text."""
    if isinstance(one, str):
        return one.strip() or None
    found = (one.get(key) for key in keys) if isinstance(one, dict) else iter(())
    return next((text.strip() for text in found if isinstance(text, str) and text.strip()), None)
