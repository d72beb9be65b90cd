import pytest

from dalenius.errors import InvalidParameter, UnboundedQuery, UnknownName
from dalenius.sql import Policy
from dalenius.sql.planner.compile import compile_query

COLUMNS = {"id": "BIGINT", "Name": "VARCHAR", "price": "DOUBLE", "when": "TIMESTAMP", "tags": "VARCHAR[]"}


def declare(**terms):
    return Policy.declare("t", COLUMNS, **({"unit": "row"} | terms))


def test_names_are_spelt_as_in_the_file():
    policy = declare(unit="ID", contributions=2, keys={"NAME": ["a"]}, bounds={"PRICE": (0, 1)})
    assert policy.unit.column == "id"
    assert set(policy.keys) == {"Name"}
    assert set(policy.bounds) == {"price"}


@pytest.mark.parametrize("terms", [{"unit": "who"}, {"keys": {"who": ["a"]}}, {"bounds": {"who": (0, 1)}}])
def test_an_unknown_column_is_refused(terms):
    with pytest.raises(UnknownName, match="'who'"):
        declare(**terms)


def test_a_person_with_any_number_of_rows_is_no_bound_until_it_is_found():
    for policy in (declare(unit="id"), declare(unit="id", contributions="private")):
        assert policy.contributions is None
        with pytest.raises(UnboundedQuery, match="contributions="):
            compile_query("SELECT COUNT(*) FROM t", policy)
        assert 'contributions = "private"' in policy.to_toml()
    assert "contributions" not in declare().to_toml()


def test_a_policy_that_leaves_it_to_be_found_is_kept_in_a_file(tmp_path):
    declare(unit="id", bounding_share=0.05).save(tmp_path / "p.toml")
    again = Policy.load(tmp_path / "p.toml")
    assert (again.contributions, again.bounding_share) == (None, 0.05)


@pytest.mark.parametrize(
    "terms",
    [
        {"unit": "id", "contributions": 0},
        {"unit": "id", "contributions": 1.5},
        {"unit": "id", "contributions": 2**31},
        {"unit": "id", "contributions": True},
        {"unit": "price", "contributions": 1},
        {"unit": "tags", "contributions": 1},
        {"unit": "when", "contributions": 1},
        {"unit": "row", "contributions": 3},
        {"unit": "id", "contributions": "secret"},
        {"unit": "id", "bounding_share": 0},
        {"unit": "id", "bounding_share": 1},
        {"keys": {"tags": ["a"]}},
        {"keys": {"when": ["a"]}},
        {"keys": {"id": ["a"]}},
        {"keys": {"id": [0.5]}},
        {"keys": {"price": [float("nan")]}},
        {"bounds": {"price": (1, 0)}},
        {"bounds": {"price": (1, 2, 3)}},
    ],
)
def test_a_declaration_that_bounds_nothing_is_refused(terms):
    with pytest.raises(InvalidParameter):
        declare(**terms)


def test_names_that_differ_in_case_only_are_refused():
    with pytest.raises(InvalidParameter, match="case"):
        Policy.declare("t", {"a": "BIGINT", "A": "BIGINT"}, unit="row")


def test_two_keys_that_are_one_number_in_single_precision_are_refused():
    """A row would fall in both cells, and count twice."""
    columns = {"x": "FLOAT"}
    Policy.declare("t", columns, unit="row", keys={"x": [0.1, 0.2]})
    for keys in ([0.1, 0.10000000001], [0, 1e-60]):
        with pytest.raises(InvalidParameter, match="FLOAT"):
            Policy.declare("t", columns, unit="row", keys={"x": keys})
