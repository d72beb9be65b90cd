def test_an_owner_replays_the_chain_and_a_head_that_is_missing_shows_it_was_cut(caller, ledger):
    owner = caller("owner")
    head = owner("POST", "/api/datasets/visits/verify").json()["head"]
    assert owner("POST", "/api/datasets/visits/verify", json={"head": head}).status_code == 200
    answer = owner("POST", "/api/datasets/visits/verify", json={"head": "0" * 64})
    assert (answer.status_code, answer.json()["error"]) == (400, "LedgerCorrupted")
