import pytest

from dalenius import charts
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, PureDP


def test_the_loss_the_tradeoff_and_the_profile_stand_side_by_side():
    chart = charts.three_views({"Gaussian": GDP(1), "response": PureDP(1)}).to_dict()
    assert len(chart["hconcat"]) == 3
    titles = [str(panel.get("title", "")) for panel in chart["hconcat"]]
    assert "loss" in titles[0]
    assert "config" in chart
    assert all("config" not in panel for panel in chart["hconcat"])
    rows = chart["hconcat"][0]["data"]["values"]
    gaussian = [row for row in rows if row["name"] == "Gaussian"]
    width = gaussian[1]["loss"] - gaussian[0]["loss"]
    assert sum(row["density"] * width for row in gaussian) == pytest.approx(1, abs=1e-3)
    assert max(gaussian, key=lambda row: row["density"])["loss"] == pytest.approx(0.5, abs=0.1)


def test_a_notion_without_a_law_of_its_loss_is_refused():
    with pytest.raises(InvalidParameter, match="ZCDP has no law"):
        charts.three_views(ZCDP("0.1"))
