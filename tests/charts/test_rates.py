import pytest

from dalenius.charts import error_by_rows, save
from dalenius.charts.rates import exponent
from dalenius.errors import InvalidParameter

FOUND = {
    "gradient": {n: [0.5 / n, 1 / n, 9 / n] for n in (100, 1000, 10_000)},
    "loss": {n: [n**-0.5] for n in (100, 1000, 10_000)},
}


def test_powers_are_told_and_medians_drawn():
    drawn = error_by_rows(FOUND).to_dict()
    assert drawn["layer"][0]["encoding"]["color"]["scale"]["domain"] == ["gradient: n^−1.00", "loss: n^−0.50"]
    assert drawn["data"]["values"][0] == {"rows": 100, "error": 0.01, "name": "gradient: n^−1.00"}
    assert exponent({1: 8.0, 2: 1.0}) == pytest.approx(-3)


def test_it_is_a_picture(tmp_path):
    assert save(error_by_rows(FOUND, "x"), tmp_path / "x.png").read_bytes()[:4] == b"\x89PNG"


@pytest.mark.parametrize("wrong", [{}, {"a": {1: [1.0]}}, {"a": {1: [1.0], 2: [0.0]}}, {"a": {0: [1.0], 2: [1.0]}}])
def test_what_has_no_slope_is_refused(wrong):
    with pytest.raises(InvalidParameter):
        error_by_rows(wrong)
