from collections import Counter

import pyarrow.compute as pc
import pyarrow.parquet as pq

from dalenius.datasets import PURCHASES_BOUNDS, PURCHASES_CONTRIBUTIONS, PURCHASES_KEYS, purchases, purchases_table

TABLE = purchases_table()


def test_the_table_is_the_same_every_time(tmp_path):
    assert purchases_table().equals(TABLE)
    place = purchases(tmp_path)
    assert place.name == "purchases.parquet"
    assert pq.read_table(place).equals(TABLE)


def test_most_people_have_few_rows_and_some_have_hundreds():
    rows = sorted(Counter(TABLE.column("user_id").to_pylist()).values())
    assert 100_000 < TABLE.num_rows < 500_000
    assert rows[len(rows) // 2] < 5
    assert rows[-1] > 5 * PURCHASES_CONTRIBUTIONS
    assert sum(min(n, PURCHASES_CONTRIBUTIONS) for n in rows) > 0.8 * sum(rows)


def test_the_declared_keys_and_bounds_fit_the_data():
    for name, keys in PURCHASES_KEYS.items():
        assert set(TABLE.column(name).unique().to_pylist()) == set(keys)
    low, high = PURCHASES_BOUNDS["amount"]
    assert pc.min(TABLE.column("amount")).as_py() > low
    assert pc.mean(pc.less_equal(TABLE.column("amount"), high)).as_py() > 0.95
    assert {day.year for day in TABLE.column("day").unique().to_pylist()} == {2025}


def test_no_chance_is_asked(monkeypatch):
    monkeypatch.setattr("os.urandom", lambda n: 1 / 0)
    assert purchases_table().num_rows == TABLE.num_rows
