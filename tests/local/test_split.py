from fractions import Fraction

import numpy as np
import pytest

from dalenius.errors import InvalidParameter
from dalenius.local.oracles import HadamardResponse, KAryResponse
from dalenius.local.split import Split
from dalenius.noise import Bits


def test_each_report_answers_one_part_and_parts_are_read_apart():
    split = Split((KAryResponse(3, Fraction(3)), HadamardResponse(600, Fraction(3))))
    n = 20_000
    payloads = split.randomize_many(np.array([np.full(n, 2), np.full(n, 599)]), Bits())
    assert split.valid(payloads).all()
    (first, shares), (second, others) = split.shares(split.tally(payloads))
    assert first + second == n
    assert abs(first - n / 2) < 6.2 * (n / 4) ** 0.5
    assert shares[2] == pytest.approx(1, abs=0.1)
    assert others[599] == pytest.approx(1, abs=0.1)
    assert {len(split.randomize([0, 0], Bits())) for _ in range(50)} == {split.width} == {3}
    broken = payloads[:3].copy()
    broken[:, 0] = [2, 0, 0]
    broken[1:, 1:] = [[1, 9], [7, 0]]  # padding that is not zero, a code that does not exist
    assert not split.valid(broken).any()
    with pytest.raises(InvalidParameter):
        Split(())
