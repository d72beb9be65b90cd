import pytest

from dalenius.charts import trade_off
from dalenius.charts.tradeoff import _supporting
from dalenius.guarantees import GDP, PureDP


def values_of(layer) -> list[dict]:
    return layer.to_dict()["data"]["values"]


def test_every_curve_is_the_guarantee_s_own():
    chart = trade_off({"pure": PureDP(1), "gauss": GDP(1)})
    rows = values_of(chart.layer[-1])
    assert {row["name"] for row in rows} == {"pure", "gauss"}
    for row in rows[::40]:
        guarantee = PureDP(1) if row["name"] == "pure" else GDP(1)
        assert row["beta"] == guarantee.beta(row["alpha"])


@pytest.mark.theorem("A Prop 13.8")
def test_supporting_lines_stay_below_the_curve():
    curve = GDP(1)
    for epsilon in (0.0, 0.5, 2.0):
        for left, right in _supporting(epsilon, curve.delta(epsilon)):
            for share in (0.0, 0.3, 0.7, 1.0):
                alpha = left["alpha"] + share * (right["alpha"] - left["alpha"])
                beta = left["beta"] + share * (right["beta"] - left["beta"])
                assert beta <= curve.beta(min(1.0, max(0.0, alpha))) + 1e-12


def test_lines_are_drawn_for_each_epsilon():
    assert len(trade_off(PureDP(1), epsilons=[0.5, 1.0]).layer) == 1 + 4 + 1
