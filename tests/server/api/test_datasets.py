def test_a_table_is_described_from_its_policy_alone(caller):
    told = caller()("GET", "/api/datasets/visits").json()
    columns = {one["name"]: one for one in told["columns"]}
    assert (told["protects"], told["role"], told["contributions"]) == ("each patient (add-remove)", "analyst", 2)
    assert columns["ward"]["keys"] == ["a", "b"]
    assert columns["cost"]["bounds"] == ["0", "100"]


def test_only_tables_that_the_key_opens_are_listed(caller):
    assert [one["table"] for one in caller()("GET", "/api/datasets").json()] == ["visits"]
    both = caller("owner", datasets=["visits", "staff"])
    assert [one["table"] for one in both("GET", "/api/datasets").json()] == ["staff", "visits"]
