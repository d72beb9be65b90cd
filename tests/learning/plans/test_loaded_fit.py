import numpy as np

from dalenius.learning.data.training_data import TrainingData
from dalenius.learning.data.weighted_rows import WeightedRows
from dalenius.learning.plans.loaded_fit import LoadedFit
from dalenius.noise import Bits
from tests.learning.adversary import FEATURES
from tests.learning.plans.test_noisy_moments import plan


def test_rows_are_read_when_it_runs_and_its_price_is_the_plan_s():
    read = []

    def load():
        read.append(1)
        return WeightedRows(np.zeros((2, FEATURES)), np.zeros(2), np.full(2, 0.5), "who")

    inner = plan(0)
    made = LoadedFit(inner, "SELECT 1")
    assert (made.guarantee, made.public, made.unit) == (inner.guarantee, inner.public, inner.unit)
    assert made.facts()["source"] == "SELECT 1"
    assert made.fingerprint != inner.fingerprint
    assert read == []
    found = made.run(TrainingData(load, ("a",) * FEATURES, "who", 1), Bits())
    assert read == [1]
    assert np.all(np.isfinite(found.notes["weights"]))
