import numpy as np
import pandas
import pytest

from dalenius.errors import InvalidParameter
from dalenius.learning.plans.folds import drawn_parts, noisy_hits, taken, whole
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Relation
from dalenius.noise import Bits


class Constant:
    def predict(self, X):
        return np.ones(len(X))


def test_every_part_is_drawn_alike():
    counts = np.bincount(drawn_parts(40_000, 4, Bits()), minlength=4)
    assert counts == pytest.approx(np.full(4, 10_000), abs=600)  # 6.9 standard deviations: a chance below 1e-10


@pytest.mark.parametrize(("relation", "scale"), [(Relation.ADD_REMOVE, 2), (Relation.CHANGE_ONE, 4)])
def test_hits_are_counted_with_the_noise_of_a_histogram(relation, scale, monkeypatch):
    seen = []
    monkeypatch.setattr(Geometric, "release", lambda self, a, bits: (seen.append(self.scale), a)[1])
    assert noisy_hits(Constant(), np.zeros((3, 1)), np.array([1, 0, "x"], object), "0.5", relation, Bits()) == (1, 2)
    assert seen == [scale]
    assert noisy_hits(Constant(), np.zeros((0, 1)), np.zeros(0), 1, relation, Bits()) == (0, 0)


def test_rows_of_frames_are_taken_too():
    mask = np.array([True, False, True])
    assert taken(pandas.DataFrame({"a": [1, 2, 3]}, index=[7, 8, 9]), mask)["a"].tolist() == [1, 3]
    assert taken(np.arange(3), mask).tolist() == [0, 2]
    with pytest.raises(InvalidParameter):
        whole(1.5, "folds", 2)
