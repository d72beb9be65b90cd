import numpy as np
import pytest
from flint import arb

from dalenius.errors import InvalidParameter
from dalenius.learning.sums.class_weights import ClassWeighted, class_shares
from dalenius.learning.sums.loss_bounds import Logistic, Softmax, StatedLoss


@pytest.mark.parametrize("loss", [Logistic(), Softmax(3)], ids=repr)
def test_a_class_counts_by_its_share_in_all_that_a_loss_says(loss):
    shares = (1.0, 0.25, 0.5)
    made = ClassWeighted(loss, shares)
    assert isinstance(made, StatedLoss)
    margins = np.random.default_rng(0).normal(size=(3, loss.outputs))
    for k in range(2 if loss.outputs == 1 else 3):
        target = np.full(3, float(k))
        for name in ("values", "slopes"):
            assert getattr(made, name)(margins, target) == pytest.approx(
                shares[k] * getattr(loss, name)(margins, target)
            )
        assert made.bend(margins, target, margins) == pytest.approx(shares[k] * loss.bend(margins, target, margins))
        exact = made.enclosed([arb(float(m)) for m in margins[0]], float(k))
        assert [float(v.mid()) for v in exact] == pytest.approx(made.slopes(margins, target)[0].tolist())
    assert not made.slopes(margins, np.full(3, np.nan)).any()
    assert made.gradient == loss.gradient


def test_shares_are_parts_of_the_largest_and_undeclared_classes_weigh_one():
    assert class_shares(None, (0, 1)) is None
    assert class_shares({1: 4}, (0, 1)) == ((0.25, 1.0), 4.0)
    for wrong in ("balanced", {2: 1}, {0: 0}, {0: "a"}, {0: True}, {0: 1e9}):
        with pytest.raises(InvalidParameter):
            class_shares(wrong, (0, 1))
