import pytest

from tests.server.hospital import COUNT

PLACE = "/api/datasets/visits/dashboards"
MEAN = "SELECT ward, AVG(cost) AS mean FROM visits GROUP BY ward"


@pytest.fixture
def board():
    """A dashboard of a caller's, with two questions."""

    def made(caller):
        place = f"{PLACE}/{caller('POST', PLACE, json={'title': 'Wards'}).json()['id']}"
        for sql in (COUNT, MEAN):
            assert caller("POST", f"{place}/questions", json={"sql": sql, "epsilon": "0.1"}).status_code == 204
        return place

    return made


def test_looking_costs_nothing_and_a_yes_costs_what_was_said(caller, ledger, board):
    ann = caller(name="ann")
    place = board(ann)
    seen = ann("GET", place).json()
    assert (seen["price"], seen["published"]) == ("ε = 0.2", False)
    assert [(tile["price"], tile["answer"], tile["current"]) for tile in seen["tiles"]] == [
        ("ε = 0.1", None, False)
    ] * 2
    assert ledger.entries("visits") == []
    after = ann("POST", f"{place}/refresh", json={"yes": seen["yes"]}).json()
    assert len(ledger.entries("visits")) == 2
    assert (after["price"], after["yes"]) == ("nothing", "")
    assert [tile["answer"]["receipt"] for tile in after["tiles"]] == [tile["receipt"] for tile in after["tiles"]]
    assert after["tiles"][0]["answer"] == ann.ask(COUNT).json()
    assert ann("POST", f"{place}/refresh", json={"yes": ""}).json() == after
    assert len(ledger.entries("visits")) == 2


def test_one_question_is_asked_alone(caller, ledger, board):
    ann = caller(name="ann")
    place = board(ann)
    first = ann("GET", place).json()["tiles"][0]
    said = {"yes": f"{first['id']}={first['price']}", "question": first["id"]}
    assert [tile["current"] for tile in ann("POST", f"{place}/refresh", json=said).json()["tiles"]] == [True, False]
    assert len(ledger.entries("visits")) == 1


@pytest.mark.parametrize("yes", ["", "x=ε = 0.1"])
def test_a_yes_to_another_price_spends_nothing(caller, ledger, board, yes):
    ann = caller(name="ann")
    assert ann("POST", f"{board(ann)}/refresh", json={"yes": yes}).status_code == 409
    assert ledger.entries("visits") == []


def test_a_retry_under_its_key_is_the_same_charges(caller, ledger, board):
    ann = caller(name="ann")
    place = board(ann)
    said, key = {"yes": ann("GET", place).json()["yes"]}, {"Idempotency-Key": "monday"}
    assert ann("POST", f"{place}/refresh", json=said, headers=key).status_code == 200
    assert ann("POST", f"{place}/refresh", json=said, headers=key).status_code == 409  # nothing waits any more
    assert len(ledger.entries("visits")) == 2


def test_a_dashboard_is_its_makers_alone(caller, board):
    ann, bob, owner = caller(name="ann"), caller(name="bob"), caller("owner", "olga")
    place = board(ann)
    for other in (bob, owner):
        assert other("GET", place).status_code == 404
        assert other("POST", f"{place}/refresh", json={"yes": ""}).status_code == 404
        assert other("POST", f"{place}/questions", json={"sql": COUNT}).status_code == 404
        assert other("DELETE", place).status_code == 204
    assert owner("PUT", f"{place}/publication").status_code == 404
    assert [one["title"] for one in ann("GET", PLACE).json()] == ["Wards"]
    assert bob("GET", PLACE).json() == []
    dropped = ann("GET", place).json()["tiles"][0]["id"]
    assert ann("DELETE", f"{place}/questions/{dropped}").status_code == 204
    assert len(ann("GET", place).json()["tiles"]) == 1
    assert ann("DELETE", place).status_code == 204
    assert ann("GET", PLACE).json() == []


def test_an_owner_publishes_what_is_answered_and_withdraws_it(caller, app, board):
    from tests.server.hospital import Caller

    olga, stranger = caller("owner", "olga"), Caller(app)
    place = board(olga)
    assert olga("PUT", f"{place}/publication").status_code == 400  # nothing is answered yet
    olga("POST", f"{place}/refresh", json={"yes": olga("GET", place).json()["yes"]})
    assert olga("PUT", f"{place}/publication").status_code == 204
    assert olga("GET", place).json()["published"]
    name = place.rpartition("/")[2]
    assert len(stranger("GET", f"/api/public/pages/{name}").json()["answers"]) == 2
    assert olga("DELETE", f"{place}/publication").status_code == 204
    assert stranger("GET", f"/api/public/pages/{name}").status_code == 404
    assert olga("DELETE", f"{place}/publication").status_code == 404
