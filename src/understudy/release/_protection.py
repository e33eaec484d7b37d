"""Who is protected how much against which change: a section of the privacy statement, and its picture."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from understudy.charts import Chart, fit, plain, svg, tag, ticks, width_of
from understudy.release._promise import row_of
from understudy.release._statement import Statement
from understudy.release._statement_lines import ProtectionLine
from understudy.release._statement_text import clean, number_above, right_at_most

_MOST_ROWS = 60
_WIDTH, _LEFT, _RIGHT, _ROW = 640.0, 236.0, 576.0, 19.0


def protection_section(statement: Statement) -> str:
    """The section of the letter; one sentence where all columns are promised the same.

    >>> protection_section(Statement.example())
    ''
    """
    if not statement.protection or not (statement.private or statement.unequal):
        return ""
    if not statement.unequal:
        of_one = _of_one_column(statement)
        return of_one and of_one + _of_rows(statement)
    lines = sorted_lines(statement)
    shown = lines[:_MOST_ROWS]
    released = any(line.released is not None for line in shown)
    head = f"| what would change in {_row_words(statement)} | ε promised |" + (
        " ε in this release |" if released else ""
    )
    rows = [
        f"| {_change(line, statement)} | {number_above(line.promised)} |"
        + (f" {number_above(line.epsilon)} |" if released else "")
        + f" {right_at_most(line.epsilon, statement.delta)} % |"
        for line in shown
    ]
    # with δ no single guess is bounded, only how often guesses are right
    last = "two even cases are told apart in at most" if statement.delta else "an even guess becomes at most"
    table = f"{head} {last} |\n|---|--:|" + ("--:|" if released else "") + "--:|\n"
    steps = (
        ""
        if statement.neighbours == "replace-one"
        else " Such a change is two steps, as if rows were taken out and others put in; the figures count both."
    )
    parts = [
        "## Who is protected how much against which change",
        "Sensitive columns and values are protected better than others. The table says, for changes of a part of "
        f"{_row_words(statement)} and of nothing else, how much this release may tell about whether "
        "that part is as it is or otherwise. It counts every table that a column is in, also as what others depend on, "
        "and every choice that looked at it." + steps,
        table + "\n".join(rows),
    ]
    if len(lines) > len(shown):
        parts.append(f"… and {len(lines) - len(shown)} more lines, all listed in `privacy.json`.")
    parts.append(
        "*Promised* was fixed before the run"
        + (", at the δ above." if statement.delta else " and holds whatever comes out of it.")
        + (
            " *In this release* holds for the release as a whole, with the network that was chosen and published."
            if released
            else ""
        )
        + " Changes of several columns at once cost at most the sum. If other columns say what a sensitive one is, "
        "hiding the one does not hide what they say: then they are sensitive too. `protection.svg` draws the table."
        + _of_rows(statement)
    )
    return "\n\n".join(parts)


def _of_one_column(statement: Statement) -> str:
    """Where all columns are promised the same: what a change of one alone comes to."""
    alone = [line.released for line in statement.protection if line.attributes and line.released is not None]
    if not alone:
        return ""
    least, most = number_above(min(alone)), number_above(max(alone))
    whole = (
        f"ε covers any change of {_row_words(statement)}."
        if statement.neighbours == "replace-one"
        else f"Changing what {_row_words(statement)} {'says' if statement.one_row else 'say'} is two steps, as if "
        "taken out and put in anew: 2ε covers any change."
    )
    return (
        f"{whole} If only one column of {_row_words(statement)} would change, and nothing else, this release says no "
        f"more about it than an ε of {least if least == most else f'{least} to {most}, depending on the column'}. "
        "A column is seen by the tables that hold it and by the choices it was in. `privacy.json` lists them all."
    )


def _row_words(statement: Statement) -> str:
    return row_of("one", statement.unit) if statement.one_row else "a unit's rows"


def _whole(statement: Statement) -> str:
    if statement.neighbours == "replace-one":
        return "anything: the whole row" if statement.one_row else "anything: all rows of a unit"
    return "the row is there or not" if statement.one_row else "the rows are there or not"


def _of_rows(statement: Statement) -> str:
    """What the figures mean for a unit of several rows: they are those of a change in all of them."""
    most = f"{statement.max_rows:,} row{'s' * (statement.max_rows > 1)}"
    if statement.bounding == "weigh":
        rows = f"all rows of a unit, which count as {most} at most together"
    elif statement.max_rows == 1:
        return ""
    else:
        rows = f"all of {most}" if statement.bounding is None else f"all rows of a unit that count, {most} at most"
    return (
        f" Figures are for a change of that kind in {rows}; each row adds its part. Where the rows hold different "
        "values, the parts of their lines add up, to no more than the largest of these lines."
    )


def _change(line: ProtectionLine, statement: Statement) -> str:
    if not line.attributes:
        return f"**{_whole(statement)}**"
    names = ", ".join(clean(name) for name in line.attributes)
    if line.value is not None:
        return f"{names}, from or to *{clean(line.value)}*"
    return f"{names} together" if len(line.attributes) > 1 else f"{names} alone"


def sorted_lines(statement: Statement) -> list[ProtectionLine]:
    """The whole row, then columns and groups of them from the best to the least protected, values under their column.

    >>> sorted_lines(Statement.example())
    []
    """
    order: dict[tuple[str, ...], int] = {}
    for line in statement.protection:
        order.setdefault(line.attributes, len(order))

    def key(line: ProtectionLine) -> tuple[bool, Fraction, bool, int, bool, Fraction]:
        several = len(line.attributes) > 1
        return (
            bool(line.attributes),
            line.promised,
            several,
            order[line.attributes],
            line.value is not None,
            line.epsilon,
        )

    return sorted(statement.protection, key=key)


def protection_chart(statement: Statement) -> Chart:
    """The same as a picture: a bar for what this release says, a mark for what was promised.

    >>> lines = (ProtectionLine(attributes=(), promised=Statement.example().epsilon),)
    >>> "<svg" in protection_chart(Statement.example(protection=lines)).svg
    True
    """
    lines = sorted_lines(statement)
    shown = lines[:_MOST_ROWS]
    most = max((float(line.promised) for line in shown), default=1.0) or 1.0
    title = f"What a change can reveal: {statement.dataset}"
    top, bottom = 74.0, 74.0 + _ROW * len(shown)
    parts = _head(title, statement)
    for mark in ticks(0, most, 5):
        x = _place(mark, most)
        parts.append(tag("line", class_="us-line-l", x1=x, x2=x, y1=top - 6, y2=bottom))
        parts.append(
            tag("text", plain(mark), class_="us-quiet", x=x, y=bottom + 14, font_size=10, text_anchor="middle")
        )
    least = max((line.promised for line in shown if line.attributes), default=Fraction(0))
    for i, line in enumerate(shown):
        colour = "us-fifth" if not line.attributes else "us-fourth" if line.promised < least else "us-synthetic"
        parts.append(_row(line, colour, top + i * _ROW, most, statement))
    hidden = len(lines) - len(shown)
    foot = "ε: the smaller, the better protected" + (f"; {hidden} more lines in privacy.json" if hidden else "")
    parts.append(tag("text", foot, class_="us-quiet", x=_LEFT, y=bottom + 30, font_size=10.5))
    return Chart(svg(_WIDTH, bottom + 42, title, parts), round(_WIDTH), round(bottom + 42))


def _head(title: str, statement: Statement) -> list[str]:
    parts = [tag("text", fit(title, 600, 14), class_="us-ink", x=14, y=24, font_size=14, font_weight="600")]
    if statement.stamp is not None:
        parts.append(tag("text", statement.stamp, class_="us-worst", x=14, y=42, font_size=11, font_weight="600"))
    x = _LEFT
    for kind, label in (("us-fourth", "sensitive"), ("us-synthetic", "other"), ("us-ink", "promised before the run")):
        wide = 3.0 if kind == "us-ink" else 9.0
        parts.append(tag("rect", class_=kind, x=x, y=50, width=wide, height=9, rx=1))
        parts.append(tag("text", label, class_="us-quiet", x=x + 13, y=58.4, font_size=10.5))
        x += 13 + width_of(label, 10.5) + 14
    return parts


def _row(line: ProtectionLine, colour: str, y: float, most: float, statement: Statement) -> str:
    end, promised = _place(float(line.epsilon), most), _place(float(line.promised), most)
    beside = end + 6 if promised - end > 44 else promised + 6
    indent = 14.0 if line.value is not None else 0.0
    words = _sentence(line, statement)
    children: Sequence[str] = (
        tag("title", f"{words}: ε {number_above(line.epsilon)}, promised {number_above(line.promised)}"),
        tag(
            "text",
            fit(words, _LEFT - 26 - indent, 11),
            class_="us-quiet" if indent else "us-ink",
            x=_LEFT - 8,
            y=y + 11,
            font_size=11,
            text_anchor="end",
        ),
        tag("rect", class_=colour, x=_LEFT, y=y + 3, width=max(end - _LEFT, 0.5), height=9, rx=1.5),
        tag("rect", class_="us-ink", x=promised - 1, y=y + 1, width=2, height=13),
        tag("text", number_above(line.epsilon), class_="us-quiet", x=beside, y=y + 11, font_size=10),
    )
    return tag("g", *children)


def _sentence(line: ProtectionLine, statement: Statement) -> str:
    if not line.attributes:
        return _whole(statement)
    if line.value is not None:
        return f"from or to {line.value}"
    return " + ".join(line.attributes) if len(line.attributes) > 1 else f"{line.attributes[0]} alone"


def _place(epsilon: float, most: float) -> float:
    return _LEFT + (_RIGHT - _LEFT) * epsilon / most
