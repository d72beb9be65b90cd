import pyarrow as pa

from dalenius.ledger import Ledger
from dalenius.server import Catalog, create_app
from dalenius.server.console.joined import joined_tables
from dalenius.sql import connect
from tests.server.console.visitor import Visitor


def library(folder):
    ledger = Ledger.open(folder / "library.ledger")
    loans = pa.table({"reader": ["r1", "r1", "r2"], "days": [1, 2, 3]})
    readers = pa.table({"reader": ["r1", "r2"], "district": ["hill", "lake"], "<b>": [1, 2]})
    session = connect(
        {"loans": loans, "readers": readers},
        unit="reader",
        contributions=2,
        bounds={"days": (0, 18)},
        keys={"days": [0, 1, 2], "readers.district": ["hill", "lake"]},
        budget={"epsilon": 1},
        ledger=ledger,
    )
    return session, ledger


def test_tables_that_may_be_joined_are_listed_with_what_is_declared_of_them(tmp_path):
    session, ledger = library(tmp_path)
    (readers,) = joined_tables(session)
    assert readers.name == "readers"
    assert ("reader", "VARCHAR", "who is protected") in readers.columns
    assert ("district", "VARCHAR", "hill, lake") in readers.columns
    page = Visitor(create_app(Catalog([session], ledger)), ledger.create_key("ann", "analyst", ["loans"])[0])
    told = page.get("/tables/loans").text
    assert "Columns of readers, to be joined" in told
    assert "hill, lake" in told
    assert "<b>" not in told


def test_bounds_and_keys_of_a_column_do_not_run_together(tmp_path):
    session, ledger = library(tmp_path)
    page = Visitor(create_app(Catalog([session], ledger)), ledger.create_key("ann", "analyst", ["loans"])[0])
    assert "0 to 18; 0, 1, 2" in page.get("/tables/loans").text
