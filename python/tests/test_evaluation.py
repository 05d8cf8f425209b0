"""The table and the verdict of an evaluation."""

from __future__ import annotations

import json

import pandas as pd
import pytest

import isoloss


@pytest.fixture(scope="module")
def evaluation(found):
    return found.evaluation


def test_the_table_has_the_numbers_of_the_file(found, evaluation):
    details = json.loads((found.folder / "evaluation.json").read_text(encoding="utf-8"))
    assert isinstance(evaluation, pd.DataFrame)
    assert isinstance(evaluation, isoloss.Evaluation)
    assert list(evaluation.index) == [(0.5, 1), (0.5, 2)]
    for cell in details["cells"]:
        row = evaluation.loc[(cell["radius"], cell["factors"])]
        assert row[("output", "p95")] == cell["output"]["p95"]
        assert row[("motion", "p50")] == cell["motion"]["p50"]
    assert evaluation.tolerances.loc["output", "value"] == details["tolerances"]["output"]["value"]


def test_a_short_fit_does_not_fit_and_says_what_it_misses(evaluation):
    assert not evaluation.fits
    missed = [name for name, met in evaluation.tolerances["met"].items() if not met]
    assert missed
    assert evaluation.verdict.startswith("does not fit")
    for name in missed:
        assert name.replace("_", " ") in evaluation.verdict


def test_the_verdict_follows_the_values(evaluation):
    copy = isoloss.Evaluation(evaluation)
    copy.details = json.loads(json.dumps(evaluation.details))
    for one in copy.details["tolerances"].values():
        one["met"] = True
    copy.details["fit"] = True
    assert copy.fits
    assert copy.verdict == f"fits: all {len(copy.details['tolerances'])} tolerances are met"
    copy.details["fit"], copy.details["non_finite"] = False, ["output"]
    assert copy.verdict == "does not fit: not finite in output"


def test_a_notebook_draws_it(found, evaluation):
    drawn = found._repr_html_()
    assert evaluation.verdict.replace("<", "&lt;") in drawn or "does not fit" in drawn
    assert "<svg" in drawn
    assert "<table" in evaluation._repr_html_()
