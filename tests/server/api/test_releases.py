def test_an_asker_sees_their_own_charges_and_answers_and_no_others(caller):
    ann, bob, owner = caller(name="ann"), caller(name="bob"), caller("owner")
    receipt = ann.ask().json()["receipt"]
    (charged,) = ann("GET", "/api/datasets/visits/releases").json()
    assert (charged["receipt"], charged["charged"]) == (receipt, "ε = 0.1")
    assert ann("GET", f"/api/datasets/visits/releases/{receipt}").status_code == 200
    assert bob("GET", "/api/datasets/visits/releases").json() == []
    assert bob("GET", f"/api/datasets/visits/releases/{receipt}").status_code == 404
    assert owner("GET", f"/api/datasets/visits/releases/{receipt}").status_code == 200


def test_who_has_paid_for_a_look_sees_the_answer_too(caller, ledger):
    ann, bob = caller(name="ann"), caller(name="bob")
    receipt = ann.ask().json()["receipt"]
    assert bob.ask().json()["receipt"] == receipt
    assert bob("GET", f"/api/datasets/visits/releases/{receipt}").status_code == 200
    assert len(ledger.entries("visits")) == 1


def test_a_receipt_of_another_data_set_opens_nothing(caller):
    ann = caller(name="ann", datasets=["visits", "staff"])
    receipt = ann.ask().json()["receipt"]
    assert ann("GET", f"/api/datasets/staff/releases/{receipt}").status_code == 404
