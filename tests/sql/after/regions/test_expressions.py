from fractions import Fraction

import pytest

from dalenius.sql.after.regions.expressions import Expressions, one_of
from dalenius.sql.after.regions.region import JointRegion
from dalenius.sql.after.regions.rows import HERE, Context, Row, RowRelation
from dalenius.sql.after.regions.subqueries import InnerQueries
from dalenius.sql.after.regions.values import Between, Exact, NoRule, OneOf, Unknown
from dalenius.sql.engine import language

ROW = Context((("t", "n"), ("t", "k"), ("t", "q")), (Between(90, 110, 100), Exact("a"), Unknown("ranks", 5)), HERE)
SEVEN = InnerQueries(lambda query: RowRelation((("", "x"),), (Row((Exact(7),)),)))


def value(text):
    return Expressions(JointRegion({}, Fraction(1, 2)), SEVEN).value(language.read(text), ROW)


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("CASE WHEN n > 100 THEN n ELSE 0 END", 0, 110),
        ("CASE WHEN n > 50 THEN n ELSE 0 END", 90, 110),
        ("CASE k WHEN 'a' THEN n END", 90, 110),
        ("COALESCE(NULLIF(n, 100), 3)", 3, 110),
        ("IF(n > 100, 1, 5)", 1, 5),
        ("FLOOR(n / 50)", 1, 2),
        ("CEIL(n / 50)", 2, 3),
        ("SQRT(n - 90)", 0, 20**0.5),
        ("CAST(n AS DOUBLE)", 90, 110),
        ("-(n)", -110, -90),
        ("(SELECT 1) + n", 97, 117),
    ],
)
def test_every_result_that_is_possible_lies_between_the_ends(text, low, high):
    region = JointRegion({}, Fraction(1, 2))
    assert region.ends(value(text)) == pytest.approx((low, high))


def test_public_expressions_stay_public_and_unknown_ones_say_why():
    assert value("UPPER(k)") == Exact("A")
    assert value("k IN ('a', 'b')") == Exact(True)
    assert value("CASE WHEN k = 'a' THEN 2.5 END") == Exact(Fraction(5, 2))
    assert value("n BETWEEN 80 AND 120") == OneOf(frozenset({True}), True)
    assert value("CASE WHEN n > 100 THEN 'big' ELSE 'small' END") == OneOf(frozenset({"big", "small"}), "small")
    assert value("q + 1") == Unknown("ranks", 6)
    assert "no rule" in value("TRIM(k)").reason
    assert value("n IS NULL") == OneOf(frozenset({False}), False)
    with pytest.raises(NoRule):
        value("other + 1")
    assert isinstance(one_of([Exact("a"), Between(0, 1, 0)], "a", JointRegion({}, Fraction(1, 2))), Unknown)
