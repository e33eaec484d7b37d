"""The privacy statement, for machines and for people."""

import json
from fractions import Fraction

import pytest

from understudy._core.errors import ModelFileError
from understudy.release import ChargeLine, LedgerNote, PublicField, Statement, privacy_letter


def test_a_statement_survives_json_exactly():
    statement = Statement.example(
        epsilon=Fraction(1, 3),
        delta=Fraction(1, 10**9),
        mu_squared=Fraction(1, 70),
        ledger=LedgerNote(dataset="people", head="ab" * 32),
        warnings=("look",),
    )
    assert Statement.from_dict(json.loads(json.dumps(statement.to_dict()))) == statement


def test_a_statement_from_before_gaussian_privacy_is_read_and_told():
    line = ChargeLine(what="tables", mechanism="discrete Gaussian", cost=Fraction(1, 70), unit="rho", tables=2)
    data = Statement.example(delta=Fraction(1, 10**9), charges=(line,)).to_dict()
    del data["mu_squared"]
    with pytest.raises(ModelFileError):
        Statement.from_dict({**data, "rho": "0"})
    read = Statement.from_dict({**data, "rho": "1/70"})
    assert read.mu_squared is None
    assert "cost in ρ" in privacy_letter(read)
    assert "zero-concentrated differential privacy" in privacy_letter(read)


def test_the_promise_is_for_the_unit_that_was_named():
    """A person may have several tests: a promise for one test is none for the person."""
    letter = privacy_letter(Statement.example(unit="one test", neighbours="add-remove", n_public=False))
    assert "if one test's row were added or left out" in letter
    assert "any guess whether that test's row is there change by" in letter
    assert "that person's row" not in letter


def test_the_letter_tells_which_method_was_taken_and_why():
    options = {"chosen": "adaptive", "because": "many small tables tell most", "rounds": 54}
    letter = privacy_letter(Statement.example(method="auto", options=options))
    said = "method `auto`, which took `adaptive`, since many small tables tell most (rounds = 54), 2025-01-01."
    assert said in letter


@pytest.mark.parametrize(
    "field",
    sorted(
        set(Statement.example().to_dict())
        - {"format", "guarantee", "stamp", "epsilon_decimal", "delta_decimal", "in_words"}
    ),
)
def test_a_statement_without_any_one_field_is_refused(field):
    data = Statement.example().to_dict()
    del data[field]
    with pytest.raises(ModelFileError):
        Statement.from_dict(data)


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("epsilon", "1e999999999"),
        ("epsilon", "-1"),
        ("epsilon", "1/0"),
        ("epsilon", 1.0),
        ("neighbours", "strangers"),
        ("n_rows", -1),
        ("n_rows", True),
        ("seeded", "no"),
        ("public", {"name": "age"}),
        ("public", [{"name": "age", "what": "x", "origin": "guess"}]),
        ("charges", [{"what": 1}]),
        ("ledger", []),
        ("options", []),
        ("warnings", "text"),
        ("epsilon", "0"),
        ("epsilon", "0/7"),
        ("epsilon", "-1/2"),
        ("epsilon", "1/1" + "0" * 1999),
        ("delta", "1"),
        ("delta", "3/2"),
        ("delta", "-1/9"),
        ("mu_squared", "0"),
        ("mu_squared", "-1"),
        ("n_rows", 1 << 54),
        ("n_rows", 10**400),
        ("dataset", "x" * 200_000),
        ("dataset", "half a character: \ud800"),
        ("warnings", ["x"] * 1_000_001),
        ("options", {str(i): 1 for i in range(2_000)}),
        ("options", {"a": "x" * 200_000}),
        ("options", {"a": float("nan")}),
        ("protection", [{"attributes": [], "promised": "x", "released": None, "value": None}]),
    ],
)
def test_a_statement_with_a_wrong_field_is_refused(field, value):
    data = Statement.example().to_dict() | {field: value}
    with pytest.raises(ModelFileError, match="not one that understudy writes"):
        Statement.from_dict(data)


@pytest.mark.parametrize("data", [None, [], "text", 3])
def test_anything_that_is_no_statement_is_refused(data):
    with pytest.raises(ModelFileError):
        Statement.from_dict(data)


def test_the_letter_names_guarantee_unit_public_facts_charges_noise_version_method_and_limits():
    letter = privacy_letter(Statement.example(unit="one patient"))
    for words in (
        "ε-differential privacy with ε = 1",
        "2.72",
        "73.2 %",
        "one patient",
        "replace one",
        "declared by the holder",
        "permute-and-flip",
        "discrete Laplace",
        "operating system",
        "understudy 0.1.0",
        "`privbayes`",
        "does not promise",
        "No ledger was kept",
    ):
        assert words in letter, words


def test_the_letter_gathers_what_has_many_levels_of_noise():
    def line(what, mechanism, noise):
        return ChargeLine(what=what, mechanism=mechanism, cost=Fraction(1, 8), unit="epsilon", tables=1, noise=noise)

    charges = [line("relations", "noise", f"scale b = {scale} per cell") for scale in ("9.5", "10", "2e+06")]
    charges += [line("rows", "noise", "scale b = 3 per cell"), line("parents of sex", "choice", "")]
    charges += [line("odd", "noise", words) for words in ("b = 1, c = 2", "nothing")]
    letter = privacy_letter(Statement.example(charges=tuple(charges)))
    assert "| noise: relations | 3 | 3 | scale b = 9.5 to 2e+06 per cell | 0.375 |" in letter
    assert "| noise: rows | 1 | 1 | scale b = 3 per cell | 0.125 |" in letter
    assert "| choice: parents of sex | 1 | 1 |  | 0.125 |" in letter
    assert "| noise: odd | 2 | 2 | b = 1, c = 2; nothing | 0.25 |" in letter
    assert "**0.875**" in letter


def test_the_letter_fits_one_page():
    fields = tuple(PublicField(name=f"column{i}", what="2 values", origin="declared") for i in range(500))
    letter = privacy_letter(Statement.example(public=fields))
    assert letter.count("\n") < 120
    assert "460 more columns" in letter


def default_promise(**changes):
    given = {"delta": Fraction(1, 10**9), "mu_squared": Fraction(1, 100), "neighbours": "add-remove", "n_public": False}
    return Statement.example(**given | changes)


def test_the_default_promise_is_told_with_both_figures_and_what_would_be_stricter():
    letter = privacy_letter(default_promise())
    assert "one row were added or left out, plus a probability of δ = 1e-09" in letter
    # e/(1 + e) for the row being there, e²/(1 + e²) for what it says, both with what δ adds and rounded up
    assert "whether that row is there or not, both equally likely before, is right in at most 73.2 %" in letter
    assert "(two steps apart: 2ε and (1 + e^ε)·δ), in at most 88.1 %" in letter
    assert "The number of rows is private too, and what is said of it here has noise." in letter
    assert "Stricter: `--delta 0` (ε alone, without a δ); `--neighbours replace-one`" in letter


@pytest.mark.parametrize(
    ("changes", "says", "says_not"),
    [
        ({"delta": Fraction(0)}, "Stricter: `--neighbours replace-one`", "--delta 0"),
        ({"neighbours": "replace-one", "n_public": True}, "Stricter: `--delta 0`", "--neighbours"),
        ({"delta": Fraction(0), "neighbours": "replace-one", "n_public": True}, "is public", "Stricter"),
        ({"seeded": True}, "NOT PRIVATE: seeded", "Stricter"),
        ({"max_rows": 3, "bounding": "drop"}, "whether that unit's rows are there or not", "one row were"),
        ({"max_rows": 3}, "whether those rows are there or not", "one row were"),
    ],
    ids=str,
)
def test_a_letter_names_only_what_would_be_stricter_than_itself(changes, says, says_not):
    letter = privacy_letter(default_promise(**changes))
    assert says in letter
    assert says_not not in letter


def test_the_promise_in_words_is_for_machines_too_and_never_without_a_guarantee():
    assert "give or take a probability of δ = 1e-09" in default_promise().to_dict()["in_words"]
    for without in ({"seeded": True}, {"diagnostic": "no-privacy"}, {"as_printed": "It is broken."}):
        assert "in_words" not in default_promise(**without).to_dict()
    assert "in_words" not in Statement.example_of_parties().to_dict()
    assert "all rows of one unit were" in default_promise(max_rows=2, bounding="weigh").promise.meaning


def test_a_delta_is_stated_with_its_meaning():
    letter = privacy_letter(Statement.example(delta=Fraction(1, 10**9), mu_squared=Fraction(1, 100)))
    assert "(ε, δ)-differential privacy with ε = 1, δ = 1e-09" in letter


def test_under_add_remove_what_a_row_says_is_two_steps_apart():
    letter = privacy_letter(Statement.example(neighbours="add-remove", n_public=False))
    assert "e^(2ε) = 7.39" in letter or "e^(2ε) = 7.40" in letter
    assert "88.1 %" in letter


def test_a_seeded_run_is_stamped_everywhere_and_promises_nothing():
    statement = Statement.example(seeded=True)
    assert statement.stamp == "NOT PRIVATE: seeded"
    assert statement.to_dict()["stamp"] == statement.to_dict()["guarantee"] == "NOT PRIVATE: seeded"
    letter = privacy_letter(statement)
    assert "NOT PRIVATE: seeded" in letter
    assert "What is promised" not in letter


def test_a_diagnostic_run_has_no_guarantee_and_no_bounded_cost():
    exact = ChargeLine(what="tables", mechanism="exact counts", cost=None, unit="epsilon", tables=3, noise="none")
    statement = Statement.example(diagnostic="best-marginals", charges=(exact,))
    assert statement.stamp == "NO GUARANTEE: diagnostic run (best-marginals)"
    assert "unbounded" in privacy_letter(statement)


def test_trusted_drafts_are_told_at_the_top_of_the_letter():
    drafts = (PublicField(name="zip", what="900 values", origin="draft"),)
    statement = Statement.example(public=drafts)
    assert statement.trusted_drafts == ("zip",)
    letter = privacy_letter(statement)
    assert letter.index("Conditional") < letter.index("What is promised")
    assert "draft, read off the private table" in letter


def test_names_cannot_break_the_letters_tables():
    fields = (PublicField(name="a|b\n# c", what="`x`", origin="declared"),)
    row = next(line for line in privacy_letter(Statement.example(public=fields)).splitlines() if "a\\|b" in line)
    assert row == "| a\\|b # c | 'x' | declared by the holder |"


@pytest.mark.parametrize("epsilon", [Fraction(1, 1000), Fraction(7), Fraction(1000)])
def test_the_promise_is_never_rounded_down(epsilon):
    import math

    letter = privacy_letter(Statement.example(epsilon=epsilon))
    if epsilon < 30:
        shown = float(letter.split("e^ε = ")[1].split(" times")[0].replace(",", ""))
        assert shown >= math.exp(epsilon)
    else:
        assert "100 %" in letter


@pytest.mark.parametrize(
    "flaw", [{"as_printed": "its tables are exact"}, {"seeded": True}, {"diagnostic": "no-privacy"}]
)
def test_a_letter_without_a_guarantee_speaks_of_none(flaw):
    assert "the guarantee is towards all others" in privacy_letter(Statement.example())
    letter = privacy_letter(Statement.example(**flaw))
    assert "the guarantee is towards all others" not in letter
    assert "there is no guarantee towards anyone" in letter


def test_the_letter_names_each_purpose_once():
    def line(what, mechanism):
        return ChargeLine(what=what, mechanism=mechanism, cost=Fraction(1, 8), unit="epsilon", tables=1, noise="b = 3")

    charges = [line(f"parents, choice {i} of 3", "choice") for i in (1, 2, 3)]
    charges += [line(f"dependent pair {i} of 2", "choice") for i in (1, 2)]
    charges += [line("numbers, means", "noise"), line("rows", "noise")]
    letter = privacy_letter(Statement.example(charges=tuple(charges)))
    for row in ("choice: parents | 3", "choice: dependent pair | 2", "noise: numbers, means | 1", "noise: rows | 1"):
        assert f"| {row} |" in letter


@pytest.mark.parametrize(("policy", "n_public", "said", "unsaid"), [
    ("refuse", False, "read only because none of its rows was seen to break that", "were left out"),
    ("drop", False, "were left out, each looked at by itself", "read only because"),
    ("mend", False, "were changed so that they do, or left out", "read only because"),
    ("mend", True, "read only because that helped all of them", "or left out"),
])  # fmt: skip
def test_the_letter_says_what_became_of_rows_that_break_what_is_declared(policy, n_public, said, unsaid):
    """Where the number of rows is public a row that nothing mends refuses the table: none is left out."""
    statement = Statement.example(declared=("came ≤ left",), broken_rows=policy, n_public=n_public)
    letter = privacy_letter(statement)
    assert said in letter
    assert unsaid not in letter
    assert "counted as they are" not in letter
    told = privacy_letter(Statement.example(declared=("ward → town",), broken_rows=policy, n_public=n_public))
    assert "where no map is declared: rows were counted as they are, and it may be untrue" in told
