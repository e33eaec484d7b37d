"""DataSynthesizer's correlated mode on codes whose domain is declared to it. Run with its own Python."""

from __future__ import annotations

import contextlib
import io
import json
import tempfile
import warnings
from pathlib import Path

from _clock import Clock, arguments, write_report
from DataSynthesizer.DataDescriber import DataDescriber
from DataSynthesizer.DataGenerator import DataGenerator

PRIVACY = "pure ε; tables calibrated to add/remove (scale (d−k)/ε₂ on counts), structure to replace-one"


def main() -> None:
    warnings.simplefilter("ignore")
    options = arguments()
    sizes = json.loads(options.sizes.read_text())
    clock = Clock()
    with tempfile.TemporaryDirectory() as folder, contextlib.redirect_stdout(io.StringIO()):
        domains, description = Path(folder, "domains.json"), Path(folder, "description.json")
        domains.write_text(json.dumps({name: list(range(size)) for name, size in sizes.items()}))
        with clock.phase("fit"):
            describer = DataDescriber(category_threshold=max(sizes.values()) + 1)
            describer.describe_dataset_in_correlated_attribute_mode(
                dataset_file=str(options.codes),
                k=options.settings.get("degree", 2),
                epsilon=options.epsilon,
                attribute_to_datatype=dict.fromkeys(sizes, "Integer"),
                attribute_to_is_categorical=dict.fromkeys(sizes, True),
                attribute_to_is_candidate_key=dict.fromkeys(sizes, False),
                categorical_attribute_domain_file=str(domains),
                seed=options.seed,
            )
            describer.save_dataset_description_to_file(str(description))
        with clock.phase("sample"):
            generator = DataGenerator()
            generator.generate_dataset_in_correlated_attribute_mode(options.rows, str(description), seed=options.seed)
        generator.synthetic_dataset[list(sizes)].astype(int).to_csv(options.out, index=False)
    write_report(options.report, package="DataSynthesizer", clock=clock, privacy=PRIVACY)


if __name__ == "__main__":
    main()
