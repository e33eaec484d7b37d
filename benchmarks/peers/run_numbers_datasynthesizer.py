"""DataSynthesizer's correlated mode on raw values, its own histograms for numbers, whose ranges are declared to it.

Run with its own Python. `--codes` is the raw table, `--sizes` its ranges: column name to lower and upper end.
"""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from pathlib import Path

import pandas as pd
from _clock import Clock, arguments, write_report
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator

PRIVACY = "pure ε; tables calibrated to add/remove (scale (d−k)/ε₂ on counts), structure to replace-one"


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments()
    ranges = json.loads(options.sizes.read_text())
    table = pd.read_csv(options.codes)
    kinds = {name: kind_of(table[name]) for name in table.columns}
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        description = Path(folder, "description.json")
        with clock.phase("fit"):
            describer = DataDescriber()
            describer.describe_dataset_in_correlated_attribute_mode(
                dataset_file=str(options.codes),
                k=options.settings.get("degree", 1),
                epsilon=options.epsilon,
                attribute_to_datatype=kinds,
                attribute_to_is_categorical={name: name not in ranges for name in table.columns},
                attribute_to_is_candidate_key=dict.fromkeys(table.columns, False),
                numerical_attribute_ranges=ranges,
                seed=options.seed,
            )
            describer.save_dataset_description_to_file(str(description))
        with clock.phase("sample"):
            generator = DataGenerator()
            generator.generate_dataset_in_correlated_attribute_mode(options.rows, str(description), seed=options.seed)
        generator.synthetic_dataset.to_csv(options.out, index=False)
    write_report(options.report, package="DataSynthesizer", clock=clock, privacy=PRIVACY)


def kind_of(column: pd.Series) -> str:
    """What it calls the type of such values."""
    if pd.api.types.is_integer_dtype(column):
        return "Integer"
    return "Float" if pd.api.types.is_float_dtype(column) else "String"


if __name__ == "__main__":
    main()
