import pytest

from dalenius.charts import privacy_profile
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, PureDP


def test_the_curve_is_the_guarantee_s_own():
    rows = privacy_profile({"a": GDP(1)}, epsilons=[0.0, 1.0, 2.0]).to_dict()["data"]["values"]
    assert [row["delta"] for row in rows] == [GDP(1).delta(epsilon) for epsilon in (0.0, 1.0, 2.0)]


def test_without_a_grid_it_runs_to_where_delta_is_negligible():
    rows = privacy_profile(PureDP(1)).to_dict()["data"]["values"]
    assert rows[0]["epsilon"] == 0
    assert 0.95 < rows[-1]["epsilon"] <= 1


@pytest.mark.parametrize("arguments", [({},), (PureDP(1), [])])
def test_nothing_to_draw_is_refused(arguments):
    with pytest.raises(InvalidParameter):
        privacy_profile(*arguments)
