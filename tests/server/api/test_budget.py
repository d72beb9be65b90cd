def test_an_analyst_sees_their_share_and_an_owner_all(caller, ledger):
    ledger.share("visits", "ann", "0.5")
    caller(name="ann").ask()
    ann, owner = (one("GET", "/api/datasets/visits/budget").json() for one in (caller(name="ann"), caller("owner")))
    assert (ann["granted"]["epsilon"], ann["left"]["epsilon"], ann["shares"]) == ("0.5", "0.4", None)
    assert (owner["granted"]["epsilon"], owner["left"]["epsilon"]) == ("10", "9.9")
    assert owner["shares"]["ann"]["epsilon"] == "0.5"


def test_a_viewer_learns_nothing_of_shares(caller, ledger):
    ledger.share("visits", "ann", "0.5")
    told = caller("viewer")("GET", "/api/datasets/visits/budget").json()
    assert told["shares"] is None


def test_a_viewer_sees_what_is_left_of_the_data_set_also_where_there_are_shares(caller, ledger):
    ledger.share("visits", "ann", 3)
    caller(name="ann").ask()
    told = caller("viewer")("GET", "/api/datasets/visits/budget").json()
    assert (told["granted"]["epsilon"], told["left"]["epsilon"], told["shares"]) == ("10", "9.9", None)
