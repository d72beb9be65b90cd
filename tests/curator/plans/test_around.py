from fractions import Fraction

import pytest

from dalenius.curator import Blockwise, HashedBlocks, Measure, Sampled
from dalenius.guarantees import PoissonSampling
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.queries import Contributions, Count, Keys

CITIES = Keys("city", ["Oslo", "Rome"])
WHO = Unit("who")
INNER = Measure(Count(CITIES, Contributions("who", 2)), Geometric(Fraction(2**21)), WHO, "people")


@pytest.mark.parametrize(
    "outer",
    [Sampled(INNER, PoissonSampling(Fraction(1, 4))), Blockwise(INNER, HashedBlocks("thirds", 3), ("0 of 3",))],
    ids=["sampled", "blockwise"],
)
def test_a_plan_around_another_has_its_people_keys_and_columns(outer):
    assert (outer.unit, outer.keys, outer.names) == (WHO, CITIES, ("people",))
    assert outer.fingerprint != INNER.fingerprint
