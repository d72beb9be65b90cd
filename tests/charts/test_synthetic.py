import json

import numpy as np
import pytest

from dalenius import charts
from dalenius.curator import Curator
from dalenius.errors import InvalidParameter
from dalenius.ledger import Ledger
from dalenius.synthesis import compare, fit


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("charts")
    rng = np.random.default_rng(0)
    data = {"a": rng.integers(0, 3, 500), "b": rng.integers(0, 2, 500), "<b>": rng.integers(0, 2, 500)}
    ledger = Ledger.open(folder / "c.ledger")
    ledger.create("d", epsilon=20, delta="1e-4", unit="row")
    db = Curator(data, unit="row", ledger=ledger, dataset="d", keys={"a": range(3), "b": [0, 1], "<b>": [0, 1]})
    return db, fit(db, epsilon=2, delta="1e-6", nulls=[])


def test_a_marginal_shows_released_counts_with_ends_and_the_copy(made):
    rows = charts.copy_marginal(made[1], ["a", "b"]).to_dict()["data"]["values"]
    assert len(rows) == 6
    table = made[1].marginal(["a", "b"])
    assert rows[1]["released"] == table.counts[0, 1]
    assert rows[1]["lower"] == table.lower[0, 1]
    assert rows[1]["copy"] == table.modelled[0, 1]
    assert len(charts.copy_marginal(made[1], ["a"]).to_dict()["data"]["values"]) == 3


def test_quality_has_a_square_for_each_measured_table_and_no_name_acts(made):
    drawn = charts.copy_quality(made[1]).to_dict()
    assert len(drawn["data"]["values"]) == 9
    assert "<b>" not in json.dumps(drawn)


def test_the_owner_sees_distances(made):
    db, copy = made
    drawn = charts.copy_distance(compare(db, copy, epsilon=1)).to_dict()
    assert {row["one"] for row in drawn["data"]["values"]} >= {"a", "b"}


def test_what_cannot_be_drawn_is_refused(made):
    for columns in ([], "a", ["a", "b", "<b>"]):
        with pytest.raises(InvalidParameter):
            charts.copy_marginal(made[1], columns)
