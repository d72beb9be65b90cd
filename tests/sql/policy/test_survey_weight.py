from fractions import Fraction

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy
from dalenius.sql.policy_check import _public as public_terms
from dalenius.sql.views.description import columns_of

COLUMNS = {"who": "BIGINT", "w": "DOUBLE", "x": "DOUBLE", "town": "VARCHAR"}


def policy(weight, **terms):
    return Policy.declare("t", COLUMNS, unit="who", **{"bounds": {"x": (0, 10)}, **terms}, weight=weight)


def test_a_weight_is_held_from_0_to_the_largest():
    weight = policy({"column": "W", "most": 2.5}).weight
    assert weight.column == "w"
    assert weight.bounds == (0, Fraction(5, 2))


def test_a_policy_file_keeps_it(tmp_path):
    declared = policy({"column": "w", "most": 40})
    declared.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml").weight == declared.weight


@pytest.mark.parametrize(
    ("weight", "refusal"),
    [
        ("w", "weight is told by name"),
        ({"column": "w"}, "the column, and the largest weight that counts"),
        ({"column": "w", "most": 0}, "must lie above 0"),
        ({"column": "w", "most": -3}, "must lie above 0"),
        ({"column": "w", "most": 1e101}, "up to 1e100"),
        ({"column": "town", "most": 3}, "a weight is a number"),
        ({"column": "who", "most": 3}, "a weight is a number"),
    ],
)
def test_what_is_no_weight_is_refused(weight, refusal):
    with pytest.raises(InvalidParameter, match=refusal):
        policy(weight)


def test_a_column_that_is_not_there_is_refused():
    with pytest.raises(UnknownName, match="has no column 'v'"):
        policy({"column": "v", "most": 3})


@pytest.mark.parametrize(
    "terms", [{"most_rows": 9}, {"limits": {"x": (0, 99)}}, {"bounds": {"x": (0, 10), "SUM(x)": (0, 99)}}]
)
def test_terms_that_speak_of_rows_without_weights_are_refused_beside_it(terms):
    with pytest.raises(InvalidParameter, match="leave them out beside weight"):
        policy({"column": "w", "most": 3}, **terms)


def test_the_owner_and_analysts_are_told():
    declared = policy({"column": "w", "most": 40})
    assert any("each row counts by the weight w, held from 0 to 40" in line for line in public_terms(declared))
    described = columns_of("t", declared, {}).table
    assert described["about"][described["column"].index("w")] == "survey weight, held from 0 to 40"


def test_an_answer_is_of_the_population_and_says_what_its_noise_leaves_out(tmp_path):
    """400 people of weight 25, of whom 100 have one beyond the largest: 300·25 + 100·30 in the population."""
    size = 400
    rows = {
        "who": range(size),
        "w": [25.0 if place < 300 else 70.0 for place in range(size)],
        "x": [float(place < 300) for place in range(size)],
    }
    db = dalenius.connect(
        pa.table(rows),
        table="t",
        unit="who",
        contributions=1,
        bounds={"x": (0, 1)},
        weight={"column": "w", "most": 30},
        budget={"epsilon": 10**7},
        ledger=tmp_path / "t.ledger",
    )
    asked = "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m, COUNT(DISTINCT who) AS people FROM t"
    assert "each row counts by its survey weight" in str(db.explain(asked, epsilon=1))
    answer = db.sql(asked, epsilon=10**6)
    told = [answer.value[name] for name in ("n", "s", "m", "people")]
    assert told == pytest.approx([10500, 7500, 7500 / 10500, 400], rel=1e-3)
    assert "what weights have beyond 30, and that the rows are a sample" in str(answer)
    assert "what the rows stand for, where they do not count by w" in str(db.sql("SELECT MIN(x) FROM t", epsilon=1))


def test_noise_grows_with_the_largest_weight_as_the_error_says(tmp_path):
    errors = []
    for number, weight in enumerate((None, {"column": "w", "most": 8})):
        db = dalenius.connect(
            pa.table({"who": range(9), "w": [1.0] * 9}),
            table="t",
            unit="who",
            contributions=1,
            budget={"epsilon": 1},
            ledger=tmp_path / f"{number}.ledger",
            weight=weight,
        )
        errors.append(db.sql("SELECT COUNT(*) AS n FROM t", epsilon=1).error["n"].noise[0])
    assert errors[1] == pytest.approx(8 * errors[0], rel=0.15)
