from dalenius import charts


def drawn(chart):
    told = chart.to_dict()
    return [row["left"] for row in told["data"]["values"]]


def test_each_charge_takes_its_part_and_nothing_falls_below_zero():
    charges = [
        ("2026-01-01T00:00:00+00:00", 0.0),
        ("2026-01-02T00:00:00+00:00", 0.25),
        ("2026-01-03T00:00:00+00:00", 2),
    ]
    assert drawn(charts.burn_down(charges, 1.0)) == [1.0, 0.75, 0.0]


def test_it_is_a_picture_also_before_the_first_charge():
    text = charts.svg_text(charts.burn_down([("2026-01-01T00:00:00+00:00", 0.0)], 1.0))
    assert text.startswith("<svg")
    assert "What is left" in text
