"""Questions about numbers: exact against enumeration and against samples, for every kind of model and of column."""

import datetime as dt
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import understudy as us
from tests.release.models import make_model, make_rows, make_tree
from understudy._core.errors import OptionError, UserError
from understudy.models import CliqueTree, JointModel, TreeMeasurement, TreeModel
from understudy.release import ChargeLine, PublishedModel, Statement
from understudy.schema import Marginal, Schema

KINDS = {"network": make_model, "tree": make_tree, "rows": make_rows}


@pytest.fixture(scope="module", params=KINDS)
def model(request):
    return KINDS[request.param]()


@pytest.fixture(scope="module")
def rows(model):
    """All rows there can be, with their probabilities: (sex, age or None, marital status, probability)."""
    joint = model.model.marginal(Marginal.of(0, 1, 2), errors=False).probabilities
    ages = [range(20 * i, 20 * i + 20) for i in range(5)] + [[-1], [None]]
    return [
        (("Female", "Male")[s], age, FIELD_LABELS[m], joint[s, a, m] / len(ages[a]))
        for s in range(2)
        for a in range(7)
        for m in range(4)
        for age in ages[a]
    ]


FIELD_LABELS = ("single", "married/partner", "it's complicated", "<=2 times")


def is_number(age):
    return age is not None and age != -1


CONDITIONS = {
    "": lambda row: True,
    " | sex=Female": lambda row: row[0] == "Female",
    " | sex!=Female, marital status=single": lambda row: row[0] == "Male" and row[2] == "single",
    " | age>33, age<=71": lambda row: is_number(row[1]) and 33 < row[1] <= 71,
    " | age!=50, sex=Male": lambda row: row[1] != 50 and row[0] == "Male",
    " | age=30..44": lambda row: is_number(row[1]) and 30 <= row[1] <= 44,
    " | age=missing/-1/22..50": lambda row: row[1] in (None, -1) or 22 <= row[1] <= 50,
}


@pytest.fixture(params=CONDITIONS)
def given(request, rows):
    holds = CONDITIONS[request.param]
    return request.param, [row for row in rows if holds(row)]


@pytest.mark.one_in(6)
def test_numbers_equal_those_of_all_rows_listed(model, given):
    words, kept = given
    total = sum(row[3] for row in kept)
    numbers = sorted((row[1], row[3]) for row in kept if is_number(row[1]))
    mass = sum(p for _, p in numbers)
    asked = "share(age < 40, sex=Female), count, sum(age)"
    answer = model.query(asked + words)
    share = sum(row[3] for row in kept if is_number(row[1]) and row[1] < 40 and row[0] == "Female") / total
    assert answer["share(age < 40, sex=Female)"].value == pytest.approx(share, abs=1e-12)
    assert answer["count"].value == pytest.approx(1000 * total)
    mean = sum(age * p for age, p in numbers) / mass
    assert answer["sum(age)"].value == pytest.approx(1000 * mass * mean)
    answer = model.query(f"mean(age), variance(age), sd(age), median(age), quantile(age, 0.9){words}")
    variance = sum((age - mean) ** 2 * p for age, p in numbers) / mass
    assert answer["mean(age)"].value == pytest.approx(mean)
    assert answer["variance(age)"].value == pytest.approx(variance)
    assert answer["sd(age)"].value == pytest.approx(variance**0.5)
    for name, level in (("median(age)", 0.5), ("quantile(age, 0.9)", 0.9)):
        at = np.searchsorted(np.cumsum([p for _, p in numbers]), level * mass * (1 - 1e-12))
        assert answer[name].value == numbers[at][0]


def test_every_figure_has_an_interval_around_it(model):
    answer = model.query("mean(age), median(age), sd(age), sum(age), count(sex=Female), share(age > 30) | age<80")
    for figure in answer.figures:
        assert figure.low <= figure.value <= figure.high
        assert figure.standard_error > 0
    assert model.query("count").standard_error == 0  # the number of rows is public here


FOUND = {"first": [0, 1, 100], "starts": [0, 1, 11, 100, 500], "shares": [50.0, 30.0, 10.0, 5.0, 5.0]}
MADE = Schema.from_dict(
    {
        "name": "made",
        "fields": [
            {"name": "debt", "type": "integer", "bins": {"found": FOUND},
             "constraints": {"minimum": 0, "maximum": 999}},
            {"name": "price", "type": "number", "decimals": 1, "bins": 2, "special": [0, 99],
             "constraints": {"minimum": 1, "maximum": 3}},
            {"name": "day", "type": "date", "bins": 3,
             "constraints": {"minimum": "2020-01-01", "maximum": "2020-12-31"}},
            {"name": "rooms", "type": "integer", "categories": [4, 1, 2]},
            {"name": "seen", "type": "datetime", "bins": 2, "timezone": "Europe/Paris",
             "constraints": {"minimum": "2021-01-01T00:00:00", "maximum": "2021-12-31T23:59:59", "required": False}},
            {"name": "smokes", "type": "boolean"},
        ],
    }
)  # fmt: skip


@pytest.fixture(scope="module")
def made():
    table = np.random.default_rng(4).dirichlet(np.ones(3 * 4 * 3 * 3 * 3 * 2)).reshape([a.size for a in MADE.domain])
    return PublishedModel(MADE, JointModel(MADE.domain, 500, table), Statement.example(n_rows=500))


@pytest.fixture(scope="module")
def sampled(made):
    return made.sample(400_000, seed=2, kind="pandas")


def test_numbers_equal_those_of_a_large_sample(made, sampled):
    price = sampled["price"][sampled["price"] != 99]
    expected = {
        "mean(debt)": sampled["debt"].mean(),
        "sd(debt)": sampled["debt"].std(),
        "mean(price)": price.mean(),
        "sd(price)": price.std(),
        "mean(rooms)": sampled["rooms"].mean(),
        "mean(smokes)": sampled["smokes"].mean(),
        "share(price <= 1.5)": (price <= 1.5).sum() / len(sampled),
        "share(price = 1.5)": (price == 1.5).sum() / len(sampled),
        "share(debt > 10, day >= 2020-07-01)": ((sampled["debt"] > 10) & (sampled["day"] >= "2020-07-01")).mean(),
        "sum(debt)": 500 * sampled["debt"].mean(),
        "count(seen)": 500 * sampled["seen"].notna().mean(),
    }
    answer = made.query(", ".join(expected))
    for name, value in expected.items():
        assert answer[name].value == pytest.approx(value, rel=0.01), name
    assert made.query("quantile(debt, 0.2), median(debt)").figures[0].value == sampled["debt"].quantile(0.2)
    owing = sampled[(sampled["debt"] > 0) & (sampled["rooms"] == 2)]
    assert made.query("mean(debt) | debt>0, rooms=2").value == pytest.approx(owing["debt"].mean(), rel=0.02)


def test_dates_have_means_and_quantiles_that_are_dates(made, sampled):
    answer = made.query("mean(day), quantile(day, 0.25), sd(day) | rooms=1/4")
    days = sampled["day"][sampled["rooms"] != 2]
    mean, quantile, deviation = (figure.value for figure in answer.figures)
    assert abs((mean - days.mean().date()).days) <= 1
    assert abs((quantile - days.quantile(0.25).date()).days) <= 1
    assert deviation == pytest.approx(days.std().total_seconds() / 86400, rel=0.01)
    assert answer["sd(day)"].unit == "days"
    assert answer.to_dict()["rows"][0]["value"] == mean.isoformat()
    moment = made.query("median(seen)").value
    assert isinstance(moment, dt.datetime)
    assert abs(moment - sampled["seen"].median()) < dt.timedelta(hours=12)


def test_what_is_left_out_is_said(made):
    notes = " ".join(made.query("mean(price), mean(seen), mean(debt)").notes)
    assert "the special value 0 counts as 0" in notes
    assert "special value 99, which is no number here. They are left out" in notes
    assert "'seen': " in notes
    assert "have no value" in notes
    assert "'price': inside its declared bins values count as spread evenly" in notes
    assert "'debt'" not in notes


def test_a_special_zero_is_in_ranges_and_comparisons_and_other_special_values_are_not(made):
    (zero,) = [row["probability"] for row in made.query("price").rows() if row["price"] == "0"]
    assert made.query("share(price < 1)").value == pytest.approx(zero)
    assert made.query("share(price = 0..0.5)").value == pytest.approx(zero)
    assert made.query("share(price > 3)").value == 0
    assert set(made.sample(50, where="price<1", seed=1)["price"]) == {0.0}


def test_conditions_keep_the_shape_inside_found_bins(made):
    drawn = made.sample(20_000, where="debt=5..150", seed=1)["debt"]
    assert drawn.between(5, 150).all()
    assert made.query("mean(debt) | debt=5..150").value == pytest.approx(drawn.mean(), rel=0.03)
    assert (drawn <= 10).sum() > 2 * drawn.between(11, 20).sum()


def test_a_noisy_number_of_rows_widens_counts_and_shares():
    line = ChargeLine(what="rows", mechanism="…", cost=Fraction(1), unit="epsilon", noise="scale b = 300 per cell")
    exact, noisy = make_tree(), make_tree(n_public=False, charges=(line,))
    assert noisy.query("count").standard_error == pytest.approx(300 * 2**0.5)
    for question in ("count(sex=Male)", "share(age > 50)", "mean(age)"):
        assert noisy.query(question).standard_error > exact.query(question).standard_error
    alike = [one.query("sex").standard_error for one in (noisy, exact)]
    assert np.all(alike[0] > alike[1])


def test_intervals_of_a_frequent_value_reckon_with_the_noise_in_the_number_of_rows():
    # 38 rare values share what the noisy number of rows has too many or too few: 31 % were held
    codes = [f"c{i}" for i in range(40)]
    schema = {"name": "codes", "fields": [{"name": "code", "categories": codes}]}
    table = pd.DataFrame({"code": codes * 100 + ["c0"] * 16_000})
    held = []
    for seed in range(20):
        model = us.PrivBayes(epsilon=1, seed=seed).fit(table, schema).model_
        share, (listed, *_) = model.query("share(code=c0)"), model.query("code").rows()
        assert (share.low, share.high) == pytest.approx((listed["low"], listed["high"]))
        held.append(share.low <= 0.805 <= share.high)
    assert np.mean(held) >= 0.8


def test_the_noise_of_a_found_histogram_widens_what_rests_on_it():
    noisy = ChargeLine(
        what="numbers, value by value", mechanism="…", cost=Fraction(1), unit="epsilon", noise="scale b = 3 per cell"
    )
    fields = [
        {"name": "debt", "type": "integer", "bins": {"found": FOUND}, "constraints": {"minimum": 0, "maximum": 999}}
    ]
    errors = []
    for charges in ((), (noisy,)):
        model = make_tree_of_one(Schema.from_dict({"name": "made", "fields": fields}), charges)
        errors.append([figure.standard_error for figure in model.query("mean(debt), share(debt < 11)").figures])
    assert all(more > 1.2 * less for less, more in zip(*errors, strict=True))


def make_tree_of_one(schema, charges):
    from understudy.models import CliqueTree, TreeMeasurement, TreeModel

    shares = np.array([0.5, 0.4, 0.1])
    measured = TreeMeasurement(marginal=(0,), values=1000 * shares, variance=9.0, interaction=False)
    tree = CliqueTree((3,), ((0,),), (-1,), (shares,))
    model = TreeModel(schema.domain, 1000, tree=tree, measurements=(measured,))
    return PublishedModel(schema, model, Statement.example(charges=charges))


def test_an_answer_prints_and_turns_into_json():
    answer = make_tree(seeded=True).query("mean(age), share(age > 30) | sex=Female")
    lines = str(answer).splitlines()
    assert lines[0] == "NOT PRIVATE: seeded"
    assert lines[1].split() == ["statistic", "value", "95%", "interval"]
    assert lines[3].startswith("share(age > 30)")
    assert "%" in lines[3]
    found = answer.to_dict()
    assert [row["statistic"] for row in found["rows"]] == ["mean(age)", "share(age > 30)"]
    assert found["rows"][0]["low"] < found["rows"][0]["value"] < found["rows"][0]["high"]
    assert found["stamp"] == "NOT PRIVATE: seeded"
    assert found["notes"]
    with pytest.raises(OptionError, match="several figures"):
        _ = answer.value
    with pytest.raises(KeyError, match="share"):
        _ = answer["mean(x)"]
    assert float(make_tree().query("mean(age)")) == pytest.approx(answer_value(make_tree(), "mean(age)"))


def answer_value(model, text):
    return model.query(text).to_dict()["rows"][0]["value"]


def test_a_column_that_is_called_like_a_function_is_still_a_column():
    names = [{"name": "count", "categories": ["1", "2"]}, {"name": "mean(x)", "type": "boolean"}]
    schema = Schema.from_dict({"fields": [*names, {"name": "a>b", "categories": ["3"]}]})
    model = PublishedModel(schema, JointModel(schema.domain, 9, np.full((2, 2, 1), 0.25)), Statement.example(n_rows=9))
    assert model.query("count").columns == ("count",)
    assert model.query("count, mean(x) | a>b=3").columns == ("count", "mean(x)")
    assert model.query("count(count=1)").value == 4.5
    assert model.query("mean('mean(x)') | 'a>b'=3").value == 0.5
    with pytest.raises(OptionError, match="look like numbers"):
        model.query("mean(count)")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("mean(age", "never closed"),
        ("mean(age))", "parentheses in 'mean\\(age\\)\\)' do not match"),
        ("mean(age) mean(age)", "a comma is missing between two questions"),
        ("count(agee)", "there is no column 'agee'.*Did you mean"),
        ("mean(agee)", "Did you mean 'age'"),
        ("mean()", "needs one column"),
        ("mean(age, sex)", "needs one column"),
        ("mean(sex)", "holds names, and names have no mean"),
        ("meen(age)", "no function 'meen'.*Did you mean 'mean'"),
        ("mean(age) + 1", "goes on after"),
        (
            "share(sex=Male | age > 30)",
            r"'\|' stands inside the brackets of share.*: share\(sex=Male\) \| age > 30\. Put",
        ),
        ("count(sex=Male|age>30), mean(age)", r"behind them.*: count\(sex=Male\) \| age>30\."),
        ("mean(age | sex=Male, age > 30)", r": mean\(age\) \| sex=Male, age > 30\."),
        ("quantile(age, 0.9 | sex=Male)", r": quantile\(age, 0\.9\) \| sex=Male\."),
        ("quantile(age | sex=Male, 0.9)", r": quantile\(age, 0\.9\) \| sex=Male\."),
        ("share(sex=Male|Female)", r"has no value 'Male\|Female'"),
        ("mean(age), sex", "stands beside"),
        ("quantile(age)", "a column and a share"),
        ("quantile(age, 1.01)", "share from 0 to 1.*Got 1.01"),
        ("quantile(age, -0.1)", "share from 0 to 1"),
        ("quantile(age, nan)", "share from 0 to 1"),
        ("quantile(age, half)", "share from 0 to 1"),
        ("share()", "needs a condition"),
        ("share(age)", "not a condition"),
        ("share(age > )", "not a condition"),
        ("share(age > x)", "column 'age': 'x' is not a number"),
        ("share(age > 3..4)", "needs one value"),
        ("share(sex > Female)", "no order"),
        ("mean(age) | age>1000", "no value in its domain"),
        ("mean(age) | age>50, age<40", "no value in its domain"),
        ("mean(age) | age=missing", "probability 0"),
        ("mean(age) | sexx=Male", "Did you mean 'sex'"),
        ("mean(age) | sex=Male | age=3", "more than one '.'. Separate conditions by commas"),
    ],
)
def test_a_mistake_in_a_question_about_numbers_is_one_sentence(text, words):
    with pytest.raises(UserError, match=words) as caught:
        make_model().query(text)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("text", ["sum(day)", "variance(day)", "sum(seen)"])
def test_dates_are_not_added_up(made, text):
    with pytest.raises(OptionError, match="which have no"):
        made.query(text)


def test_a_condition_of_probability_zero_is_told():
    schema = Schema.from_dict({"fields": [{"name": "a", "type": "boolean"}, {"name": "b", "type": "boolean"}]})
    model = PublishedModel(schema, JointModel(schema.domain, 9, np.diag([1.0, 0.0])), Statement.example(n_rows=9))
    with pytest.raises(UserError, match="probability 0"):
        model.query("mean(a) | b=true")
    with pytest.raises(UserError, match="probability 0"):
        model.query("share(a=true) | b=true")
    assert model.query("count(a=true, b=true)").value == 0


def test_columns_that_were_never_measured_together_are_named():
    fields = [{"name": name, "type": "integer", "categories": [0, 1, 2]} for name in ("a", "b", "c")]
    schema = Schema.from_dict({"fields": fields})
    third = np.full(3, 1 / 3)
    tree = CliqueTree((3, 3, 3), ((0, 1), (2,)), (-1, -1), (np.outer(third, third), third))
    noisy = TreeMeasurement(marginal=(0, 1), values=np.full((3, 3), 9.0), variance=1.0, interaction=False)
    model = TreeModel(schema.domain, 81, tree=tree, measurements=[noisy])
    asked = PublishedModel(schema, model, Statement.example())
    for text in ("mean(a) | c=1", "share(a>1) | c=0, b=2", "count(a>1, c>1)", "a, c", "a | c=1"):
        answer = asked.query(text)
        assert sum("'a' and 'c' were never measured together" in note for note in answer.notes) == 1, text
        assert answer.to_dict()["notes"] == list(answer.notes)
        assert "never measured together" in str(answer)
    for text in ("mean(a) | b=1", "mean(c)", "a, b", "share(a>1), mean(c) | b=2"):
        told = asked.query(text).notes
        assert not any("'a' and 'b'" in note for note in told)
    assert asked.query("mean(a) | b=1").notes == ()
    unknown = PublishedModel(schema, TreeModel(schema.domain, 81, tree=tree), Statement.example())
    assert unknown.query("mean(a) | c=1").notes == ()


def test_what_is_declared_needs_no_measuring():
    fields = [
        {"name": "age", "type": "integer", "categories": [0, 20, 40]},
        {"name": "job", "categories": ["none", "office"], "constraints": {"required": False}},
    ]
    schema = Schema.from_dict({"fields": fields, "dependencies": [{"missing": ["job"], "when": {"age": 0}}]})
    tree = CliqueTree((3, 3), ((0,), (1,)), (-1, -1), (np.full(3, 1 / 3),) * 2)
    alone = [TreeMeasurement(marginal=(a,), values=np.full(3, 9.0), variance=1.0, interaction=False) for a in (0, 1)]
    asked = PublishedModel(schema, TreeModel(schema.domain, 27, tree=tree, measurements=alone), Statement.example())
    answer = asked.query("job | age=0")
    assert answer["missing"] == pytest.approx(1)
    assert len(answer.notes) == 1
    assert "'job' can have but one value here" in answer.notes[0]
    for text in ("job | age=20", "job | age=0..20", "age | job=office"):
        assert "never measured together" in " ".join(asked.query(text).notes), text
