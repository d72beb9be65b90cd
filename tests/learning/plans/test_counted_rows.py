from fractions import Fraction

import numpy as np
import pytest

from dalenius.learning.data.box import Box
from dalenius.learning.data.rows import Rows
from dalenius.learning.data.targets import Span
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.budget import FitBudget
from dalenius.learning.plans.counted_rows import CountedRows
from dalenius.learning.plans.noisy_moments import NoisyMoments
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation
from dalenius.noise import Bits

BOX, SPAN = Box.declare((-1, 1), 2), Span.declare((-1, 1))


def plan(delta, added, seen=None):
    def make(rows, left):
        if seen is not None:
            seen.append((rows, left))
        return NoisyMoments(BOX, SPAN, left, True, (), rows)

    return CountedRows(FitBudget.of(1, delta, Relation.ADD_REMOVE), (), make, added)


@pytest.mark.parametrize(("delta", "added"), [(0, False), (1e-6, False), (1e-6, True)])
def test_count_and_fit_together_cost_what_was_asked(delta, added):
    seen = []
    made = plan(delta, added, seen)
    made.run(Rows(np.zeros((5000, 2)), np.zeros(5000)), Bits())
    rows, left = seen[-1]
    assert 1 <= rows < 10_000  # 5000 and noise of scale 50, or deviation below 40: a hundred of them away
    assert made.guarantee.sum_form == (1, Fraction(delta).limit_denominator(10**9))
    if added:
        assert left.epsilon + Fraction(1, 50) == 1
        assert left.part == 1
    else:
        assert left.part == Fraction(49, 50)
    assert made.facts()["method"] == "count, then noisy moments"


def test_the_count_is_drawn_at_its_share(monkeypatch):
    drawn, real = [], Geometric.release

    def watched(self, answer, bits):
        drawn.append((self.scale, int(answer[0])))
        return real(self, answer, bits)

    monkeypatch.setattr(Geometric, "release", watched)
    plan(1e-6, True).run(Rows(np.zeros((7, 2)), np.zeros(7)), Bits())
    weights = WeightedRows(np.zeros((7, 2)), np.zeros(7), np.full(7, 0.5), "who", 2.0)
    plan(1e-6, True).run(weights, Bits())
    assert drawn == [(50, 7), (50, 3)]
