from sqlglot import exp, parse_one

from dalenius.sql.aggregate import Argument
from dalenius.sql.pair_catalog import PAIRS


def test_an_entry_is_named_as_the_parser_reads_it_and_takes_two_numbers():
    for one in PAIRS:
        assert isinstance(parse_one(f"{one.name}(y, x)", dialect="duckdb"), one.nodes or exp.Anonymous)
        assert one.takes is Argument.PAIR


def test_no_entry_asks_for_more_than_its_formula_reads():
    """REGR_AVGX needs nothing of y, and no line needs the squares of y."""
    degrees = {one.name: one.degrees for one in PAIRS}
    assert degrees["REGR_COUNT"] == (0, 0)
    assert degrees["REGR_AVGX"] == (0, 1)
    assert degrees["REGR_SLOPE"] == degrees["REGR_INTERCEPT"] == (1, 2)
    assert degrees["COVAR_POP"] == (1, 1)
