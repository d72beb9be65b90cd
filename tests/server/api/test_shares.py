def test_a_share_is_given_lowered_and_revoked_as_entries_of_who_did_it(caller, ledger):
    owner = caller("owner", name="olga")
    for epsilon in ("0.5", "0.2"):
        answer = owner("PUT", "/api/datasets/visits/shares/ann", json={"epsilon": epsilon, "until": "2100-01-01"})
        assert answer.status_code == 204
    assert owner("GET", "/api/datasets/visits/shares").json()["ann"]["epsilon"] == "0.2"
    assert owner("DELETE", "/api/datasets/visits/shares/ann").status_code == 204
    assert owner("GET", "/api/datasets/visits/shares").json()["ann"]["revoked"]
    written = [(one.kind, one.by, one.origin) for one in ledger.log("visits") if one.kind in ("share", "revoke")]
    assert written == [("share", "olga", "http"), ("share", "olga", "http"), ("revoke", "olga", "http")]


def test_a_share_beyond_the_cap_or_with_an_end_in_the_past_is_refused(caller):
    owner = caller("owner")
    for share in ({"epsilon": "11"}, {"epsilon": "-1"}, {"epsilon": 1, "until": "2020-01-01"}, {"epsilon": "x"}):
        assert owner("PUT", "/api/datasets/visits/shares/ann", json=share).status_code == 400
