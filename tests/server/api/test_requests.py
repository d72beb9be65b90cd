from tests.server.hospital import COUNT

WISH = {"sql": COUNT, "epsilon": "0.3", "purpose": "beds"}


def test_a_question_that_the_owner_approves_is_run_once_beside_the_share(caller, ledger):
    ledger.share("visits", "ann", "0.1")
    ann, owner = caller(name="ann"), caller("owner")
    assert ann.ask(epsilon="0.3").status_code == 402
    name = ann("POST", "/api/datasets/visits/requests", json=WISH).json()["id"]
    (asked,) = owner("GET", "/api/datasets/visits/requests").json()
    assert (asked["id"], asked["text"], asked["epsilon"], asked["state"]) == (name, COUNT, "0.3", "open")
    assert owner("POST", f"/api/datasets/visits/requests/{name}/approve").status_code == 204
    assert ann.ask(epsilon="0.3").status_code == 200


def test_a_request_is_declined_with_a_reason_and_answered_once(caller, ledger):
    ann, owner = caller(name="ann"), caller("owner")
    name = ann("POST", "/api/datasets/visits/requests", json=WISH).json()["id"]
    place = f"/api/datasets/visits/requests/{name}"
    assert owner("POST", f"{place}/decline", json={"reason": "no"}).status_code == 204
    assert owner("POST", f"{place}/approve").status_code == 409
    assert ann("GET", "/api/datasets/visits/requests").json()[0]["state"] == "declined"


def test_an_analyst_does_not_see_what_others_ask_for(caller):
    caller(name="ann")("POST", "/api/datasets/visits/requests", json=WISH)
    assert caller(name="bob")("GET", "/api/datasets/visits/requests").json() == []


def test_one_analyst_does_not_fill_the_log_with_requests_for_nothing(caller, ledger, monkeypatch):
    monkeypatch.setattr("dalenius.server.wishes.MOST_OPEN", 3)
    ann, bob, olga = caller(name="ann"), caller(name="bob"), caller("owner", "olga")
    place, wish = "/api/datasets/visits/requests", {"sql": COUNT, "epsilon": "0.1"}
    made = [ann("POST", place, json=wish) for _ in range(4)]
    assert [one.status_code for one in made] == [201, 201, 201, 400]
    assert bob("POST", place, json=wish).status_code == 201
    olga("POST", f"{place}/{made[0].json()['id']}/decline")
    assert ann("POST", place, json=wish).status_code == 201
