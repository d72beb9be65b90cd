import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from dalenius.errors import ExecutionFailed, InvalidParameter
from dalenius.ledger import Ledger
from dalenius.server import Catalog, Room

POLICY = """\
table = "visits"
source = "visits.parquet"
unit = "patient"
contributions = 2
tables = {labs = "labs.parquet"}
[budget]
epsilon = 100
[columns]
patient = "VARCHAR"
x = "DOUBLE"
[bounds]
x = [0, 100000]
"labs.y" = [0, 100000]
"""
PRODUCT = "SELECT COUNT(DISTINCT x * 1e5 + y) AS n FROM visits JOIN labs USING (patient)"


@pytest.mark.parametrize("memory", ["", "0GB", "2", "2 GB", "GB", "-1GB", "2GB'", 2, None])
def test_room_is_an_amount(memory):
    with pytest.raises(InvalidParameter, match="memory of a question"):
        Room(memory=memory)


def catalog(folder, rows, room):
    """A patient with `rows` rows in each of two tables, and others with one."""
    names = ["p0"] * rows + [f"p{number}" for number in range(1, 200)]
    values = [float(number) for number in range(len(names))]
    pq.write_table(pa.table({"patient": names, "x": values}), folder / "visits.parquet")
    pq.write_table(pa.table({"patient": names, "y": values}), folder / "labs.parquet")
    (folder / "policy.toml").write_text(POLICY)
    return Catalog.open([folder / "policy.toml"], Ledger.open(folder / "x.ledger"), room)


def test_a_product_of_rows_is_limited_by_public_figures_and_fails_its_own_question_alone(tmp_path):
    served = catalog(tmp_path, 1500, Room("40MB", "20MB"))
    session = served._tables["visits"]
    with pytest.raises(ExecutionFailed) as failed:
        session.sql(PRODUCT, epsilon=1)
    assert "memory" not in str(failed.value).lower()
    assert session.sql("SELECT COUNT(*) AS n FROM visits", epsilon=10).value > 100
    session.close()


def test_room_that_is_enough_answers_it(tmp_path):
    served = catalog(tmp_path, 300, Room("400MB", "400MB"))
    assert served._tables["visits"].sql(PRODUCT, epsilon=1).value is not None
    served._tables["visits"].close()
