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


def test_the_figures_of_the_burn_down_pictures_are_json(caller, ledger):
    ledger.share("visits", "ann", "0.5")
    ann, olga = caller(name="ann"), caller("owner", "olga")
    ann.ask(epsilon="0.1")
    ann.ask(epsilon="0.25")
    place = "/api/datasets/visits/spending"
    whole, share = olga("GET", place).json(), olga("GET", f"{place}?analyst=ann").json()
    assert (whole["granted"], [one["left"] for one in whole["points"]]) == ("10", ["10", "9.9", "9.65"])
    assert (share["granted"], [one["left"] for one in share["points"]]) == ("0.5", ["0.5", "0.4", "0.15"])
    assert [one["charged"] for one in share["points"]] == ["0", "0.1", "0.25"]
    assert [one["time"] for one in whole["points"]] == sorted(one["time"] for one in whole["points"])
    assert olga("GET", f"{place}?analyst=nobody").status_code == 404
    assert olga("GET", f"{place}?block=a").status_code == 404
    assert olga("GET", f"{place}?analyst=ann&block=a").status_code == 400
