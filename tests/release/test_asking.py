"""What people write in a query."""

import pytest

from tests.release.models import make_model
from understudy._core.errors import OptionError
from understudy.release._asking import Word, parse_question, parse_range, parse_terms
from understudy.release._conditions import read_conditions
from understudy.schema import Schema


def test_several_columns_and_conditions():
    question = parse_question("income, sex | age=30..40, education=Bachelors/Masters")
    assert question.names == ("income", "sex")
    assert [term.name for term in question.terms] == ["age", "education"]
    assert question.terms[1].alternatives == (Word("Bachelors"), Word("Masters"))


def test_quotes_protect_names_and_values():
    question = parse_question("\"a, b\" | 'c|d'='x=y', e=\"it's\"")
    assert question.names == ("a, b",)
    assert [(term.name, term.value.text) for term in question.terms] == [("c|d", "x=y"), ("e", "it's")]


def test_an_apostrophe_inside_a_word_is_no_quote():
    assert parse_terms("degree=Bachelor's, sex=Male")[0].value == Word("Bachelor's")


def test_only_the_first_equals_sign_separates():
    assert parse_terms("income=<=50K")[0].value == Word("<=50K")


@pytest.mark.parametrize(
    ("text", "ends"),
    [
        ("30..40", ("30", "40")),
        ("1.5..2.5", ("1.5", "2.5")),
        ("..5", ("", "5")),
        ("5..", ("5", "")),
        ("a...b", None),
        ("5", None),
    ],
)
def test_two_dots_make_a_range(text, ends):
    assert parse_range(Word(text)) == ends


def test_a_quoted_range_is_a_plain_value():
    assert parse_range(Word("30..40", quoted=True)) is None


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "names no column"),
        (" | sex=Female", "names no column"),
        ("sex | age", "needs a column, '=' and a value"),
        ("sex | age=", "needs a column"),
        ("sex | =3", "needs a column"),
        ("sex | a=1 | b=2", "more than one"),
        ("sex | a='x", "never closed"),
        ("income", "there is no column 'income'"),
        ("sexx", "Did you mean 'sex'"),
        ("sex | sexx=Male", "Did you mean 'sex'"),
        ("age | sex=Femal", "Did you mean 'Female'"),
        ("sex, sex", "twice"),
        ("age | sex=Male, sex=Female", "two conditions"),
        ("sex | age=50..20", "no value lies between"),
        ("sex | age=200", "outside its declared range"),
        ("sex | marital status=a..b", "no order"),
        ("sex | age=x..y", "age"),
    ],
)
def test_a_mistake_in_a_query_is_one_helpful_sentence(text, words):
    with pytest.raises(OptionError, match=words) as caught:
        make_model().query(text)
    assert "\n" not in str(caught.value)


def test_values_may_differ_in_case():
    answer = make_model().query("age | sex=male")
    assert answer.to_dict()["rows"] == make_model().query("age | sex=Male").to_dict()["rows"]


DATES = Schema.from_dict(
    {
        "fields": [
            {
                "name": "day",
                "type": "date",
                "format": "%d/%m/%Y",
                "constraints": {"minimum": "01/01/2021", "maximum": "31/12/2021"},
                "bins": 12,
            }
        ]
    }
)


@pytest.mark.parametrize(
    "text",
    [
        "day='01/03/2021'..'31/05/2021'",
        "day = '01/03/2021' .. \"31/05/2021\"",
        "day=01/03/2021..31/05/2021",
        "day='01/03/2021'..2021-05-31",
        "day=2021-03-01..2021-05-31",
    ],
)
def test_dates_with_slashes_make_a_range(text):
    conditions = read_conditions(DATES, text)
    low, high = conditions.choices[0][0].low, conditions.choices[0][0].high
    form = DATES["day"].form
    assert (form.parse(low), form.parse(high)) == (form.parse("2021-03-01"), form.parse("2021-05-31"))


def test_one_date_with_slashes_needs_no_quotes_and_several_do():
    assert len(read_conditions(DATES, "day=01/03/2021").choices[0]) == 1
    assert len(read_conditions(DATES, "day='01/03/2021'/'05/07/2021'").choices[0]) == 2
    with pytest.raises(OptionError, match="in quotes, each end of a range in its own, or write them like 2021-06-01"):
        read_conditions(DATES, "day=01/03/2021/05/07/2021")


@pytest.mark.parametrize(
    "where", ["day=2023-02-30", "day=2023-02-30..", {"day": "2023-02-30"}, {"day": ["2023-02-30"]}]
)
def test_a_day_that_does_not_exist_is_called_that(where):
    year = {"minimum": "2023-01-01", "maximum": "2023-12-31"}
    schema = Schema.from_dict({"fields": [{"name": "day", "type": "date", "constraints": year, "bins": 4}]})
    with pytest.raises(OptionError, match=r"^column 'day': '2023-02-30' is a day that does not exist\.$"):
        _ = read_conditions(schema, where).regions


def test_dots_inside_quotes_are_no_range():
    (term,) = parse_terms("a='x..y'..'z'")
    assert parse_range(term.value) == ("x..y", "z")


def test_null_means_missing_unless_it_is_a_value():
    required = {"constraints": {"required": False}, "missingValues": ["?"]}
    fields = [
        {"name": "race", "categories": ["a", "b"], **required},
        {"name": "word", "categories": ["null", "b"], **required},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 9, "required": False}, "bins": 2},
        {"name": "sex", "categories": ["f", "m"]},
    ]
    schema = Schema.from_dict({"fields": fields})

    def weights(text):
        [found] = read_conditions(schema, text).evidence.values()
        return found.tolist()

    assert weights("race=null") == weights("race=Null") == weights("race=missing") == [0, 0, 1]
    assert weights("race != null") == [1, 1, 0]
    assert weights("race=a/null") == [1, 0, 1]
    assert weights("word=null") == [1, 0, 0]
    assert weights("age=null") == [0, 0, 1]
    for text, words in (("sex=null", "no missing values"), ("race='null'", "no value 'null'")):
        with pytest.raises(OptionError, match=words):
            weights(text)
