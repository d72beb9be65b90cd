from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnboundedQuery
from dalenius.neighbors import Relation, Sensitivity, Unit
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.pricing.sums_per_unit import sums_histogram

COLUMNS = {"who": "BIGINT", "x": "DOUBLE"}
BOUNDS = {"x": (-16, 16), "SUM(x)": "private"}


def histogram(rows, relation=Relation.ADD_REMOVE):
    policy = Policy.declare("t", COLUMNS, unit=Unit("who", relation), bounds=BOUNDS)
    who, x = zip(*rows, strict=True) if rows else ((), ())
    table = pa.table({"who": pa.array(who, pa.int64()), "x": pa.array(x, pa.float64())})
    query = sums_histogram(policy, "x", 1).query
    return query, query.evaluate(DuckDB(table, table="t"))


def bin_of(total):
    """The first power of two that sixteenths of 16, that is ones, are not above."""
    return next(power for power in range(18) if power == 17 or np.ceil(total) <= 2**power)


@pytest.mark.parametrize("total", [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 16.0, 17.0, 31.5])
def test_a_person_is_in_the_bin_of_what_their_rows_add_up_to(total):
    _, bins = histogram([(1, total / 2), (1, -total / 2), (None, 3.0)])
    assert bins.tolist() == [int(place == bin_of(total)) for place in range(18)]


@pytest.mark.theorem("A Ex 3.4")
def test_one_person_moves_one_bin_by_one():
    random = np.random.default_rng(5)
    rows = [(int(who), float(x)) for who, x in zip(random.integers(0, 9, 60), random.normal(0, 12, 60), strict=True)]
    rows += [(3, None), (4, float("nan")), (5, float("inf"))]
    query, every = histogram(rows)
    for person in range(9):
        _, without = histogram([row for row in rows if row[0] != person])
        assert np.abs(every - without).sum() <= 1
    assert query.sensitivity(Unit("who")) == Sensitivity(1, query.sensitivity(Unit("who")).metric)
    assert query.sensitivity(Unit("who", Relation.CHANGE_ONE)).value == 2


def test_a_column_without_bounds_has_no_histogram():
    policy = Policy.declare("t", COLUMNS, unit="who")
    with pytest.raises(UnboundedQuery, match="declare its bounds"):
        sums_histogram(policy, "x", 1)


@pytest.mark.parametrize("by", ["", "k"])
def test_the_bound_that_is_found_keeps_nearly_all_and_is_paid_once(tmp_path, by):
    """200 people spend 3 × 10: 30 is 480 sixteenths of 1, so 512 of them, 32, is the least end that cuts nothing."""
    frame = pa.table({"who": [i % 200 for i in range(600)], "k": ["ab"[i % 2] for i in range(600)], "x": [10.0] * 600})
    db = dalenius.connect(
        frame,
        table="t",
        unit="who",
        keys={"k": ["a", "b"]},
        bounds={"x": (0, 16), "SUM(x)": "private"},
        budget={"epsilon": 1000},
        ledger=tmp_path / "l",
    )
    query = f"SELECT {by + ', ' if by else ''}SUM(x) AS s FROM t" + (f" GROUP BY {by}" if by else "")
    assert "paid once and kept" in str(db.explain(query, epsilon=100))
    answer = db.sql(query, epsilon=100, profile=True)
    told = db.explain(query, epsilon=100)
    assert told.lines[0].sensitivity == Fraction(32)
    assert "held to 32, as a released histogram tells" in str(told)
    shown = [row[-1] for row in answer.rows] if by else [answer.value]
    assert sum(shown) == pytest.approx(6000, abs=32 * 60 / 100)  # e⁻³⁰ for each of the cells
    paid = len(db.ledger.entries("t"))
    db.sql(query, epsilon=101, profile=True)
    assert len(db.ledger.entries("t")) - paid == 1  # no second histogram
    assert "what SUM(x) of a who has beyond 32" in str(answer)


def test_one_person_s_sum_is_cut_at_the_declared_bound(tmp_path):
    frame = pa.table({"who": [1] * 1000 + [2], "x": [10.0] * 1001})
    db = dalenius.connect(
        frame,
        table="t",
        unit="who",
        bounds={"x": (0, 16), "SUM(x)": (0, 25)},
        budget={"epsilon": 10_000},
        ledger=tmp_path / "l",
    )
    assert db.sql("SELECT SUM(x) FROM t", epsilon=1000, profile=True).value == pytest.approx(35, abs=25 * 30 / 1000)
    assert len(db.ledger.entries("t")) == 1  # no histogram was needed
