import numpy as np
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnboundedQuery, UnprovenClaim, UnsupportedQuery


@pytest.fixture
def db(tmp_path):
    import pyarrow as pa

    rng = np.random.default_rng(0)
    sex = rng.choice(["F", "M"], 2000)
    age = np.where(sex == "F", 30, 60) + rng.integers(0, 5, 2000)
    table = pa.table({"who": np.arange(2000), "sex": sex, "age": age, "free": age * 1.5})
    return dalenius.connect(
        table,
        table="people",
        unit="who",
        contributions=1,
        budget={"epsilon": 5, "delta": "1e-5"},
        ledger=tmp_path / "s.ledger",
        bounds={"age": (0, 100)},
        keys={"sex": ["F", "M"]},
    )


def test_a_synthetic_table_is_made_once_and_asked_for_nothing(db):
    copy = db.sql("CREATE SYNTHETIC TABLE s AS SELECT sex, age FROM people", epsilon=3, delta="1e-6")
    left = db.budget
    assert db.synthetic_tables == ("s",)
    answer = db.sql("SELECT sex, AVG(age) AS mean FROM s WHERE sex IS NOT NULL GROUP BY sex ORDER BY sex")
    assert answer.value["sex"] == ["F", "M"]
    assert answer.value["mean"][0] == pytest.approx(32, abs=6)
    assert len(db.sql("SELECT * FROM synthetic.s").rows) == copy.rows
    assert db.budget == left
    assert "synthetic" in repr(answer)
    assert answer.to_arrow().schema.metadata == {b"dalenius": b"synthetic"}
    with pytest.raises(UnprovenClaim):
        answer.interval(0.95)
    again = db.sql("CREATE OR REPLACE SYNTHETIC TABLE s AS SELECT sex, age FROM people", epsilon=3, delta="1e-6")
    assert again.sample(5).columns == copy.sample(5).columns
    assert db.budget == left


def test_private_rows_are_out_of_reach_and_bad_statements_are_refused_for_nothing(db):
    before = db.budget
    with pytest.raises(UnboundedQuery):
        db.sql("CREATE SYNTHETIC TABLE s AS SELECT free FROM people", epsilon=1)
    with pytest.raises(InvalidParameter, match="price"):
        db.sql("CREATE SYNTHETIC TABLE s AS SELECT sex FROM people")
    with pytest.raises(InvalidParameter, match="another name"):
        db.sql("CREATE SYNTHETIC TABLE people AS SELECT sex FROM people", epsilon=1)
    assert db.budget == before
    db.sql("CREATE SYNTHETIC TABLE s AS SELECT * FROM people", epsilon=1)
    with pytest.raises(InvalidParameter, match="OR REPLACE"):
        db.sql("CREATE SYNTHETIC TABLE s AS SELECT sex FROM people", epsilon=1)
    with pytest.raises(InvalidParameter, match="no price"):
        db.sql("SELECT * FROM s", epsilon=1)
    for text in ("SELECT * FROM s JOIN people USING (sex)", "SELECT nothing FROM s", "SELECT * FROM s, 'file.csv'"):
        with pytest.raises(UnsupportedQuery):
            db.sql(text)
    assert db.sql("SELECT COUNT(*) AS n FROM people", epsilon=1).value is not None
