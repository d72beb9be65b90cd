import math

import pyarrow as pa
import pytest

import dalenius
from dalenius.curator import with_ends
from dalenius.curator.answer.with_ends import finite


@pytest.fixture
def session(tmp_path):
    data = pa.table({"ward": ["a", "b"], "cost": [1.0, 2.0]})
    return dalenius.connect(
        data,
        table="t",
        unit="row",
        ledger=tmp_path / "x.ledger",
        budget={"epsilon": 10},
        keys={"ward": ["a", "b"]},
        bounds={"cost": (0, 10)},
    )


def test_a_number_is_followed_by_the_ends_of_its_interval_and_a_key_is_not(session):
    answer = session.sql("SELECT ward, COUNT(*) AS n FROM t GROUP BY ward", epsilon=1)
    columns = with_ends(answer.outcome, 0.9)
    assert list(columns) == ["ward", "n", "n_lower", "n_upper"]
    assert list(zip(columns["n_lower"], columns["n_upper"], strict=True)) == list(answer.interval(0.9)["n"])


def test_an_end_that_is_nowhere_is_none_and_not_infinity(session):
    answer = session.sql("SELECT AVG(cost) AS m FROM t", epsilon="0.001")
    ends = answer.interval(0.95)
    columns = with_ends(answer.outcome, 0.95)
    assert columns["m_lower"] == (None if math.isinf(ends[0]) else ends[0],)
    assert (finite(math.inf), finite(-math.inf), finite(1.5)) == (None, None, 1.5)
