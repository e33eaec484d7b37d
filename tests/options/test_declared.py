"""Options are declared once: each is checked, read and described by its declaration alone."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from understudy import OptionError
from understudy.methods import AS_PRINTED, BASELINES, METHODS
from understudy.options import (
    Anything,
    CompareOptions,
    Declared,
    EvaluateOptions,
    FilePath,
    MethodFlags,
    Names,
    OneOf,
    PublishOptions,
    Real,
    Seeds,
    Several,
    Text,
    Whole,
    YesNo,
    option,
    options_of,
)

EVERY_METHOD = {**METHODS, **BASELINES, **AS_PRINTED}


@dataclass(frozen=True, slots=True, kw_only=True)
class Cake(Declared):
    """Something with options."""

    layers: int = option(2, Whole(at_least=1, at_most=9), help="How high it is.")
    sugar: Fraction | float | None = option(None, Real(above=0, below=1), help="Its share of sugar.")
    topped: bool = option(False, YesNo(), help="Whether there is something on it.")

    def check_together(self) -> None:
        if self.topped and self.layers == 1:
            raise OptionError("one layer carries no topping.")


@pytest.mark.parametrize(
    ("constraint", "good", "kept"),
    [
        (Whole(), np.int64(3), 3),
        (Real(above=0), np.float32(0.5), np.float32(0.5)),
        (Real(at_least=0), 0, 0),
        (Real(above=0, exact=True), "1/3", "1/3"),
        (Real(above=0), Decimal("0.1"), Decimal("0.1")),
        (OneOf("a", "b"), "b", "b"),
        (YesNo(), True, True),
        (Names(), ["age", "sex"], ("age", "sex")),
        (Names(), "age", ("age",)),
        (Text(), "één patiënt, 一人", "één patiënt, 一人"),
        (FilePath(), Path("x"), Path("x")),
        (Anything(), None, None),
        (Several(Whole()), np.array([2, 3]), (2, 3)),
        (Several(Whole()), 2, (2,)),
        (Several(Real(above=0, exact=True)), "1/3", ("1/3",)),
        (Several(Whole()), [], ()),
        (Seeds(), 2, (0, 1)),
        (Seeds(), [7, 0], (7, 0)),
    ],
)
def test_good_values_are_kept(constraint, good, kept):
    assert constraint.accept(good) == kept


@pytest.mark.parametrize(
    ("constraint", "bad"),
    [
        *[(Whole(), bad) for bad in (-1, 1.0, True, None, "2", [])],
        (Whole(at_most=3), 4),
        *[(Real(above=0), bad) for bad in (0, -1, float("nan"), float("inf"), True, "1", None, 1j, Decimal("sNaN"))],
        (Real(below=1), 1),
        *[(Real(exact=True), bad) for bad in ("", "1/0", "1e999999999", "one", "1" * 300)],
        *[(OneOf("a", "b"), bad) for bad in ("c", "", None, ["a"])],
        *[(YesNo(), bad) for bad in (1, "yes", None)],
        *[(Names(), bad) for bad in (3, [1], None)],
        *[(Text(), bad) for bad in ("", "  ", "a\nb", "a\x00", "\udcff", "x" * 201, "a\u2028b", 3)],
        *[(FilePath(), bad) for bad in ("", "a\0b", 3)],
        *[(Several(Whole(at_most=3)), bad) for bad in (4, [1, 4], "2,3", [True], None)],
        *[(Seeds(), bad) for bad in (0, -1, 1.5, True, "2", [-1], ["2"], None)],
    ],
)
def test_bad_values_are_refused(constraint, bad):
    with pytest.raises(ValueError):
        constraint.accept(bad)


@pytest.mark.parametrize(
    ("text", "value"),
    [("layers=3", 3), ("layers=1e0", 1), ("sugar=1/4", Fraction(1, 4)), ("sugar=none", None), ("topped=yes", True)],
)
def test_text_is_read_by_the_declaration(text, value):
    name, _, written = text.partition("=")
    declared = {one.name: one for one in options_of(Cake)}
    assert declared[name].read(written) == value
    assert getattr(Cake(**{name: value}), name) == value


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("layers", "two", "a whole number from 1 to 9"),
        ("sugar", "much", "a number above 0 and below 1"),
        ("topped", "perhaps", "yes or no"),
    ],
)
def test_one_sentence_tells_a_bad_text_and_a_bad_value(name, text, words):
    declared = {one.name: one for one in options_of(Cake)}
    sentence = f"The '{name}' parameter of Cake must be {words}. Got {text!r} instead."
    for refuse in (declared[name].read, declared[name].check, lambda value: Cake(**{name: value})):
        with pytest.raises(OptionError) as told:
            refuse(text)
        assert str(told.value) == sentence


def test_long_values_are_cut_in_errors():
    with pytest.raises(OptionError) as told:
        Cake(layers="x" * 10_000)
    assert len(str(told.value)) < 200


def test_options_are_checked_together_after_each_alone():
    with pytest.raises(OptionError, match="no topping"):
        Cake(layers=1, topped=True)


def test_a_list_is_read_between_commas_and_none_is_a_name_in_it_and_of_a_folder():
    declared = {one.name: one for one in options_of(CompareOptions)}
    assert declared["ways"].read("2, 3,") == (2, 3)
    assert declared["epsilons"].read("0.1,1/3") == (Fraction(1, 10), Fraction(1, 3))
    assert declared["methods"].read("none") == ("none",)
    assert declared["out"].read("none") == "none"
    assert declared["ways"].written == "2,3"


def test_an_option_of_another_class_is_the_same_here():
    here, there = ({one.name: one for one in options_of(kind)} for kind in (CompareOptions, PublishOptions))
    assert (here["delta"], here["neighbours"]) == (there["delta"], there["neighbours"])


@pytest.mark.parametrize("name", EVERY_METHOD)
def test_every_option_of_every_method_is_declared_with_help_and_a_default_it_accepts(name):
    for declared in options_of(EVERY_METHOD[name]):
        assert declared.help.endswith(".")
        assert not isinstance(declared.constraint, Anything)
        assert declared.check(declared.default) == declared.default


def test_every_flag_for_methods_is_an_option_of_one_that_can_be_published():
    known = {declared.name for method in METHODS.values() for declared in options_of(method)}
    assert {declared.name for declared in options_of(MethodFlags)} <= known


@pytest.mark.parametrize("kind", [PublishOptions, MethodFlags, EvaluateOptions, CompareOptions])
def test_every_option_of_a_run_has_help_and_a_flag_of_its_own(kind):
    flags = [flag for declared in options_of(kind) for flag in declared.flags]
    assert len(flags) == len(set(flags))
    for declared in options_of(kind):
        assert declared.help.endswith(".")
        if declared.name == "max_tables":
            continue  # from Python only
        assert f"--{'rows' if declared.name == 'n' else declared.name.replace('_', '-')}" in declared.flags


def test_too_long_a_number_is_told_as_such():
    layers = options_of(Cake)[0]
    assert layers.read("9" * 19) == int("9" * 19)
    with pytest.raises(OptionError, match=r"must be a whole number from 1 to 9 and at most 19 digits\. Got '1e400'"):
        layers.read("1e400")
