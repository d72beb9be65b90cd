from tests.server.console.test_tables import ASK
from tests.server.console.visitor import Visitor
from tests.server.hospital import hospital


def test_somebody_sees_their_own_questions_with_a_way_to_the_answer(visitor, ledger):
    ann, bob = visitor(name="ann"), visitor(name="bob")
    ann.post("/tables/visits/ask", **ASK | {"purpose": "beds"})
    page = ann.get("/tables/visits/history").text
    (entry,) = ledger.entries("visits")
    assert "for beds" in page
    assert ann.get(f"/tables/visits/answers/{entry.hash}").status_code == 200
    assert "None yet" in bob.get("/tables/visits/history").text


def test_an_answer_that_others_had_paid_for_is_in_the_history_too(visitor, ledger):
    ann, bob = visitor(name="ann"), visitor(name="bob")
    for one in (ann, bob):
        one.post("/tables/visits/ask", **ASK)
    (entry,) = ledger.entries("visits")
    page = bob.get("/tables/visits/history").text
    assert "others had paid" in page
    assert f"/tables/visits/answers/{entry.hash}" in page
    assert bob.get(f"/tables/visits/answers/{entry.hash}").status_code == 200


def test_words_are_looked_for(visitor):
    ann = visitor(name="ann")
    ann.post("/tables/visits/ask", **ASK | {"purpose": "beds"})
    assert "COUNT(*)" in ann.get("/tables/visits/history?containing=BEDS").text
    assert "COUNT(*)" not in ann.get("/tables/visits/history?containing=chairs").text


def test_a_profile_is_shown_again_and_is_no_text_to_edit(tmp_path):
    app, ledger, _ = hospital(tmp_path, contributions=None)
    app.state.served.catalog._tables["visits"].profile(epsilon=1)
    olga = Visitor(app, ledger.create_key("olga", "owner", ["visits"])[0])
    page = olga.get("/tables/visits/history").text
    assert "units by how many rows each patient has" in page
    assert "Show the answer" in page
    assert ">Edit</a>" not in page
    olga.post("/tables/visits/ask", **ASK)
    assert olga.get("/tables/visits/history").text.count(">Edit</a>") == 1
