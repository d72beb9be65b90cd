from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.sql import Policy, connect, explain, open_table

POLICY = """
table = "purchases"
source = "purchases.parquet"
unit = "user_id"
contributions = 3
budget = { epsilon = 1, delta = 1e-4 }

[columns]
user_id = "BIGINT"
category = "VARCHAR"

[keys]
category = ["food", "toys"]

[public]
rates = "rates.parquet"
"""
JOINED = (
    "SELECT rates.zone, COUNT(*) AS n FROM purchases JOIN rates ON purchases.category = rates.category "
    "GROUP BY rates.zone"
)


@pytest.fixture
def policy(tmp_path):
    pq.write_table(pa.table({"user_id": [1, 2], "category": ["food", "toys"]}), tmp_path / "purchases.parquet")
    pq.write_table(pa.table({"category": ["food", "toys"], "zone": [1, 2]}), tmp_path / "rates.parquet")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path / "policy.toml"


def test_a_join_that_a_session_answers_is_explained_without_a_ledger(policy):
    session = connect(policy=policy, ledger=policy.parent / "x.ledger")
    told = explain(JOINED, policy=policy, epsilon="0.5")
    assert told.errors == session.explain(JOINED, epsilon="0.5").errors
    assert told.guarantee == session.explain(JOINED, epsilon="0.5").guarantee
    assert len(session.sql(JOINED, epsilon="0.5").rows) == 2


def test_explaining_writes_nothing(policy):
    before = sorted(policy.parent.iterdir())
    explain(JOINED, policy=policy, epsilon=1)
    assert sorted(policy.parent.iterdir()) == before
    with pytest.raises(UnknownName):
        explain("SELECT COUNT(*) FROM purchases JOIN others ON others.id = user_id", policy=policy, epsilon=1)


def test_a_policy_that_names_no_other_table_is_explained_without_opening_a_file():
    terms = Policy.declare("t", {"x": "DOUBLE"}, unit="row", bounds={"x": (0, 1)}, source="nowhere.parquet")
    assert explain("SELECT SUM(x) FROM t", policy=terms, epsilon=1).cells == 1


def test_a_table_is_opened_before_there_are_terms_for_it(policy):
    opened = open_table(policy.parent / "purchases.parquet")
    assert (opened.name, opened.columns) == ("purchases", {"user_id": "BIGINT", "category": "VARCHAR"})


@pytest.mark.parametrize("as_path", [str, Path, Policy.load])
def test_a_policy_in_the_place_of_the_table_is_taken_as_the_policy(tmp_path, as_path):
    pq.write_table(pa.table({"who": ["a", "b"]}), tmp_path / "t.parquet")
    terms = {"source": str(tmp_path / "t.parquet"), "unit": "who", "contributions": 1, "budget": {"epsilon": 1}}
    Policy.declare("t", {"who": "VARCHAR"}, **terms).save(tmp_path / "policy.toml")
    db = dalenius.connect(as_path(tmp_path / "policy.toml"), ledger=tmp_path / "t.ledger")
    assert repr(db.policy) == repr(Policy.load(tmp_path / "policy.toml"))
    with pytest.raises(InvalidParameter, match="the policy says what unit is"):
        dalenius.connect(as_path(tmp_path / "policy.toml"), ledger=tmp_path / "t.ledger", unit="who")
