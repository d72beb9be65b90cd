import numpy as np
import pytest

from dalenius.curator import Curator
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.ledger import Ledger
from dalenius.synthesis import compare, fit


def held(folder, analyst=None):
    rng = np.random.default_rng(0)
    a = rng.integers(0, 3, 3000)
    data = {"a": a, "b": (a + rng.integers(0, 2, 3000)) % 3, "c": rng.integers(0, 4, 3000)}
    ledger = Ledger.open(folder / "c.ledger")
    ledger.create("d", epsilon=20, delta="1e-4", unit="row")
    keys = {"a": range(3), "b": range(3), "c": range(4)}
    return Curator(data, unit="row", ledger=ledger, dataset="d", keys=keys, analyst=analyst), data


@pytest.mark.parametrize("target", [None, "b"])
def test_distances_are_those_of_the_rows_within_their_intervals(tmp_path, target):
    """Joint intervals of some tables at 1 − 1e-9 / 10; the copy is compared with the rows themselves."""
    db, data = held(tmp_path)
    copy = fit(db, epsilon=1, delta="1e-6", nulls=[], target=target)
    made = copy.sample().columns
    told = compare(db, copy, epsilon=2, delta="1e-6")
    table = told.table(1 - 1e-10)
    for names, low, high in zip(told.columns, table["distance_lower"], table["distance_upper"], strict=True):
        sizes = [4 if name == "c" else 3 for name in names]
        real, ours = (
            np.bincount(
                np.ravel_multi_index([np.asarray(rows[name]) for name in names], sizes), minlength=int(np.prod(sizes))
            )
            for rows in (data, made)
        )
        assert low <= np.abs(real - ours).sum() / 2 / copy.rows <= high
        assert high - low < 0.05
    assert "mean distance" in repr(told)
    assert len(told.to_pandas()) == len(told.columns)


def test_the_view_is_paid_and_for_the_owner_alone(tmp_path):
    db, _ = held(tmp_path)
    copy = fit(db, epsilon=1, delta="1e-6")
    before = db.budget.epsilon
    compare(db, copy, epsilon=1)
    assert db.budget.epsilon < before
    with pytest.raises(InvalidParameter):
        compare(db, db, epsilon=1)
    other = Curator({"a": [1]}, unit="row", ledger=db.ledger, dataset="d", analyst="ann")
    with pytest.raises(UnprovenClaim, match="owner"):
        compare(other, copy, epsilon=1)
