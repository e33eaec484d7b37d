"""HPPrivBayes, Tables 1 and 2: the table as it is here."""

from __future__ import annotations

from research._experiment import Cell, Experiment, Run, Scale
from research.figures._hp import DATASET

PRINTED_ROWS = 45_222
PRINTED_SIZES = {
    "age": 5,
    "workclass": 7,
    "fnlwgt": 7,
    "education": 16,
    "education-num": 5,
    "marital-status": 7,
    "occupation": 14,
    "relationship": 6,
    "race": 5,
    "sex": 2,
    "capital-gain": 6,
    "capital-loss": 2,
    "hours-per-week": 7,
    "native-country": 2,
}
"""Values after discretisation, in the order of Table 2."""
_VALUES, _HERE = "values", "here"


def _runs(scale: Scale) -> list[Run]:
    """One: there is no chance in it."""
    return [
        Run(
            series=_HERE,
            x=0.0,
            seed=0,
            task="column sizes",
            params={"dataset": DATASET, "names": list(PRINTED_SIZES)},
            places={f"values {i}": (_VALUES, float(i)) for i in range(1, len(PRINTED_SIZES) + 1)},
        )
    ]


EXPERIMENT = Experiment(
    name="hpprivbayes-tables",
    paper="HPPrivBayes",
    where="Tables 1 and 2",
    title="Adult as it is here: its rows, and the values of its columns after discretisation",
    x="column",
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(),
    cells={
        "rows": {"Adult": Cell(series=_HERE, measure="rows", x=0.0, printed=PRINTED_ROWS)},
        **{
            f"values of {name}": {"Adult": Cell(series=_HERE, measure=_VALUES, x=float(i), printed=size)}
            for i, (name, size) in enumerate(PRINTED_SIZES.items(), start=1)
        },
    },
    quick_seeds=1,
    full_seeds=1,
)
