"""Who is protected, in words: a row, all rows of somebody, or any few rows."""

from __future__ import annotations

from understudy.release._promise import row_of
from understudy.release._statement import Statement
from understudy.release._statement_text import clean


def rows_words(statement: Statement) -> str:
    """What a unit has in the table: its row, or its rows.

    >>> rows_words(Statement.example()), rows_words(Statement.example(max_rows=5, bounding="drop"))
    ('that row says', "that unit's rows say")
    """
    if statement.one_row:
        return f"{row_of('that', statement.unit)} says"
    return "that unit's rows say" if statement.bounding is not None else "those rows say"


def unit_section(statement: Statement) -> str:
    """The section of the letter.

    >>> print(unit_section(Statement.example(unit="one patient")).splitlines()[2][:59])
    The unit of privacy is one patient; 1,000 rows; neighbours:
    """
    of_what = "units" if _each_counts_once(statement) else "rows" if statement.bounding is None else "rows that count"
    number = f"{statement.n_rows:,} {of_what}" + ("" if statement.n_public else " (a noisy number, paid for)")
    section = (
        f"## Who is protected\n\nThe unit of privacy is {clean(statement.unit)}; {number}; neighbours: "
        f"{_relation(statement)} {_of_others(statement)}"
    )
    stricter = statement.promise.stricter("`") if statement.private else ""
    return f"{section}\n\n{stricter}" if stricter else section


def public_number(statement: Statement) -> str:
    """What is public of the table's size, where something is: with one row of each unit that is how many units.

    >>> public_number(Statement.example()), public_number(Statement.example(bounding="drop"))
    ('the number of rows', 'the number of units')
    """
    return f"the number of {'units' if _each_counts_once(statement) else 'rows'}"


def _each_counts_once(statement: Statement) -> bool:
    """Whether all units count as one row, so that the number of rows that count is the number of units."""
    return statement.bounding is not None and statement.max_rows == 1


def _relation(statement: Statement) -> str:
    if statement.bounding is not None and statement.n_public:
        public = "The number of units is public; how many rows they have is not."
    else:
        known = "public" if statement.n_public else "private too, and what is said of it here has noise"
        public = f"The number of rows is {known}."
    if statement.neighbours == "replace-one":
        return f"*replace one*: two tables are neighbours if {_replaced(statement)}. {public}"
    more = (
        "one row"
        if statement.one_row
        else f"up to {statement.max_rows:,} rows"
        if statement.bounding is None
        else "the rows of one unit"
    )
    return f"*add or remove one*: two tables are neighbours if one has {more} more. {public}"


def _replaced(statement: Statement) -> str:
    if statement.one_row:
        return "one row differs"
    if statement.bounding is None:
        return f"up to {statement.max_rows:,} rows of one are replaced by up to {statement.max_rows:,} others"
    return "they differ in the rows of one unit alone, perhaps also in how many it has"


def _and_delta(statement: Statement) -> str:
    return ", and δ grows even faster" if statement.delta else ""


def _of_others(statement: Statement) -> str:
    """What was done with more rows, and what holds for those who have them all the same."""
    if statement.one_row:
        return (
            "If a person has several rows, or rows of relatives say the same, that person's protection is weaker: with "
            f"k rows the factor is e^(kε){_and_delta(statement)}."
        )
    if statement.bounding is None:
        return (
            f"It holds for any {statement.max_rows:,} rows, whichever they are, and so for whatever belongs together "
            "in as many rows. That was declared before the run, not read off the table. Rows that belong together in "
            f"larger numbers are protected less: with m times as many the factor is e^(mε){_and_delta(statement)}."
        )
    most = "1 row" if statement.max_rows == 1 else f"{statement.max_rows:,} rows"
    ones = "the one that counts was" if statement.max_rows == 1 else "those that count were"
    done = (
        f"Of a unit with more than {most} {ones} chosen by chance, and nothing else was looked at"
        if statement.bounding == "drop"
        else f"The rows of a unit with more than {most} count as {most} together, each for an equal part (in 60ths of "
        "a row; which rows get what is left over was chosen by chance)"
    )
    return (
        f"{done}. How many units that concerned is not published. The promise covers all rows of a unit, however many "
        "it has. It does not cover what rows of other units, such as relatives', say about it."
    )
