import math

import numpy as np

from dalenius.audit.encode import OutcomeEncoder, Outputs
from dalenius.audit.features import features, granularity


def of(outputs):
    read = Outputs.read(outputs)
    return features(OutcomeEncoder.fit(read, read)(read))


def test_granularity_is_the_exponent_of_the_lowest_set_bit():
    values = np.array([[1.0, 0.5, 0.75, 6.0, -3.0, 2.0**-60 + 2.0**-70, 0.1]])
    assert granularity(values)[0].tolist() == [0, -1, -2, 1, 0, -70, -55]
    assert np.isnan(granularity(np.array([[0.0, math.nan, math.inf]]))).all()
    assert granularity(np.array([[5e-324]]))[0, 0] == -1074


def test_vectors_have_sums_extremes_and_differences():
    found = of([[1.0, -2.0, 3.5, 0.5], [0.0, 0.0, 0.0, 0.0]])
    assert found["sum"].tolist() == [3, 0]
    assert found["first half minus second"].tolist() == [-5, 0]
    assert found["largest"][0] == 3.5
    assert found["place of largest"][0] == 2
    assert found["how many above 0"].tolist() == [3, 0]
    assert found["first above 0"].tolist() == [0, 4]
    assert found["largest minus second"][0] == 2.5
    assert found["lowest bit of all"][0] == -1


def test_missing_coordinates_are_no_trouble():
    found = of([[1.0], [1.0, 2.0], [], [math.nan, math.inf]])
    assert found["how many numbers"].tolist() == [1, 2, 0, 1]
    assert found["sum"][:3].tolist() == [1, 3, 0]
    assert of(["a", None])["output"][0] == 1
