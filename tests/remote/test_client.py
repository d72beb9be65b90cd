import json

import pytest

from dalenius import errors
from dalenius.remote.client import HttpClient, refusal
from dalenius.remote.transport import Reply


class Played:
    """Replies in order, and the requests that they answered; time passes in pauses alone."""

    def __init__(self, *replies):
        self.replies, self.sent, self.time = list(replies), [], 0.0

    def send(self, method, path, headers, body):
        self.sent.append((method, path, dict(headers), body))
        reply = self.replies.pop(0)
        if isinstance(reply, Exception):
            raise reply
        status, content, headers = (*reply, {})[:3]
        return Reply(status, headers, content if isinstance(content, bytes) else json.dumps(content).encode())

    def pause(self, seconds):
        self.time += seconds


def client(*replies, patience=60):
    played = Played(*replies)
    return HttpClient(played, "dk_x", patience, lambda: played.time, played.pause), played


BROKEN = errors.ServerUnavailable("broken")
LATE = (202, {"state": "no answer", "message": "no answer has left"})


@pytest.mark.parametrize("first", [BROKEN, LATE, (429, {"error": "Busy"}), (503, {"error": "LedgerUnavailable"})])
def test_a_question_is_sent_again_under_one_key_and_with_one_body(first):
    asking, played = client(first, first, (200, {"n": 1}))
    assert asking.ask("/q", {"sql": "x"}, "k1") == {"n": 1}
    assert len({(headers["Idempotency-Key"], body) for _, _, headers, body in played.sent}) == 1


def told(repeated):
    return 200, {"n": 1}, {"dalenius-repeated": repeated}


@pytest.mark.parametrize(
    ("replies", "key", "repeated"),
    [
        ((told("false"),), None, False),
        ((told("true"),), None, True),
        ((LATE, told("true")), None, False),  # this very call has paid: nobody else has its key
        ((LATE, LATE, told("true")), None, False),
        ((BROKEN, told("true")), None, True),  # what the line swallowed nobody knows
        (((429, {"error": "Busy"}), told("true")), None, True),
        ((LATE, told("true")), "k1", True),  # under a key of the caller's, an earlier call may have paid
    ],
)
def test_an_answer_that_this_call_has_paid_for_was_not_paid_before_it(replies, key, repeated):
    asking, played = client(*replies)
    assert asking.pay("/q", {"sql": "x"}, key)["repeated"] is repeated
    assert len({headers["Idempotency-Key"] for _, _, headers, _ in played.sent}) == 1


def test_patience_ends_and_the_last_reply_is_told():
    asking, played = client(*[LATE] * 100, patience=10)
    with pytest.raises(errors.ExecutionFailed, match="no answer has left"):
        asking.ask("/q", {}, "k1")
    assert 8 < played.time <= 10
    asking, played = client(*[BROKEN] * 100, patience=10)
    with pytest.raises(errors.ServerUnavailable):
        asking.read("/q")


def test_what_would_count_twice_is_sent_once():
    asking, played = client(BROKEN, (201, {}))
    with pytest.raises(errors.ServerUnavailable):
        asking.tell("/requests", {})
    assert len(played.sent) == 1


def test_a_refusal_is_not_asked_again():
    asking, played = client((402, {"error": "BudgetExceeded", "message": "too much"}))
    with pytest.raises(errors.BudgetExceeded, match=r"^too much$"):
        asking.ask("/q", {}, "k1")
    assert len(played.sent) == 1


@pytest.mark.parametrize("name", [name for name in vars(errors) if name[0].isupper()])
def test_every_error_of_the_tree_comes_back_as_itself(name):
    kind = getattr(errors, name)
    told = refusal(400, {"error": name, "message": "the rule\nand the remedy"})
    assert (type(told), str(told)) == (kind, "the rule\nand the remedy")


@pytest.mark.parametrize(
    ("status", "content", "kind"),
    [
        (401, {"error": "Refused", "message": "no"}, errors.AccessRefused),
        (403, {"error": "Refused", "message": "no"}, errors.AccessRefused),
        (404, {"error": "Refused", "message": "no"}, errors.AccessRefused),
        (422, {"error": "InvalidRequest", "message": "no"}, errors.InvalidParameter),
        (429, {"error": "Busy", "message": "no"}, errors.ServerUnavailable),
        (500, {"error": "Failed", "message": "no"}, errors.ServerUnavailable),
        (307, {}, errors.ServerUnavailable),
        (400, {"error": "terminal", "message": "no"}, errors.ServerUnavailable),
        (400, {"error": "__doc__", "message": 7}, errors.ServerUnavailable),
    ],
)
def test_other_refusals_have_a_class_too(status, content, kind):
    assert type(refusal(status, content)) is kind


def test_a_reply_that_is_no_json_is_an_error_of_the_tree():
    asking, _ = client((400, b"<html>"))
    with pytest.raises(errors.ServerUnavailable, match="status 400"):
        asking.read("/q")


@pytest.mark.parametrize("key", ["", "a b", "dk_x\r\nX-Role: owner", "dk_é", 7, None])
def test_a_key_that_would_be_another_header_is_refused(key):
    if key == "":
        assert HttpClient(Played(), key)  # the server says that it opens nothing
        return
    with pytest.raises(errors.InvalidParameter):
        HttpClient(Played(), key)


def test_a_retry_key_that_would_be_another_header_is_refused():
    asking, played = client()
    with pytest.raises(errors.InvalidParameter):
        asking.ask("/q", {}, "a\r\nX: y")
    assert played.sent == []


def test_what_json_cannot_hold_is_refused_before_it_is_sent():
    asking, played = client()
    with pytest.raises(errors.InvalidParameter):
        asking.ask("/q", {"epsilon": object()}, "k")
    assert played.sent == []


def test_a_reply_that_is_nested_without_end_is_no_reply():
    class Nested:
        def send(self, *_):
            return Reply(500, {}, b"[" * 200_000)

    with pytest.raises(errors.ServerUnavailable, match="500"):
        HttpClient(Nested(), "dk_x").read("/api/datasets")
