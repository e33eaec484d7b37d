"""Samples drawn on Spark: partitions with streams of their own, the same rows as anywhere else."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

import understudy as us
from tests.spark.session import gathered, shared_session
from understudy._core.errors import OptionError

FIELDS: list[dict[str, Any]] = [
    {"name": "sex", "categories": ["F", "M"], "constraints": {"required": False}},
    {"name": "age", "type": "integer", "bins": 4, "constraints": {"minimum": 0, "maximum": 99}},
    {"name": "pay", "type": "number", "bins": 3, "constraints": {"minimum": 0, "maximum": 1}},
    {"name": "born", "type": "date", "bins": 2, "constraints": {"minimum": "1950-01-01", "maximum": "1999-12-31"}},
    {"name": "ill", "type": "boolean"},
]
ROWS = pa.table(
    {
        "sex": ["F", "M", None, "M"] * 50,
        "age": list(range(100)) * 2,
        "pay": [i / 200 for i in range(200)],
        "born": [date(1960 + i % 30, 1, 1) for i in range(200)],
        "ill": [True, False] * 100,
    }
)


@pytest.fixture(scope="module")
def model() -> Any:
    return us.PrivBayes(epsilon=5).fit(ROWS, {"name": "people", "fields": FIELDS}).model_


def test_partitions_hold_the_parts_of_a_sample(model: Any) -> None:
    spark = shared_session()
    frame = model.sample_spark(spark, 1000, partitions=3, seed=7)
    parts = [batch for part in range(3) for batch in model.sample_part(part, 3, 1000, seed=7)]
    found = gathered(frame)
    assert found.to_pylist() == pa.Table.from_batches(parts).to_pylist()
    assert found == gathered(frame)  # as often as it is used
    women = model.sample_spark(spark, 10, where={"sex": "F"})
    assert gathered(women)["sex"].to_pylist() == ["F"] * 10


def test_workers_of_another_version_draw_nothing(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    spark = shared_session()
    monkeypatch.setattr("understudy.release._spark.version", lambda name: "9.9")
    with pytest.raises(Exception, match=r"a Spark worker has understudy .*, and the driver 9\.9"):
        gathered(model.sample_spark(spark, 10, partitions=1))


def test_what_cannot_be_drawn_is_refused_before_any_job(model: Any) -> None:
    spark = shared_session()
    with pytest.raises(OptionError, match="partitions"):
        model.sample_spark(spark, 10, partitions=0)
    with pytest.raises(OptionError, match="Got dict instead"):
        model.sample_spark({}, 10)
    with pytest.raises(OptionError, match="sexx"):
        model.sample_spark(spark, 10, where={"sexx": "F"})
