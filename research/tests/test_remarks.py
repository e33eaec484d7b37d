"""Remarks are data: each belongs to an experiment, and none stands twice."""

from __future__ import annotations

import yaml

from research import EXPERIMENTS
from research._remarks import REMARKS, SHARED, remarks_on

DOCUMENT = yaml.safe_load(REMARKS.read_text(encoding="utf-8"))


def test_every_remark_belongs_to_an_experiment_that_exists():
    assert set(DOCUMENT) - {SHARED} <= set(EXPERIMENTS)
    assert all(isinstance(remark, str) and remark.strip() for remarks in DOCUMENT.values() for remark in remarks)


def test_a_remark_is_shared_where_several_experiments_have_it_and_only_there():
    users = [remark for name in EXPERIMENTS for remark in remarks_on(name)]
    assert {remark for remark in users if users.count(remark) > 1} == set(DOCUMENT[SHARED])


def test_an_experiment_without_remarks_has_none():
    assert remarks_on("no-such-experiment") == ()
