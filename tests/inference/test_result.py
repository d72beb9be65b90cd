import pytest

from dalenius.errors import InvalidParameter
from dalenius.inference import Estimate, HypothesisTest
from dalenius.inference.result import checked_level, checked_rows

GIVEN = {
    **{"estimate": 0.25, "interval": (0.125, 0.5), "level": 0.95, "method": "exact sums", "coverage": "guaranteed"},
    **{"target": "population", "quantity": "proportion", "rows": 120, "privacy": "ε = 1 differential privacy"},
}


def test_the_sentence_says_all_that_a_reader_needs():
    sentence = Estimate(**GIVEN, limits=(0, 1)).sentence
    for words in ("0.25", "95 %", "0.125 to 0.5", "guaranteed", "population", "ε = 1", "120", "exact sums"):
        assert words in sentence
    clamped = Estimate(**(GIVEN | {"target": "clamped population"})).with_remark("One more thing.")
    assert "declared bounds" in clamped.sentence
    assert "One more thing." in clamped.sentence
    assert clamped.width == 0.375


def test_the_whole_range_says_that_it_is():
    whole = Estimate(**(GIVEN | {"interval": (0.0, 1.0)}), limits=(0.0, 1.0))
    assert whole.whole_range
    assert "whole range" in str(whole)
    assert not Estimate(**GIVEN, limits=(0.0, 1.0)).whole_range


def test_a_test_tells_its_p_value_and_is_rejected_at_a_level():
    found = HypothesisTest(0.03, 2.0, "p is 0.5", "another p", "exact sums", "guaranteed", "ε = 1")
    assert found.rejected()
    assert not found.rejected(0.01)
    assert "p = 0.030" in found.sentence
    assert "p < 0.001" in HypothesisTest(1e-5, 2.0, "a", "b", "c", "simulated", "d", "e").sentence
    assert "p = 0.03" in str(found)


@pytest.mark.parametrize("level", [0, 1, 2, "x", True])
def test_a_level_lies_inside(level):
    with pytest.raises(InvalidParameter):
        checked_level(level)


@pytest.mark.parametrize("rows", [0, -1, 2.5, True])
def test_rows_are_counted(rows):
    with pytest.raises(InvalidParameter):
        checked_rows(rows)
