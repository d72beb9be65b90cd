from dalenius.server.console.asked import ask_shown, known_shown
from tests.server.hospital import COUNT

FORM = {"sql": COUNT, "epsilon": "0.1", "delta": ""}


def test_an_answer_is_made_ready_where_it_is_asked(app):
    session = app.state.served.catalog._tables["visits"]
    assert known_shown(session, FORM) is None
    shown = ask_shown(session, FORM, "ann")
    assert shown == known_shown(session, FORM)
    assert shown.table.columns == ["ward", "n"]
    assert shown.stored == shown.receipt
    assert "Private by" in shown.statement


def test_what_follows_from_a_view_is_stored_under_no_receipt(app):
    session = app.state.served.catalog._tables["visits"]
    session.sql(f"CREATE PRIVATE VIEW beds AS {COUNT}", epsilon=1)
    assert ask_shown(session, {"sql": "SELECT SUM(n) AS n FROM beds"}, "ann").stored is None
