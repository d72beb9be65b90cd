import duckdb
import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import CATALOG, Argument, MeasuredBy, there_are
from dalenius.sql.planner.aggregate_calls import AGGREGATES
from dalenius.sql.planner.compile import compile_query
from tests.house.tree import ROOT
from tests.sql.cases import policy

ROWS = pa.table(
    {
        "user_id": list(range(300)),
        "category": [("food", "toys", "food")[number % 3] for number in range(300)],
        "amount": [float(number % 150) + 0.5 for number in range(300)],
    }
)
EVERY = pytest.mark.parametrize("one", CATALOG, ids=[one.name for one in CATALOG])


@EVERY
def test_an_example_is_answered_as_the_engine_itself_would_answer_it(one, tmp_path):
    db = dalenius.connect(
        ROWS,
        table="purchases",
        ledger=tmp_path / "l",
        unit="user_id",
        contributions=1,
        bounds={"amount": (0, 200)},
        keys={"category": ["food", "toys"]},
        budget={"epsilon": 10**9},
    )
    answer = db.sql(f"SELECT {one.example} AS a FROM purchases", epsilon=10**8).value
    purchases = ROWS  # noqa: F841 - the engine reads it by its name
    (true,) = duckdb.connect().execute(f"SELECT {one.example} FROM purchases").fetchone()
    apart = 1 if one.measured is MeasuredBy.RANKS else 0.01  # between two values each is a median
    assert answer == (true if isinstance(true, str) else pytest.approx(true, rel=1e-3, abs=apart))


@EVERY
def test_an_aggregate_has_a_row_in_the_page_and_a_name_in_refusals(one):
    page = (ROOT / "docs" / "sql.md").read_text(encoding="utf-8")
    assert f"`{one.name.removesuffix('(DISTINCT)')}(" in page
    assert one.name in there_are()
    with pytest.raises(UnsupportedQuery, match="there are COUNT"):
        compile_query("SELECT KURTOSIS(price) FROM purchases", policy())


def test_every_node_is_read_by_one_entry_or_is_another_in_other_words():
    nodes = [node for one in CATALOG for node in one.nodes]
    assert len(set(nodes)) == len(nodes)
    assert set(AGGREGATES) == {node for one in CATALOG if not one.alike for node in one.nodes}
    assert all(one.want for one in CATALOG if one.measured is MeasuredBy.SUMS and not one.alike)
    assert {one.takes for one in CATALOG} == set(Argument)
