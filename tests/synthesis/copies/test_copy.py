import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.statistics import count
from dalenius.synthesis import copy_of, fit


def curator_of(folder, rows=3000, **more):
    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], rows)
    age = np.where(sex == "F", rng.normal(30, 5, rows), rng.normal(60, 5, rows))
    data = {"sex": sex.astype(object), "age": age, "smokes": (rng.random(rows) < (age / 100)).astype(object)}
    ledger = Ledger.open(folder / "x.ledger")
    ledger.create("people", epsilon=10, delta="1e-4", unit="row")
    terms = {"keys": {"sex": ["F", "M"], "smokes": [False, True]}, "bounds": {"age": (0, 100)}}
    return Curator(data, unit="row", ledger=ledger, dataset="people", **(terms | more))


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    return fit(curator_of(tmp_path_factory.mktemp("copy")), epsilon=2, delta=1e-5, nulls=[])


def test_rows_of_the_copy_have_the_dependence_of_the_data(copy):
    frame = copy.sample().to_pandas()
    assert abs(len(frame) - 3000) < 200
    means = frame.groupby("sex").age.mean()
    assert means["F"] == pytest.approx(30, abs=4)
    assert means["M"] == pytest.approx(60, abs=4)
    assert set(frame.smokes) == {False, True}


def test_the_same_release_gives_the_same_copy_and_another_draw_other_rows(copy):
    again = copy_of(type(copy).from_dict(copy.to_dict()))
    assert again.sample(50).columns == copy.sample(50).columns
    assert copy.sample(50, draw=1).columns != copy.sample(50).columns
    assert copy.guarantee.epsilon(1e-5) <= 2 + 1e-6


def test_intervals_of_measured_cells_hold_the_exact_counts(copy):
    """95 % of 64 cells, jointly at a level that fails once in 1e9."""
    found = copy.marginal(["age", "sex"], level=1 - 1e-9 / 64)
    data = curator_of_data()
    exact = np.zeros((32, 2))
    np.add.at(exact, (np.clip(data["age"] * 32 / 100, 0, 31).astype(int), (data["sex"] == "M").astype(int)), 1)
    assert found.measured
    assert (found.lower <= exact).all()
    assert (exact <= found.upper).all()
    assert np.abs(found.counts - exact).max() > 0


def curator_of_data(rows=3000):
    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], rows)
    return {"sex": sex, "age": np.where(sex == "F", rng.normal(30, 5, rows), rng.normal(60, 5, rows))}


def test_error_is_told_for_every_table(copy):
    assert set(copy.accuracy(0.05)) == {"sex", "smokes", "age", "sex × smokes", "sex × age", "smokes × age"}
    assert len(copy.interval(0.95)["sex × smokes"]) == 4
    one, joint = copy.interval(0.95)["sex"][0], copy.interval(0.95, joint=True)["sex"][0]
    assert joint[0] < one[0] < one[1] < joint[1]
    assert "synthetic copy" in repr(copy)
    assert copy.bias is None
    assert list(copy.value) == ["sex", "smokes", "age"]


def test_other_releases_and_sizes_are_refused(copy, tmp_path):
    curator = curator_of(tmp_path)
    with pytest.raises(InvalidParameter, match="no tables"):
        copy_of(curator.release(count(epsilon=1, about=curator)))
    for rows in (-1, 2.5, True, 10**9):
        with pytest.raises(InvalidParameter, match="rows"):
            copy.sample(rows)
