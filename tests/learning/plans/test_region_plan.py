"""Regressions that are drawn from a public ball: what a ledger knows them by."""

from fractions import Fraction

import pytest

from dalenius.learning.data.box import Box
from dalenius.learning.data.targets import Span
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.pinball import PinballCells, PinballGradient, PinballLoss
from dalenius.learning.plans.region import Region
from dalenius.learning.plans.squared_gradient import SquaredGradient
from dalenius.learning.plans.squared_loss import SquaredLoss
from dalenius.learning.plans.squared_loss_l1 import SquaredLossL1
from dalenius.neighbors import Metric, Relation

RIDGE, LEVEL = Fraction(11, 2), Fraction(1, 4)
STORED = {
    SquaredLoss: "a9ade010ea6abcac964e223f24f75763f0e6f242941aa9b071b5c7e183a89ad1",
    SquaredLossL1: "b69e46d14a6a22e403f662d193dab58924c7e8c1217269b91e1640d982b9101b",
    SquaredGradient: "9a799a5425e8a99e51146caa73aa717e84a9051e45e45fc9e0ebc7cc61e84dc3",
    PinballCells: "47936761c2d3a695cb147a9422ae635ed775ba1f5be59e57dbb77b4b9124e93d",
    PinballGradient: "5b10fad889379272201c96136dad1f9341d346c0990c65c75745e6ea3ade5ffd",
    PinballLoss: "55b77dba59f1749bcefefac7fa3d273cd3db7d709b632429acd06d3c237ed691",
}
"""What ledgers hold of these fits since the form of their facts was fixed: a stored fit is found, and stays free."""


def plan(kind, relation=Relation.ADD_REMOVE):
    region = Region(Fraction(3, 2), Metric.L1 if kind is SquaredLossL1 else Metric.L2)
    last = RIDGE if "Squared" in kind.__name__ else LEVEL
    budget = FitBudget.of(1, 0, relation)
    return kind(Box.declare((-1, 1), 2), Span.declare((-1, 1)), budget, True, (), region, last)


@pytest.mark.parametrize("kind", STORED)
def test_a_stored_fit_is_found_by_the_same_fingerprint(kind):
    assert plan(kind).fingerprint == STORED[kind]


@pytest.mark.parametrize("kind", STORED)
def test_a_row_replaced_is_two_rows_moved(kind):
    assert plan(kind).moved_rows == 1
    assert plan(kind, Relation.CHANGE_ONE).moved_rows == 2
