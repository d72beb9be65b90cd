import math

import pytest

from dalenius.audit import exposure
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, ApproxDP, PureDP
from tests.noise.seeded import SeededBits


def test_little_budget_leaves_chance_and_much_gives_all():
    # 96 random bits: 0.77 or more right by chance has probability below 1e-7
    small = exposure(PureDP(1), bits=SeededBits(1))
    assert small.agreement < 0.77
    assert small.cap == pytest.approx(math.e / (1 + math.e), abs=1e-6)
    assert exposure(PureDP(2000), people=40, bits=SeededBits(1)).agreement == 1
    assert "of the bits rebuilt" in str(small)


def test_every_notion_with_a_budget_is_simulated():
    for guarantee in (ZCDP("0.5"), GDP(1), ApproxDP(1, 1e-6)):
        assert 0.2 < exposure(guarantee, people=30, bits=SeededBits(2)).agreement < 0.95


def test_a_plan_is_read_by_its_guarantee():
    class Plan:
        guarantee = PureDP(1)

    assert exposure(Plan(), people=10, queries=20).queries == 20
    for wrong in (3, PureDP(0)):
        with pytest.raises(InvalidParameter):
            exposure(wrong)
