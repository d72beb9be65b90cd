import pytest

from dalenius.charts import reconstruction, reconstruction_threshold, save
from dalenius.errors import InvalidParameter


def test_each_attack_has_a_panel_that_says_how_much_it_got_right(tmp_path):
    chart = reconstruction({"exact": [0.0, 1.0, 0.9, 0.2], "private": [0.9, 0.1, 0.6, 0.2]}, [0, 1, 1, 0])
    told = chart.to_dict()
    assert [panel["title"] for panel in told["hconcat"]] == [
        "exact: 100% of the bits right",
        "private: 50% of the bits right",
    ]
    points = told["hconcat"][0]["layer"][1]["data"]["values"]
    assert [(row["person"], row["score"], row["bit"]) for row in points] == [
        (0, 0.0, "0"),
        (1, 1.0, "1"),
        (2, 0.9, "1"),
        (3, 0.2, "0"),
    ]
    assert save(chart, tmp_path / "attack.svg").read_text(encoding="utf-8").startswith("<svg")


def test_the_threshold_is_drawn_over_the_square_root():
    rows = [{"noise": 1, "ratio": 0.1, "agreement": 1.0}, {"noise": 20, "ratio": 2.0, "agreement": 0.6}]
    told = reconstruction_threshold(rows).to_dict()
    assert told["layer"][-1]["data"]["values"] == [
        {"ratio": 0.1, "agreement": 1.0},
        {"ratio": 2.0, "agreement": 0.6},
    ]
    assert told["layer"][-1]["encoding"]["x"]["scale"]["type"] == "log"


@pytest.mark.parametrize("wrong", [({}, [1]), ({"a": [1, 0]}, [1]), ({"a": []}, [])], ids=str)
def test_scores_that_do_not_fit_are_refused(wrong):
    with pytest.raises(InvalidParameter, match="score"):
        reconstruction(*wrong)


def test_a_threshold_needs_levels():
    for rows in ([], [{"ratio": 1, "agreement": 1}], [{"ratio": 0, "agreement": 1}] * 2):
        with pytest.raises(InvalidParameter, match="levels"):
            reconstruction_threshold(rows)
