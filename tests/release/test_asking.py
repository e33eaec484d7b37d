"""What people write in a query."""

import pytest

from tests.release.models import make_model
from understudy._core.errors import OptionError
from understudy.release._asking import Word, parse_question, parse_range, parse_terms


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
