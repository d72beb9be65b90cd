import math

import pytest

from dalenius.charts import accuracy_by_epsilon, save
from dalenius.errors import InvalidParameter

FOUND = {"one": {1: [0.8, 0.9], "0.1": [0.5] * 5}, "two": {1.0: [0.7], 0.1: [0.6]}}


def test_means_and_bands_are_drawn_in_order_of_epsilon():
    drawn = accuracy_by_epsilon(FOUND, plain=0.95).to_dict()
    values = drawn["datasets"] if "datasets" in drawn else drawn["layer"][0]["data"]["values"]
    assert [(row["name"], row["epsilon"], row["score"]) for row in values] == [
        ("one", 0.1, 0.5),
        ("one", 1.0, pytest.approx(0.85)),
        ("two", 0.1, 0.6),
        ("two", 1.0, 0.7),
    ]
    assert all(row["low"] <= row["score"] <= row["high"] for row in values)
    assert len(drawn["layer"]) == 4
    assert len(accuracy_by_epsilon(FOUND).to_dict()["layer"]) == 3


def test_it_is_a_picture(tmp_path):
    assert save(accuracy_by_epsilon(FOUND, plain=0.95), tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("wrong", [{}, {"a": {1: []}}, {"a": {0: [1.0]}}, {"a": {1: [math.nan]}}])
def test_what_cannot_be_drawn_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        accuracy_by_epsilon(wrong)
