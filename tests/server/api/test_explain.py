from tests.server.hospital import COUNT


def test_price_and_error_are_told_and_nothing_is_charged(caller, ledger, clock):
    ann = caller()
    told = ann("POST", "/api/datasets/visits/explain", json={"sql": COUNT, "epsilon": "0.1"}).json()
    assert (told["epsilon"], told["known"], told["left"]["epsilon"]) == ("1/10", False, "10")
    assert told["errors"]["n"] > 0
    assert (ledger.entries("visits"), clock.left_at) == ([], [])


def test_what_is_known_already_is_said_to_be_free(caller):
    ann = caller()
    ann.ask()
    assert ann("POST", "/api/datasets/visits/explain", json={"sql": COUNT, "epsilon": "0.1"}).json()["known"]
    other = caller(name="bob")
    assert not other("POST", "/api/datasets/visits/explain", json={"sql": COUNT, "epsilon": "0.1"}).json()["known"]


def test_a_refusal_is_that_of_a_session(caller):
    answer = caller()("POST", "/api/datasets/visits/explain", json={"sql": "SELECT * FROM visits", "epsilon": 1})
    assert (answer.status_code, answer.json()["error"]) == (400, "UnsupportedQuery")
