import io

import pyarrow as pa
import pytest

from dalenius.ledger import Tile
from dalenius.server.console.shown import answer_table
from dalenius.server.settings import Settings
from tests.server.console.visitor import Visitor
from tests.server.hospital import COUNT, hospital

HOSTILE = "<img src=x onerror=alert(1)>"


@pytest.fixture
def stranger(app):
    return Visitor(app)


def publish(app, ledger, title="Beds", question=COUNT):
    session = app.state.served.catalog._tables["visits"]
    release = session.sql(question, epsilon="0.1")
    ledger.publish("visits", "abc", title, [Tile(title, release.receipt.head)])
    return release


def test_everybody_reads_figures_error_and_statement_of_what_was_published(app, ledger, stranger):
    assert stranger.get("/public/abc").status_code == 404
    release = publish(app, ledger)
    before = ledger.verify()
    page = stranger.get("/public/abc").text
    assert "0.1-differential privacy" in page
    for cell in answer_table(release).rows[0]:
        assert cell.text in page
    assert "Beds" in stranger.get("/public").text
    assert ledger.verify() == before


def test_everybody_downloads_what_was_published(app, ledger, stranger):
    release = publish(app, ledger)
    csv, json, arrow = (stranger.get(f"/public/abc/0/answer.{kind}") for kind in ("csv", "json", "arrow"))
    assert csv.text.startswith("ward,n,n_lower,n_upper,privacy")
    assert [row[1] for row in json.json()["rows"]] == list(release.value["n"])
    assert pa.ipc.open_stream(io.BytesIO(arrow.content)).read_all()["n"].to_pylist() == list(release.value["n"])
    assert stranger.get("/public/abc/0/chart.svg").text.startswith("<svg")
    for path in ("1/answer.csv", "-1/answer.csv", "0/answer.exe", "x/answer.csv"):
        assert stranger.get(f"/public/abc/{path}").status_code in (404, 422)


def test_what_was_not_published_or_was_withdrawn_is_not_there(app, ledger, stranger):
    release = publish(app, ledger)
    other = app.state.served.catalog._tables["visits"].sql("SELECT SUM(cost) AS s FROM visits", epsilon="0.1")
    assert f"{other.value:.0f}" not in stranger.get("/public/abc").text
    for path in (f"/tables/visits/answers/{release.receipt.head}", "/tables/visits", "/tables/visits/history"):
        assert stranger.get(path).status_code == 303
    ledger.withdraw("visits", "abc")
    for path in ("/public/abc", "/public/abc/0/answer.csv", "/public/abc/0/chart.svg"):
        assert stranger.get(path).status_code == 404
    assert "Beds" not in stranger.get("/public").text


def test_a_page_of_a_data_set_that_is_not_served_is_not_there(app, ledger, stranger):
    from dalenius.server import Catalog

    publish(app, ledger)
    app.state.served.catalog = Catalog([app.state.served.catalog._tables["staff"]], ledger)
    assert stranger.get("/public/abc").status_code == 404
    assert "Beds" not in stranger.get("/public").text


def test_titles_are_text(app, ledger, stranger):
    publish(app, ledger, HOSTILE)
    for path in ("/public", "/public/abc"):
        assert HOSTILE not in stranger.get(path).text


@pytest.mark.parametrize("name", ["..%2f..%2fx", "a" * 65, "a.b", "%00"])
def test_odd_names_are_no_pages(stranger, name):
    assert stranger.get(f"/public/{name}").status_code in (404, 422)


def test_one_address_is_slowed_down(tmp_path):
    app, _, _ = hospital(tmp_path, settings=Settings(public_per_minute=3))
    assert [Visitor(app).get("/public").status_code for _ in range(5)] == [200, 200, 200, 429, 429]
