"""A small table of people with its schema, for runs that take a second."""

import numpy as np
import pandas as pd

SCHEMA = {
    "name": "people",
    "fields": [
        {"name": "sex", "type": "string", "categories": ["Female", "Male"]},
        {"name": "age", "type": "integer", "constraints": {"minimum": 0, "maximum": 79}, "bins": 8},
        {"name": "smokes", "type": "boolean"},
        {
            "name": "job",
            "type": "string",
            "categories": ["none", "office", "field"],
            "constraints": {"required": False},
        },
    ],
}


def people(n=400):
    rng = np.random.default_rng(1)
    age = rng.integers(0, 80, n)
    return pd.DataFrame(
        {
            "sex": np.where(rng.random(n) < 0.5, "Female", "Male"),
            "age": age,
            "smokes": (rng.random(n) < 0.2) | (age > 60),
            "job": pd.Series(np.where(age > 65, "none", "office"), dtype=object).where(rng.random(n) > 0.1, None),
        }
    )
