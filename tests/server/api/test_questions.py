from tests.server.hospital import COUNT

PLACE = "/api/datasets/visits/questions"


def test_a_question_is_kept_for_who_saved_it_and_for_nobody_else(caller, ledger):
    ann, bob = caller(name="ann"), caller(name="bob")
    kept = ann("POST", PLACE, json={"title": "wards", "sql": COUNT, "epsilon": "0.1"}).json()
    assert kept == {"id": kept["id"], "title": "wards", "sql": COUNT, "epsilon": "0.1", "delta": ""}
    assert ann("GET", PLACE).json() == [kept]
    assert bob("GET", PLACE).json() == []
    assert bob("DELETE", f"{PLACE}/{kept['id']}").status_code == 204
    assert ann("GET", PLACE).json() == [kept]
    assert ann("DELETE", f"{PLACE}/{kept['id']}").status_code == 204
    assert ann("GET", PLACE).json() == []
    assert ledger.entries("visits") == []


def test_what_is_too_long_or_empty_is_refused(caller):
    ann = caller(name="ann")
    assert ann("POST", PLACE, json={"sql": " "}).status_code == 400
    assert ann("POST", PLACE, json={"sql": COUNT, "title": "x" * 201}).status_code == 422
    assert ann("POST", PLACE, json={"sql": COUNT, "more": 1}).status_code == 422
