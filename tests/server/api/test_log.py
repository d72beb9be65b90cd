def test_an_owner_reads_who_asked_what_for_what(caller):
    caller(name="ann").ask(purpose="beds")
    owner = caller("owner")
    (entry,) = owner("GET", "/api/datasets/visits/log", params={"kind": "reserve", "containing": "BEDS"}).json()
    assert (entry["analyst"], entry["origin"], entry["words"]["purpose"]) == ("ann", "http", "beds")
    assert owner("GET", "/api/datasets/visits/log", params={"analyst": "bob"}).json() == []
