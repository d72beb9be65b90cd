import pytest
from sqlglot import exp

from dalenius.sql.after.regions.rows import HERE, Context, Presence, Row, RowRelation, plain_key
from dalenius.sql.after.regions.values import Between, Exact, NoRule, OneOf, Unknown


def test_a_public_condition_drops_a_row_and_a_noisy_one_never_does():
    assert HERE.under(Exact(True)) == HERE
    assert HERE.under(Exact(None)) is None
    maybe = HERE.under(OneOf(frozenset({True, False}), False))
    assert maybe == Presence(False, False, True, False)
    never = HERE.under(OneOf(frozenset({False}), False))
    assert never == Presence(False, False, False, False)
    assert not HERE.under(OneOf(frozenset({True}), True)).exact
    with pytest.raises(NoRule):
        HERE.under(Unknown("why"))


def test_two_presences_hold_together():
    maybe = Presence(False, False, True, True)
    assert HERE.both(maybe) == maybe
    assert not RowRelation((("t", "k"),), (Row((Exact(1),), maybe),)).exact


def test_a_name_is_looked_up_with_or_without_its_table():
    row = Context((("t", "k"), ("u", "k")), (Exact(1), Exact(2)), HERE)
    assert row.column(exp.column("K")) == Exact(1)
    assert row.column(exp.column("k", table="U")) == Exact(2)
    assert row.column(exp.column("other")) is None
    with pytest.raises(NoRule, match="DISTINCT"):
        plain_key(Between(0, 1, 0), "DISTINCT")
