from dalenius.server import Catalog, create_app
from tests.server.console.visitor import Visitor
from tests.server.hospital import Caller


def test_a_table_is_described_from_its_policy_alone(caller):
    told = caller()("GET", "/api/datasets/visits").json()
    columns = {one["name"]: one for one in told["columns"]}
    assert (told["protects"], told["role"], told["contributions"]) == ("each patient (add-remove)", "analyst", 2)
    assert columns["ward"]["keys"] == ["a", "b"]
    assert columns["cost"]["bounds"] == ["0", "100"]


def test_only_tables_that_the_key_opens_are_listed(caller):
    assert [one["table"] for one in caller()("GET", "/api/datasets").json()] == ["visits"]
    both = caller("owner", datasets=["visits", "staff"])
    assert [one["table"] for one in both("GET", "/api/datasets").json()] == ["staff", "visits"]


def test_what_the_owner_says_of_a_column_is_shown(tmp_path):
    (tmp_path / "visits.csv").write_text("person,cost\na,1\n")
    words = 'table = "visits"\nsource = "visits.csv"\nunit = "person"\n[budget]\nepsilon = 1\n[columns]\n'
    words += 'person = "VARCHAR"\ncost = "DOUBLE"\n[descriptions]\ncost = "what was <b>paid</b>"\n'
    (tmp_path / "policy.toml").write_text(words)
    app = create_app(Catalog.open([tmp_path / "policy.toml"], tmp_path / "x.ledger"))
    secret, _ = app.state.served.catalog.ledger.create_key("ann", "analyst", ["visits"])
    (table,) = Caller(app, secret)("GET", "/api/datasets").json()
    assert [one["description"] for one in table["columns"]] == [None, "what was <b>paid</b>"]
    assert "what was &lt;b&gt;paid&lt;/b&gt;" in Visitor(app, secret).get("/tables/visits").text
