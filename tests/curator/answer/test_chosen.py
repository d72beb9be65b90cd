import math
from fractions import Fraction

import pytest

from dalenius.curator import Chosen, Outcome
from dalenius.curator.release import released
from dalenius.errors import UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.neighbors import Unit

MEDIAN = Chosen("median", (37.5,), "quantile", 1024, Fraction(20), "ranks")
MODE = Chosen("mode", ("food",), "exponential", 4, Fraction(2), "rows")


@pytest.mark.theorem("A Thm 7.2")
def test_accuracy_is_the_utility_bound():
    assert MEDIAN.accuracy(0.05) == pytest.approx(20 * math.log(1024 / 0.05), rel=1e-12)
    assert MEDIAN.accuracy(0.05) >= 20 * math.log(1024 / 0.05)
    assert MEDIAN.accuracy(0.05, 3) == pytest.approx(20 * math.log(3 * 1024 / 0.05), rel=1e-12)


def test_a_choice_without_a_bound_has_an_infinite_error():
    assert Chosen("k", ("a",), "partition selection", 1, None, "units").accuracy(0.05) == math.inf


@pytest.mark.parametrize("choice", [MEDIAN, MODE])
def test_it_comes_back_from_json(choice):
    assert Chosen.from_dict(choice.to_dict()) == choice
    assert Outcome.from_dict(Outcome((choice,)).to_dict()) == Outcome((choice,))


def test_its_release_tells_the_error_in_its_own_words_and_refuses_an_interval():
    release = released(Outcome((MEDIAN,)), Receipt("people", PureDP(1), Unit.row(), "ab", 1))
    assert repr(release).startswith("37.500 ± 198.545 (ranks, 95 %)")
    with pytest.raises(UnprovenClaim, match="ranks"):
        release.interval(0.95)
