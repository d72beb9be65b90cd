"""A frame by value is a function of a unit's rows, whatever their order, and only bounded ends have one."""

import pytest
from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.rows import Kind, Typed
from dalenius.sql.tables.window_ranges import is_by_value, ordered_by_value

DAY, NUMBER = (Typed(kind, exp.column(kind.value, quoted=True)) for kind in (Kind.DATE, Kind.NUMBER))


def spec(start, kind="RANGE"):
    return exp.WindowSpec(kind=kind, start=start, start_side="PRECEDING", end="CURRENT ROW")


def days(count):
    return exp.Interval(this=exp.Literal.string(str(count)), unit=exp.Var(this="DAY"))


def test_frames_are_told_apart_whatever_the_case():
    assert is_by_value(spec(None, "range"))
    assert not is_by_value(spec(None, "ROWS"))


def test_dates_are_held_and_numbers_stay_as_they_are():
    order = [exp.Ordered(this=DAY.tree.copy(), desc=True)]
    (held,) = ordered_by_value(spec(days(7)), order, [DAY])
    assert held.args["desc"]
    assert isinstance(held.this, exp.Case)
    for start in ("UNBOUNDED", "CURRENT ROW"):
        assert ordered_by_value(spec(start), order, [DAY]) == order
    plain = [exp.Ordered(this=NUMBER.tree.copy())]
    assert ordered_by_value(spec(exp.Literal.number("2.5")), plain, [NUMBER]) == plain


@pytest.mark.parametrize(
    ("start", "values"),
    [
        *((days(7), [DAY, DAY]), (days(7), [NUMBER]), (exp.Literal.number(3), [DAY])),
        *((days(10**8), [DAY]), (days(-3), [DAY]), (exp.Literal.number("1e9"), [NUMBER])),
        *((exp.column("j"), [NUMBER]), (exp.Literal.string("3"), [NUMBER])),
    ],
)
def test_ends_that_are_not_bounded_are_refused(start, values):
    with pytest.raises(UnsupportedQuery):
        ordered_by_value(spec(start), [exp.Ordered(this=one.tree.copy()) for one in values], values)
