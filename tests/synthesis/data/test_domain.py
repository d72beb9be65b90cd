import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName
from dalenius.queries import Table
from dalenius.synthesis.data.attributes import Cells, Levels
from dalenius.synthesis.data.domain import DeclaredColumns, Domain, impossible_pairs
from dalenius.synthesis.data.marginals import Marginals

SEX, ROLE = Levels("sex", ("F", "M")), Levels("role", ("wife", "husband", "other"))


def test_a_row_without_a_level_somewhere_is_left_out_everywhere():
    rows = Table.of({"sex": ["F", "x"], "role": ["wife", "wife"]})
    domain = Domain((SEX, ROLE))
    codes = domain.codes(rows)
    assert (codes >= 0).all(axis=1).tolist() == [True, False]
    assert [int(table.sum()) for table in Marginals(domain).evaluate(rows)] == [1, 1, 1]
    assert codes[0].tolist() == [0, 0]


def test_impossible_and_allowed_pairs_are_two_ways_to_say_it():
    forbidden = impossible_pairs((SEX, ROLE), {("sex", "role"): [("F", "husband"), ("M", "wife")]}, None)
    others = [("F", "wife"), ("F", "other"), ("M", "husband"), ("M", "other")]
    assert forbidden == impossible_pairs((SEX, ROLE), None, {("sex", "role"): others})
    assert forbidden == impossible_pairs((SEX, ROLE), {("role", "sex"): [("husband", "F"), ("wife", "M")]}, None)
    domain = Domain((SEX, ROLE), forbidden)
    assert Domain.from_facts(domain.facts()) == domain


def test_pairs_of_unknown_levels_or_columns_are_refused():
    with pytest.raises(UnknownName):
        impossible_pairs((SEX, ROLE), {("sex", "job"): [("F", "x")]}, None)
    with pytest.raises(UnknownName):
        impossible_pairs((SEX, ROLE), {("sex", "role"): [("F", "x")]}, None)
    with pytest.raises(InvalidParameter, match="possible"):
        impossible_pairs((SEX, ROLE), None, {("sex", "role"): []})
    with pytest.raises(InvalidParameter, match="bounds"):
        impossible_pairs((SEX, Cells.between("x", (0, 1), 2, "number", False)), {("sex", "x"): [("F", 1)]}, None)


def test_domains_that_are_too_large_or_empty_are_refused():
    with pytest.raises(InvalidParameter, match="fewer bins"):
        Domain(tuple(Cells.between(f"x{i}", (0, 1), 500, "number", False) for i in range(5)))
    with pytest.raises(InvalidParameter, match="at least one"):
        Domain(())
    with pytest.raises(UnknownName):
        Domain((SEX,)).place("age")


def test_a_column_with_neither_keys_nor_bounds_is_refused_with_the_remedy():
    declared = DeclaredColumns({"sex": ["F", "M"]}, {"x": (0, 1)}, {"x": 4}, None, ["sex"])
    assert declared.attribute("sex").size == 3
    assert declared.attribute("x").size == 4
    with pytest.raises(UnboundedQuery, match="private"):
        declared.attribute("age")
