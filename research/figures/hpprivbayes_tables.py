"""HPPrivBayes, Tables 1 and 2: the table as it is here."""

from __future__ import annotations

from research._experiment import Experiment, Panel, Run, Scale
from research.figures._hp import DATASET

# the columns in the order of the paper's tables
_COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
)
_VALUES = "values"


def _runs(scale: Scale) -> list[Run]:
    """One: there is no chance in it."""
    return [
        Run(
            series="here",
            x=0.0,
            seed=0,
            task="column sizes",
            params={"dataset": DATASET, "names": list(_COLUMNS)},
            places={f"values {i}": (_VALUES, float(i)) for i in range(1, len(_COLUMNS) + 1)},
        )
    ]


EXPERIMENT = Experiment(
    name="hpprivbayes-tables",
    paper="HPPrivBayes",
    where="Tables 1 and 2",
    title="Adult as it is here: values of its columns, in the order of the paper's tables",
    x="column",
    log_x=False,
    datasets=(DATASET,),
    runs=_runs,
    panels=(Panel(title="Table 2", measure=_VALUES, y="values after discretisation", joined=False),),
    quick_seeds=1,
    full_seeds=1,
)
