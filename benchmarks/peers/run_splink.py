"""splink's probabilistic model on DuckDB, trained without labels as its guide shows. Needs its own Python.

`--codes` is a CSV of records with a column `unique_id`; `--settings` holds `kind`, which set of columns it has. Writes
the pairs whose match probability is at least 0.001, with it: the threshold is chosen by whoever reads them.
"""

from __future__ import annotations

import logging
import warnings

import duckdb
import splink.comparison_library as cl
from _clock import Clock, arguments, write_report
from splink import DuckDBAPI, Linker, SettingsCreator, block_on

COMPARISONS = {
    "febrl": lambda: [
        cl.NameComparison("given_name").configure(term_frequency_adjustments=True),
        cl.NameComparison("surname").configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("date_of_birth", [1, 2]).configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("soc_sec_id", [1, 2]),
        cl.ExactMatch("street_number").configure(term_frequency_adjustments=True),
        cl.JaroWinklerAtThresholds("address_1", [0.9, 0.7]).configure(term_frequency_adjustments=True),
        cl.JaroWinklerAtThresholds("suburb", [0.9, 0.7]).configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("postcode", [1, 2]).configure(term_frequency_adjustments=True),
    ],
    "people": lambda: [
        cl.ForenameSurnameComparison("given_name", "surname"),
        cl.DateOfBirthComparison("birthday", input_is_string=True, invalid_dates_as_null=False),
        cl.JaroWinklerAtThresholds("street", [0.9, 0.7]).configure(term_frequency_adjustments=True),
        cl.JaroWinklerAtThresholds("city", [0.9, 0.7]).configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("postcode", [1, 2]).configure(term_frequency_adjustments=True),
        cl.EmailComparison("email").configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("phone", [1, 2]).configure(term_frequency_adjustments=True),
        cl.DamerauLevenshteinAtThresholds("national_id", [1, 2]),
    ],
}
BLOCKS = {
    "febrl": (
        *(
            ("date_of_birth",),
            ("soc_sec_id",),
            ("given_name", "surname"),
            ("surname", "postcode"),
            ("given_name", "suburb"),
        ),
        *(("address_1", "street_number"), ("given_name", "postcode"), ("surname", "suburb")),
    ),
    "people": (
        *(("birthday",), ("national_id",), ("email",), ("phone",), ("given_name", "surname"), ("street",)),
        *(("surname", "postcode"), ("given_name", "postcode"), ("given_name", "city"), ("surname", "city")),
    ),
}
CERTAIN = {
    "febrl": (("soc_sec_id",), ("given_name", "surname", "date_of_birth")),
    "people": (("national_id",), ("email",)),
}
TRAIN = {"febrl": (("date_of_birth",), ("given_name", "surname")), "people": (("birthday",), ("given_name", "surname"))}


def main() -> None:
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    options = arguments()
    kind, clock = options.settings["kind"], Clock()
    connection = duckdb.connect()
    connection.sql("set threads = 2")
    with clock.phase("fit"):
        records = connection.sql(f"select * from read_csv('{options.codes}', all_varchar = true, nullstr = '')")
        columns = ", ".join(name for name in records.columns if name != "unique_id")
        connection.sql(
            f"create table records as select cast(unique_id as bigint) as unique_id, {columns} "
            f"from read_csv('{options.codes}', all_varchar = true, nullstr = '')"
        )
        api = DuckDBAPI(connection)
        settings = SettingsCreator(
            link_type="dedupe_only",
            comparisons=COMPARISONS[kind](),
            blocking_rules_to_generate_predictions=[block_on(*names) for names in BLOCKS[kind]],
            retain_matching_columns=False,
        )
        linker = Linker(api.register("records"), settings)
        linker.training.estimate_probability_two_random_records_match(
            [block_on(*names) for names in CERTAIN[kind]], recall=0.7
        )
        linker.training.estimate_u_using_random_sampling(max_pairs=1e6, seed=options.seed)
        for names in TRAIN[kind]:
            linker.training.estimate_parameters_using_expectation_maximisation(block_on(*names))
    with clock.phase("sample"):
        found = linker.inference.predict(threshold_match_probability=0.001)
        query = f"select unique_id_l, unique_id_r, match_probability from {found.physical_name}"
        connection.sql(f"copy ({query}) to '{options.out}' (format csv, header)")
    write_report(options.report, package="splink", clock=clock, privacy="none: clean records")


if __name__ == "__main__":
    main()
