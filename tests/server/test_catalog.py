import pytest

from dalenius.errors import InvalidParameter
from dalenius.ledger import Role
from dalenius.server import Catalog, catalog
from dalenius.sql import connect
from tests.server.hospital import rows


@pytest.fixture
def session(ledger):
    return connect(rows(2), table="visits", unit="patient", ledger=ledger, contributions=2, keys={"ward": ["a", "b"]})


def key(ledger, role, name="ann", datasets=("visits",)):
    return ledger.create_key(name, role, datasets)[1]


def test_an_analyst_draws_on_their_share_and_an_owner_on_none(app, ledger):
    served = app.state.served.catalog
    ann = served.session("visits", key(ledger, Role.ANALYST))
    assert (ann.analyst, served.session("visits", key(ledger, Role.OWNER)).analyst) == ("ann", None)
    assert ann is served.session("visits", key(ledger, Role.ANALYST))


def test_what_a_key_does_not_open_is_not_there(app, ledger):
    served = app.state.served.catalog
    ann = key(ledger, Role.ANALYST)
    assert [one.policy.table for one in served.tables(ann)] == ["visits"]
    assert (served.role("staff", ann), served.role("nothing", ann)) == (None, None)
    assert served.datasets() == ["staff", "visits"]


def test_two_tables_of_one_name_are_refused(session, ledger):
    with pytest.raises(InvalidParameter, match="names that differ"):
        Catalog([session, session], ledger)


def test_sessions_that_were_used_long_ago_are_let_go(app, ledger, monkeypatch):
    monkeypatch.setattr(catalog, "MOST_SESSIONS", 3)
    served = app.state.served.catalog
    for number in range(6):
        served.session("visits", key(ledger, Role.ANALYST, f"analyst {number}"))
    assert len(served._sessions) == 3


def test_policy_files_are_opened_on_one_ledger(tmp_path):
    import pyarrow.parquet as pq

    pq.write_table(rows(5), tmp_path / "visits.parquet")
    (tmp_path / "policy.toml").write_text(
        'table = "visits"\nsource = "visits.parquet"\nunit = "patient"\ncontributions = 2\n'
        '[budget]\nepsilon = 1\n[columns]\npatient = "VARCHAR"\nward = "VARCHAR"\ncost = "DOUBLE"\n'
    )
    opened = Catalog.open([tmp_path / "policy.toml"], tmp_path / "x.ledger")
    assert opened.datasets() == ["visits"]
    assert [entry.origin for entry in opened.ledger.log("visits")] == ["http", "http"]
