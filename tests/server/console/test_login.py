from tests.server.console.visitor import Visitor


def test_who_is_not_signed_in_is_sent_to_the_page_that_asks_for_a_key(app):
    for path in ("/", "/tables/visits", "/tables/visits/govern", "/tables/nothing"):
        answer = Visitor(app).get(path)
        assert (answer.status_code, answer.headers["location"]) == (303, "/login")


def test_wrong_keys_are_told_in_one_sentence_and_slowed_down(app):
    visitor = Visitor(app)
    answers = [visitor.post("/login", key=f"dk_{number}") for number in range(22)]
    assert [answer.status_code for answer in answers] == [401] * 20 + [429] * 2
    assert len({answer.text for answer in answers[:20]}) == 1
    assert "dk_3" not in answers[3].text


def test_signing_out_takes_the_cookie_back(visitor):
    ann = visitor()
    ann.post("/logout")
    assert ann.get("/").status_code == 303
