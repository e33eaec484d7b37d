"""Orders that texts have by themselves, and lists of codes."""

from __future__ import annotations

import pytest

from understudy.schema import looks_like_codes, natural_order, prefix_taxonomy

_ORDERED = [
    ["January", "February", "December"],
    ["JAN", "FEB", "SEPT"],
    ["janvier", "Février", "août", "DÉCEMBRE"],
    ["Januar", "März", "Oktober"],
    ["enero", "abril", "diciembre"],
    ["Mon", "Tue", "Sun"],
    ["S", "M", "L", "XL"],
    ["low", "Medium", "HIGH"],
    ["Very low", "low", "very high"],
    ["1-9", "10-49", "50+"],
    ["<10", "10–19", ">= 20"],
    ["under 18", "18-64", "65 and over"],
    ["< 1 year", "1 year", "2 years", "10+ years"],
    ["$0-$999", "$1,000-$4,999", "$5,000+"],
    ["0-9k", "10k-99k", "100k+"],
    ["1-9km/h", "10-24", "25-39", "40-54", "55+"],
    ["0-9 kg", "10-49 kg", "50-99 kg"],
    ["<500k", "500k-1m", "1m-5m", "5m+"],
    ["$0-$500", "$501-$900", "$1k-$5k"],
    ["1 year", "2-5 years", "6+ years old"],
    ["Strongly disagree", "Disagree", "Neither agree nor disagree", "Agree", "Strongly agree"],
    ["never", "rarely", "sometimes", "often", "always"],
    ["poor", "fair", "good", "very good", "excellent"],
    ["Preschool", "5th-6th", "HS-grad", "Some-college", "Bachelors", "Doctorate"],
    ["primary", "secondary", "tertiary"],
    ["1st", "2nd", "3rd"],
    ["Q1", "Q2", "Q4"],
    ["Stage I", "Stage II", "Stage IV"],
    ["grade 2", "grade 10"],
    ["2019-12", "2020-01"],
    ["Dec-2017", "Jan-2018", "Mar-2018"],
    ["09:30", "14:00"],
]


@pytest.mark.parametrize("texts", _ORDERED)
def test_an_order_is_found_whatever_the_texts_come_in(texts: list[str]) -> None:
    for shuffled in (sorted(texts), texts[::-1], texts[1:] + texts[:1]):
        found = natural_order(shuffled)
        assert found is not None
        assert list(found.texts) == texts


@pytest.mark.parametrize(
    "texts",
    [["red", "green"], ["yes", "no"], ["F", "M"], ["S", "M"], ["jan", "red"], ["1-9", "other"], ["A", "B"], ["1st"],
     ["a1", "a2"], ["Jan", "january"], ["1-9", "1 - 9"], [], ["unknown", "high"],
     ["6-11 months", "1-2 years", "3-5 years"], ["10-99", "100-999", "1-9 million"], ["10-24", "25-39", "1-9m"],
     ["10-24", "25-39", "1km/h-9km/h"], ["0-10", "5-20", "20+"], ["1-9 kg", "10-99 g", "100-999 mg"]],
)  # fmt: skip
def test_no_order_is_made_up(texts: list[str]) -> None:
    assert natural_order(texts) is None


def test_what_has_no_place_is_told() -> None:
    found = natural_order(["high", "unknown", "low"])
    assert found is not None
    assert (found.texts, found.without) == (("low", "high"), ("unknown",))


def test_prefixes_that_merge_nothing_are_no_levels() -> None:
    codes = [f"{a}{b}{c}" for a in "12" for b in "12345" for c in "12"]
    tree = prefix_taxonomy(codes)
    assert tree is not None
    assert tree[1] == (1, 2)
    assert sum(len(group) for branch in tree[0] for group in branch) == len(codes)
    assert prefix_taxonomy(["AB1", "CD1", "EF1"]) is None
    assert prefix_taxonomy([]) is None


def test_words_are_no_codes() -> None:
    assert looks_like_codes([f"I{i:02}.{i % 9}" for i in range(30)])
    assert not looks_like_codes([f"I{i:02}" for i in range(5)]), "too few to need groups"
    assert not looks_like_codes([f"street{i}" for i in range(30)])
    assert not looks_like_codes([chr(97 + i) * 3 for i in range(26)])
