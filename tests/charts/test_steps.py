import pytest

from dalenius.charts import epsilon_by_steps
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP


def test_each_point_is_a_repetition():
    rows = epsilon_by_steps(GDP(0.1), 10, 1e-6).to_dict()["data"]["values"]
    assert [row["steps"] for row in rows] == list(range(1, 11))
    assert rows[-1]["epsilon"] == GDP(0.1).repeat(10).epsilon(1e-6)


@pytest.mark.parametrize("steps", [0, -1, 1.5, True])
def test_bad_counts_are_refused(steps):
    with pytest.raises(InvalidParameter, match="steps must be"):
        epsilon_by_steps(GDP(0.1), steps, 1e-6)
