from tests.server.hospital import COUNT


def test_the_policy_is_read_back_in_words(caller):
    said = caller("owner")("GET", "/api/datasets/visits/policy").json()
    assert any("patient" in line for line in said["words"])
    assert isinstance(said["ready"], bool)


def test_the_pace_is_a_sentence_and_its_numbers(caller):
    olga = caller("owner", "olga")
    assert olga("GET", "/api/datasets/visits/pace").json()["text"] == "In the last day nothing was spent."
    olga.ask(COUNT, "0.1")
    pace = olga("GET", "/api/datasets/visits/pace").json()
    assert (pace["days"], pace["spent"], pace["year"]) == (1, "1/10", "73/2")


def test_an_owner_opens_a_table_to_everybody_and_closes_it(caller, ledger):
    olga, place = caller("owner", "olga"), "/api/datasets/visits/public"
    assert olga("DELETE", place).status_code == 404
    assert olga("PUT", place, json={"epsilon": "1", "daily": "0"}).status_code == 400
    assert ledger.all_shares("visits") == {}  # no share without its allowance
    assert olga("PUT", place, json={"epsilon": "1", "daily": "0.1"}).status_code == 204
    assert str(ledger.allowance("visits", "public")) == "ε = 0.1"
    assert olga("DELETE", place).status_code == 204
    assert ledger.all_shares("visits")["public"].revoked
