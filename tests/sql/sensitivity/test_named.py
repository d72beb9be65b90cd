"""Keys that nobody declared: no unit moves more groups, or the answers by more, than the plan is priced for."""

import itertools
import math
import re
from fractions import Fraction

import duckdb
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dalenius.mechanisms import PartitionSelection
from dalenius.sql.planner.compile import compile_query
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.plans.unknown_keys import plain_key
from tests.sql.sensitivity import grammar, worlds
from tests.sql.sensitivity.test_sensitivity import gathered

QUIET = [HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
SELECTION = PartitionSelection(Fraction(1, 2), Fraction(1, 50), groups=2)


@pytest.fixture(scope="module")
def connection():
    with duckdb.connect(config={"threads": 1}) as opened:
        yield opened


def found(connection, compiled, listed, statement=None):
    """For each world the units of each key, and the parts of each key and cell."""
    connection.register("arrived", worlds.table(listed))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    return found_loaded(connection, compiled, len(listed), statement)


def found_loaded(connection, compiled, listed, statement=None):
    """The same, of the tables that are there."""
    rows = connection.sql(worlds.in_worlds(statement or compiled.scan)).to_arrow_table().to_pylist()
    units, parts = [{} for _ in range(listed)], [{} for _ in range(listed)]
    for row in rows:
        key, world = tuple(row[key.column] for key in compiled.named), row["world"]
        assert units[world].setdefault(key, row["units"]) == row["units"]
        assert (key, row["cell"]) not in parts[world]
        parts[world][key, row["cell"]] = row
    return units, parts


def moved(one, other, names):
    """The ℓ1 distance over all keys and cells, absent ones 0."""
    nothing = dict.fromkeys(names, 0)
    return sum(
        abs(one.get(at, nothing)[name] - other.get(at, nothing)[name])
        for at in one.keys() | other.keys()
        for name in names
    )


def differing(one, other):
    """The keys whose number of units differs, by how many."""
    apart = {key: abs(one.get(key, 0) - other.get(key, 0)) for key in one.keys() | other.keys()}
    return {key: units for key, units in apart.items() if units}


def check(connection, compiled, listed, removed, changed):
    units, parts = found(connection, compiled, listed)
    check_pairs(compiled, units, parts, removed, changed)
    check_apart(connection, compiled, listed, sorted({key for one in units for key in one}, key=str), removed, changed)


def check_loaded(connection, compiled, listed, removed, changed):
    check_pairs(compiled, *found_loaded(connection, compiled, listed), removed, changed)


def check_pairs(compiled, units, parts, removed, changed):
    for pairs, times in ((removed, 1), (changed, 2)):
        for a, b in pairs:
            apart = differing(units[a], units[b])
            assert len(apart) <= times * compiled.unknown.groups
            assert all(value == 1 for value in apart.values())
            for group in compiled.groups:
                most = group.steps if times == 1 else group.change
                assert group.scan or moved(parts[a], parts[b], group.parts) <= most, group


def check_apart(connection, compiled, listed, keys, removed, changed):
    """The same for what has statements of its own, whichever of the keys are named: here each second one."""
    named = keys[::2]
    if not worlds.name_keys(connection, compiled, named):
        return
    for group in (group for group in compiled.groups if group.scan):
        held = worlds.cells_of(connection, listed, group.scan)
        for pairs, most in ((removed, group.steps), (changed, group.change)):
            assert all(worlds.apart(held[a], held[b]) <= most for a, b in pairs), group
    for pairs, times in ((removed, 1), (changed, 2)):
        if pairs:
            furthest = worlds.furthest_weights(connection, compiled, listed, pairs)
            for one, weight in zip(worlds.chosen_by(compiled), furthest, strict=True):
                assert weight <= times * one.steps, one


@pytest.mark.theorem("G sensitivity", "A Ex 3.4")
@settings(max_examples=25, suppress_health_check=QUIET)
@given(
    query=grammar.named_queries(),
    contributions=st.integers(1, 4),
    groups=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    sums=grammar.SUMS,
)
def test_no_person_moves_more_groups_or_answers_than_is_priced(connection, query, contributions, groups, seed, sums):
    compiled = compile_query(query, grammar.policy("who", contributions, sums=sums), KeySearch(groups))
    check(connection, compiled, *gathered(seed))


@pytest.mark.long
@settings(max_examples=3000, suppress_health_check=QUIET)
@given(
    query=grammar.named_queries(),
    contributions=st.integers(1, 4),
    groups=st.integers(1, 3),
    seed=st.integers(0, 2**32),
    sums=grammar.SUMS,
)
def test_no_person_moves_more_groups_or_answers_than_is_priced_at_length(
    connection, query, contributions, groups, seed, sums
):
    compiled = compile_query(query, grammar.policy("who", contributions, sums=sums), KeySearch(groups))
    check(connection, compiled, *gathered(seed))


@settings(max_examples=20, suppress_health_check=QUIET)
@given(query=grammar.named_queries(people=False), seed=st.integers(0, 2**32))
def test_no_row_moves_more_groups_or_answers_than_is_priced(connection, query, seed):
    random = np.random.default_rng(seed)
    base = worlds.rows(random, 14)
    listed = [base, *(base[:place] + base[place + 1 :] for place in range(len(base)))]
    compiled = compile_query(query, grammar.policy("row"), KeySearch())
    check(connection, compiled, listed, [(0, place) for place in range(len(listed))], [])


def divergence(one, other, selection):
    """δ of the set of named keys at the selection's ε, exactly: keys of equal numbers cancel."""
    keys = sorted(differing(one, other))
    total = 0.0
    for named in itertools.product((False, True), repeat=len(keys)):
        chances = [
            math.prod(
                (lambda p, drawn: p if drawn else 1 - p)(float(selection.chance(world.get(key, 0)).mid()), drawn)
                for key, drawn in zip(keys, named, strict=True)
            )
            for world in (one, other)
        ]
        total += max(0.0, chances[0] - math.exp(selection.epsilon) * chances[1])
    return total


def worst(connection, min_units, statement=lambda scan: scan, groups=2, asked="COUNT(*)"):
    """The largest divergence over all pairs of neighbors, either way."""
    compiled = compile_query(
        f"SELECT note, {asked} FROM t GROUP BY note", grammar.policy("who", 2), KeySearch(groups, min_units)
    )
    listed, removed, _ = gathered(11, 40)
    units, _ = found(connection, compiled, listed, statement(compiled.scan))
    selection = PartitionSelection(SELECTION.epsilon, SELECTION.delta, groups, min_units)
    pairs = [(units[a], units[b]) for a, b in removed]
    return max(divergence(*pair, selection) for one, other in pairs for pair in ((one, other), (other, one)))


@pytest.mark.parametrize("groups", [1, 2, 3])
@pytest.mark.parametrize("min_units", [1, 2])
@pytest.mark.parametrize("asked", ["COUNT(*)", "COUNT(DISTINCT x)", "MEDIAN(x)", "COUNT(DISTINCT who), MODE(k)"])
def test_the_set_of_named_keys_is_private_for_every_neighbor(connection, groups, min_units, asked):
    """Whatever is asked beside it: exactly, over all sets of keys that a pair of neighbors may name apart."""
    delta = float(SELECTION.delta)
    assert 0.4 * delta / groups < worst(connection, min_units, groups=groups, asked=asked) <= delta * (1 + 1e-9)


def test_declared_keys_beside_do_not_name_a_key_more_often(connection):
    compiled = compile_query(
        "SELECT note, flag, COUNT(DISTINCT x) FROM t GROUP BY note, flag", grammar.policy("who", 2), KeySearch(2)
    )
    listed, removed, _ = gathered(11, 40)
    units, _ = found(connection, compiled, listed)
    pairs = [(units[a], units[b]) for a, b in removed]
    assert max(divergence(*pair, SELECTION) for pair in pairs) <= float(SELECTION.delta) * (1 + 1e-9)


def test_a_group_cap_that_is_skipped_is_caught(connection):
    def broken(scan):
        statement, changes = re.subn(r'"key0"\) <= 2', '"key0") <= 99', scan)
        assert changes == 1
        return statement

    assert worst(connection, 1, broken) > 1.5 * float(SELECTION.delta)


def test_weights_over_rows_that_the_cap_drops_would_be_sound_but_small(connection):
    """n counts the rows that are left: a unit whose rows mostly fall away still counts in full."""
    compiled = compile_query("SELECT note, COUNT(*) FROM t GROUP BY note", grammar.policy("who", 1), KeySearch(1))
    base = worlds.rows(np.random.default_rng(3), 1, (1,)) or worlds.rows(np.random.default_rng(4), 1, (1,))
    notes = ["a", "b", "c", "d"]
    _, parts = found(connection, compiled, [[(*base[0][:-1], note) for note in notes]])
    assert [row["p0"] for row in parts[0].values()] == [2**20]


def test_a_broken_order_that_depends_on_others_is_caught(connection):
    """Ranked among all rows and not its own, a unit's groups hang on who else is there."""
    compiled = compile_query("SELECT note, COUNT(*) FROM t GROUP BY note", grammar.policy("who", 4), KeySearch(1))
    listed, removed, _ = gathered(7, 60)
    broken, changes = re.subn(
        r'PARTITION BY "unit" ORDER BY HASH\(.*?\), "key0"', 'ORDER BY "n", "key0"', compiled.scan
    )
    assert changes == 1
    units, _ = found(connection, compiled, listed, broken)
    assert any(len(differing(units[a], units[b])) > 1 for a, b in removed)


APART_MUTANTS = {
    "distinct values that are not bounded": ("COUNT(DISTINCT x)", r'"of_p0"\) <= 2', '"of_p0") <= 99'),
    "distinct values of each key alone": (
        "COUNT(DISTINCT x)",
        r'PARTITION BY "unit" ORDER BY HASH\("unit", "cell"',
        'PARTITION BY "unit", "cell" ORDER BY HASH("unit", "cell"',
    ),
    "a median by weights that are not bounded": ("MEDIAN(x)", r"LEAST\(1048576, \d+ // COUNT\(\*\)\)", "1048576"),
    "a mode scored without weights": ("MODE(k)", r"LEAST\(1048576, \d+ // COUNT\(\*\)\)", "1048576"),
    "weights of each key alone": (
        "MEDIAN(x)",
        r'SELECT "unit", LEAST\((.*?)\) AS "w" FROM "rows" GROUP BY "unit"\) (.*) USING \("unit"\)',
        r'SELECT "unit", "cell", LEAST(\1) AS "w" FROM "rows" GROUP BY "unit", "cell") \2 USING ("unit", "cell")',
    ),
}


@pytest.mark.theorem("G complaints count")
@pytest.mark.parametrize("mutant", APART_MUTANTS)
def test_a_broken_statement_over_named_keys_is_caught(connection, mutant):
    asked, pattern, broken = APART_MUTANTS[mutant]
    compiled = compile_query(
        f"SELECT note, {asked} FROM t GROUP BY note", grammar.policy("who", 2), KeySearch(9, salt="s")
    )
    listed, removed, _ = gathered(7, 60)
    units, _ = found(connection, compiled, listed)
    worlds.name_keys(connection, compiled, sorted({key for one in units for key in one}))
    (one,) = [group for group in compiled.groups if group.scan] or worlds.chosen_by(compiled)
    wrong, changes = re.subn(pattern, broken, one.scan)
    assert changes == 1
    for scan, sound in ((one.scan, True), (wrong, False)):
        if asked.startswith("COUNT"):
            held = worlds.cells_of(connection, listed, scan)
            furthest = max(worlds.apart(held[a], held[b]) for a, b in removed)
        else:
            (furthest,) = worlds.furthest_weights(connection, compiled, listed, removed, [scan])
        assert (furthest <= one.steps) is sound


def counted(connection, scan, worlds_count):
    """The units of each key in each world."""
    held = [{} for _ in range(worlds_count)]
    for *key, units, world in connection.execute(worlds.in_worlds(scan)).fetchall():
        held[world][tuple(str(plain_key(value)) for value in key)] = units  # 0 for −0.0
    return held


def moves(held, pairs):
    """How many keys differ in a pair of worlds, at most, and by how many units."""
    apart = [
        [abs(held[a].get(key, 0) - held[b].get(key, 0)) for key in held[a].keys() | held[b].keys()] for a, b in pairs
    ]
    return max(sum(one) for one in apart), max(max(one, default=0) for one in apart)


COUNTED = "SELECT note, COUNT(DISTINCT who) FROM t GROUP BY note"


@pytest.mark.theorem("A Ex 3.4")
@settings(max_examples=12, suppress_health_check=QUIET)
@given(
    keys=st.lists(grammar.unknown_keys, min_size=1, max_size=2, unique=True),
    groups=st.integers(1, 3),
    contributions=st.integers(1, 4),
    seed=st.integers(0, 2**32),
)
def test_no_person_moves_more_counted_keys_than_is_priced(connection, keys, groups, contributions, seed):
    """Of counts that decide themselves whether they are shown: each of at most L keys by 1."""
    by = ", ".join(keys)
    terms = grammar.policy("who", contributions)
    one = compile_query(f"SELECT {by}, COUNT(DISTINCT who) FROM t GROUP BY {by}", terms, KeySearch(groups)).counted
    assert one.groups == min(groups, contributions)
    listed, removed, changed = gathered(seed)
    connection.register("arrived", worlds.table(listed))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    held = counted(connection, one.scan, len(listed))
    total, most = moves(held, removed)
    assert total <= one.groups
    assert most <= 1
    total, most = moves(held, changed)
    assert total <= 2 * one.groups
    assert most <= 1


@pytest.mark.parametrize(
    ("part", "broken"),
    [(r"\) <= 2\b", ") <= 99"), (r'"n" DESC', '"key0"'), (r"HAVING COUNT\(\*\) > 2\b", "HAVING COUNT(*) > 99")],
)
def test_counted_keys_that_are_not_bounded_are_caught(connection, part, broken):
    """More keys than L are, kept or not put in order; another order of a unit's own keys is as sound."""
    one = compile_query(COUNTED, grammar.policy("who", 2), KeySearch(2)).counted
    scan, changes = re.subn(part, broken, one.scan)
    assert changes == 1
    listed, removed, _ = gathered(7, 60)
    connection.register("arrived", worlds.table(listed))
    connection.execute('CREATE OR REPLACE TEMP TABLE "source" AS SELECT * FROM arrived')
    sound = "DESC" in part
    assert (moves(counted(connection, scan, len(listed)), removed)[0] <= 2) is sound
