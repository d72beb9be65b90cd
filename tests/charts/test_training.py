import math

import pytest

from dalenius.charts import save, training
from dalenius.errors import InvalidParameter


def test_both_curves_show_what_was_given():
    drawn = training([(1, 2.5, 0.5), (2, math.nan, 0.7), (3, 1.25, "0.8")], delta="1e-5").to_dict()
    first, second = drawn["layer"]
    assert drawn["data"]["values"] == [
        {"step": 1, "loss": 2.5, "epsilon": 0.5},
        {"step": 2, "loss": None, "epsilon": 0.7},
        {"step": 3, "loss": 1.25, "epsilon": 0.8},
    ]
    assert (first["encoding"]["y"]["field"], second["encoding"]["y"]["field"]) == ("loss", "epsilon")
    assert second["encoding"]["y"]["title"] == "ε spent at δ = 1e-5, at most"
    assert drawn["resolve"] == {"scale": {"y": "independent"}}


def test_it_is_a_picture(tmp_path):
    found = save(training([(step, 3 / step, step**0.5) for step in range(1, 20)]), tmp_path / "x.png").read_bytes()
    assert found[:4] == b"\x89PNG"


@pytest.mark.parametrize("wrong", [[], [(1, 1, 2), (2, 1, 1)], [(1, 1, math.inf)], [(1, 1, -1)]])
def test_a_budget_that_falls_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        training(wrong)
