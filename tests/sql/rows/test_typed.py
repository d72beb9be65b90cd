import pytest
from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows.typed import LARGEST, Typed, expect, same_kind, typed
from dalenius.sql.types.kinds import Kind

ONE = Typed(Kind.NUMBER, exp.Literal.number(1))


def test_sizes_add_up_and_end_at_a_limit():
    assert typed(Kind.NUMBER, ONE.tree, ONE, ONE, copies=2).size == 5
    with pytest.raises(UnsupportedQuery, match="terms"):
        typed(Kind.NUMBER, ONE.tree, Typed(Kind.NUMBER, ONE.tree, size=LARGEST))


def test_bounds_too_far_out_are_none():
    assert typed(Kind.NUMBER, ONE.tree, bounds=(0, 10**101)).bounds is None


def test_types_are_told_apart_and_null_has_all():
    null = Typed(Kind.NULL, exp.null())
    assert expect(null, Kind.TEXT, "here") is null
    assert same_kind([ONE, null], "here") is Kind.NUMBER
    for wrong in (lambda: expect(ONE, Kind.TEXT, "here"), lambda: same_kind([ONE, Typed(Kind.TEXT, ONE.tree)], "here")):
        with pytest.raises(UnsupportedQuery, match="here"):
            wrong()
