import pytest

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.neighbors import Relation
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.prepared.compile import compile_prepared
from dalenius.sql.prepared.recipe import Preparation
from tests.sql.sensitivity import grammar

PREPARATION = Preparation.of(grammar.policy("who", 3))


def test_a_query_becomes_a_plain_group_by_of_prepared_columns():
    compiled = compile_prepared("SELECT k, SUM(x) FROM t GROUP BY k", PREPARATION)
    assert "JOIN" not in compiled.scan
    assert '"unit"' not in compiled.scan
    assert '"source"."prepared number 0" AS "cell"' in compiled.scan
    assert "FLOOR" not in compiled.scan
    assert compiled.facts()["prepared"] is True


def test_one_unit_moves_it_by_its_rows():
    compiled = compile_prepared("SELECT k, COUNT(*) FROM t GROUP BY k", PREPARATION)
    (group,) = compiled.groups
    assert (group.steps, group.change) == (3, 6)
    assert group.sensitivity(Relation.ADD_REMOVE).value * group.lattice.step == 3


def test_the_same_question_of_all_rows_is_another_question():
    query = "SELECT k, COUNT(*) FROM t GROUP BY k"
    assert "prepared" not in compile_query(query, PREPARATION.policy).facts()
    assert compile_prepared(query, PREPARATION).facts() != compile_query(query, PREPARATION.policy).facts()


@pytest.mark.parametrize(
    "query",
    [
        "SELECT COUNT(*) FROM t WHERE x > 1",
        "SELECT k, COUNT(DISTINCT who) FROM t GROUP BY k",
        "SELECT COUNT(DISTINCT note) FROM t",
        "SELECT COUNT(*) FROM t JOIN u ON t.who = u.who",
        "SELECT COUNT(*) FROM u",
    ],
)
def test_what_all_rows_answer_better_is_left_to_them(query):
    assert compile_prepared(query, PREPARATION) is None


@pytest.mark.parametrize(
    ("query", "words"),
    [
        ("SELECT k, COUNT(DISTINCT who) FROM t GROUP BY k", "numbers of units"),
        ("SELECT COUNT(*) FROM t JOIN u ON t.who = u.who", "a JOIN"),
        ("SELECT COUNT(*) FROM t WHERE x IN (SELECT x FROM t)", "a query within"),
        ("SELECT COUNT(*) FROM u", "another table"),
    ],
)
def test_what_cannot_be_answered_is_refused_when_asked_for(query, words):
    with pytest.raises(UnsupportedQuery, match=words):
        compile_prepared(query, PREPARATION, asked=True)


def test_unknown_keys_are_for_all_rows():
    query = "SELECT note, COUNT(*) FROM t GROUP BY note"
    assert compile_prepared(query, PREPARATION, KeySearch()) is None
    with pytest.raises(UnboundedQuery, match="public keys"):
        compile_prepared(query, PREPARATION)


def test_a_where_is_answered_on_request():
    compiled = compile_prepared("SELECT COUNT(*) FROM t WHERE x > 1", PREPARATION, asked=True)
    assert compiled.prepared
    assert "WHERE" in compiled.scan


def test_units_and_distinct_values_beside_sums_are_read_from_all_rows():
    query = "SELECT k, SUM(x), COUNT(DISTINCT who), COUNT(DISTINCT note), MEDIAN(y) FROM t GROUP BY k"
    compiled = compile_prepared(query, PREPARATION)
    plain = compile_query(query, PREPARATION.policy)
    total, people, notes = compiled.groups
    assert total.scan == ""
    assert '"unit"' in people.scan
    assert '"unit"' in notes.scan
    assert [group.weight for group in compiled.groups] == [group.weight for group in plain.groups]
    assert [(group.steps, group.change) for group in (people, notes)] == [
        (group.steps, group.change) for group in plain.groups[1:]
    ]
    (rank,) = compiled.ranks
    assert (rank.steps, rank.row, rank.share) == (3, 1, plain.ranks[0].share)
