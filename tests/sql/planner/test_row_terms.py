from sqlglot import exp

from dalenius.sql.planner.row_terms import RowTerms


def test_a_share_names_its_parts_in_order():
    one = exp.Literal.number(1)
    share = RowTerms("COUNT(*)", None, None, (), (("rest", one), ("sum", one)), most=1, low=0, high=1)
    assert share.names == ("rest", "sum")
