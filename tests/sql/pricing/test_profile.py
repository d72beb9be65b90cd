import math
import re

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.ledger import PROFILE
from dalenius.neighbors import Relation, Unit
from dalenius.sql import Policy
from dalenius.sql.engine import DuckDB
from dalenius.sql.pricing.profile import MOST_COLUMNS, profile_parts

ROWS = {"who": [1, 1, 2, 3, 3, 3, None], "x": [5.0, -1.0, 11.0, None, float("nan"), float("inf"), 99.0], "y": [1] * 7}


def connect(tmp_path, **terms):
    declared = {"unit": "who", "bounds": {"x": (0, 10), "y": (0, 1)}, "budget": {"epsilon": 1000}} | terms
    return dalenius.connect(pa.table(ROWS), table="t", ledger=tmp_path / "l", **declared)


def exact(db, columns=None):
    parts = profile_parts(db.policy, 1, columns)
    return [part.query.evaluate(db._engine).tolist() for part in parts]


def test_people_are_counted_once_on_each_side_and_rows_of_nobody_never(tmp_path):
    """By hand: 1 has −1, 2 has 11, 3 has ∞; NULL and NaN lie nowhere, and 99 is nobody's."""
    rows, values = exact(connect(tmp_path))
    assert rows[:3] == [1, 1, 1]
    assert sum(rows) == 3
    assert values == [1, 2, 0, 0]


def test_infinity_that_is_null_lies_nowhere_and_a_fill_lies_where_it_is(tmp_path):
    assert exact(connect(tmp_path, columns=None, fill={"x": 50}))[1][:2] == [1, 2]
    policy = Policy.declare("t", {"who": "BIGINT", "x": "DOUBLE"}, unit="who", bounds={"x": (0, 10)}, infinity="null")
    engine = connect(tmp_path)._engine
    assert profile_parts(policy, 1)[1].query.evaluate(engine).tolist() == [1, 1]


@pytest.mark.parametrize(
    ("unit", "relation", "moved"), [("who", Relation.ADD_REMOVE, 4), ("row", Relation.ADD_REMOVE, 2)]
)
def test_a_unit_moves_each_number_by_one(tmp_path, unit, relation, moved):
    db = connect(tmp_path, unit=unit)
    query = profile_parts(db.policy, 1)[-1].query
    assert query.sensitivity(Unit.of(unit, relation)).value == moved


def test_no_unit_moves_the_numbers_further_than_is_said(tmp_path):
    """Every unit that can come: none, one or both sides of both columns."""
    db = connect(tmp_path)
    query = profile_parts(db.policy, 1)[1].query
    before = query.evaluate(db._engine)
    for x in ([-1.0], [11.0], [-1.0, 11.0] * 50):
        for y in (-1, 2):
            more = {"who": [*ROWS["who"], *([7] * len(x))], "x": [*ROWS["x"], *x], "y": [*ROWS["y"], *([y] * len(x))]}
            after = query.evaluate(DuckDB(pa.table(more), table="t"))
            assert abs(after - before).sum() <= 4


def test_a_profile_is_bought_once_labelled_and_read_by_everyone_for_nothing(tmp_path):
    db = connect(tmp_path)
    assert "no profile" in str(db.profile())
    bought = db.profile(epsilon=100)
    assert db.budget.epsilon == 900
    assert [entry.label for entry in db.ledger.entries("t")] == [PROFILE, PROFILE]
    assert str(db.profile(epsilon=100)) == str(bought)
    assert db.budget.epsilon == 900
    assert bought.rows[1] == 1
    assert bought.outside == {"x": (1, 2), "y": (0, 0)}
    assert "x: about 1 person has values below its bounds, 2 above" in str(bought)
    db.ledger.share("t", "ada", 5)
    other = connect(tmp_path, budget=None, analyst="ada")
    assert other.profile().rows == bought.rows
    assert other.sql("SELECT COUNT(*) AS n FROM t", epsilon=5).value is not None  # T is read from the profile


def test_columns_are_those_with_limits_or_those_named(tmp_path):
    db = connect(tmp_path, limits={"y": (0, 5)})
    assert profile_parts(db.policy, 1)[1].query.columns == ("y below", "y above")
    assert profile_parts(db.policy, 1, ["X"])[1].query.columns == ("x below", "x above")


def test_what_cannot_be_profiled_is_refused_before_the_charge(tmp_path):
    db = connect(tmp_path)
    for bad in ({"columns": ["who"]}, {"columns": ["z"]}, {"epsilon": 0}, {"epsilon": "x"}):
        with pytest.raises(dalenius.errors.DaleniusError):
            db.profile(**{"epsilon": 1} | bad)
    with pytest.raises(BudgetExceeded):
        db.profile(epsilon=1001)
    assert db.budget.epsilon == 1000
    wide = {f"c{i}": "DOUBLE" for i in range(MOST_COLUMNS + 1)}
    policy = Policy.declare("t", {"who": "BIGINT"} | wide, unit="who", bounds=dict.fromkeys(wide, (0, 1)))
    with pytest.raises(InvalidParameter, match="would be noise"):
        profile_parts(policy, 1)
    with pytest.raises(InvalidParameter, match="nothing to profile"):
        profile_parts(Policy.declare("t", {"who": "BIGINT"}, unit="row"), 1)


def test_a_profile_is_shown_with_its_error(tmp_path):
    """The radius of the geometric mechanism at scale 1/ε for the rows, by its closed form."""
    told = str(connect(tmp_path, contributions=None, rows_per_unit="many").profile(epsilon=2))
    decay = math.exp(-1)  # half of the price, and a person is in one bin
    radius = next(r for r in range(99) if 2 * decay ** (r + 1) / (1 + decay) <= 0.05)
    assert f"  ± {radius} people in each of these, 95 % of the time" in told
    assert re.search(r"  x: about .* above, ± \d+$", told, re.MULTILINE)
