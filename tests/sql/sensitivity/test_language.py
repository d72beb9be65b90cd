"""No unit moves the exact answer over joins, foreign keys, attributes and subqueries by more than its sensitivity."""

import duckdb
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.errors import UnboundedQuery, UnsupportedQuery
from dalenius.sql.compile import compile_query
from dalenius.sql.named import Unknown
from tests.sql.sensitivity import language, test_named, worlds

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow, HealthCheck.filter_too_much]


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        opened.register("public rows", language.PUBLIC_ROWS)
        opened.execute(f'CREATE TABLE "{language.PUBLIC.place}" AS SELECT * FROM "public rows"')
        yield opened


def compiled_of(query, contributions, unknown=None):
    return compile_query(query, language.policy(contributions), unknown, language.OTHERS)


def exceeded(connection, compiled, seed, databases=6, statement=None):
    """What some neighbor moves by more than was proved."""
    listed, removed, replaced = language.gathered(seed, databases)
    language.load(connection, listed)
    answer = worlds.parts_loaded(connection, compiled, len(listed), statement)
    moved, other = (worlds.furthest(compiled, answer, pairs) for pairs in (removed, replaced))
    found = [
        group.question
        for group, most, changed in zip(compiled.groups, moved, other, strict=True)
        if most > group.steps or changed > group.change
    ]
    for pairs, times in ((removed, 1), (replaced, 2)):
        told = worlds.ranks_loaded(connection, [rank.scan for rank in compiled.ranks], len(listed), pairs)
        found += [rank.question for rank, most in zip(compiled.ranks, told, strict=True) if most > times * rank.steps]
    return found


def check(connection, query, contributions, seed):
    try:
        compiled = compiled_of(query, contributions)
    except (UnboundedQuery, UnsupportedQuery) as refused:
        assert "one possible value" in str(refused) or "keys" in str(refused), query
        return
    assert exceeded(connection, compiled, seed) == [], query


CASES = {"query": language.queries(), "contributions": st.integers(1, 4), "seed": st.integers(0, 2**32)}


@pytest.mark.theorem("G sensitivity", "G complaints count")
@settings(max_examples=60, suppress_health_check=QUIET)
@given(**CASES)
def test_no_person_moves_the_answer_by_more_than_the_sensitivity(connection, query, contributions, seed):
    """Of 36 pairs of neighbors for each query."""
    check(connection, query, contributions, seed)
