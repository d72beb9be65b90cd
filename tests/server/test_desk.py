import stat
import threading

import pytest

from dalenius.errors import InvalidParameter, LedgerUnavailable, UnknownName
from dalenius.server.desk import MOST_BOARDS, MOST_TILES, Desk, SavedQuestion


@pytest.fixture
def desk(tmp_path):
    return Desk(tmp_path / "x.desk")


def question(title="Beds"):
    return SavedQuestion.of(title, "SELECT 1", "0.1", "")


def test_what_somebody_saves_is_theirs_and_of_one_table(desk):
    desk.save("visits", "ann", question())
    assert [one.title for one in desk.questions("visits", "ann")] == ["Beds"]
    assert desk.questions("visits", "bob") == desk.questions("staff", "ann") == []
    desk.forget("visits", "bob", desk.questions("visits", "ann")[0].id)
    assert len(desk.questions("visits", "ann")) == 1
    desk.forget("visits", "ann", desk.questions("visits", "ann")[0].id)
    assert desk.questions("visits", "ann") == []


def test_a_dashboard_keeps_its_questions_in_order_and_their_receipts(desk):
    board = desk.make("visits", "ann", " Wards ")
    for title in "abc":
        desk.add_tile("visits", "ann", board.id, question(title))
    first, second, _ = desk.dashboard("visits", "ann", board.id).tiles
    desk.note_answer("visits", "ann", board.id, second.id, "r")
    desk.drop_tile("visits", "ann", board.id, first.id)
    kept = desk.dashboard("visits", "ann", board.id)
    assert (kept.title, [(one.title, one.receipt) for one in kept.tiles]) == ("Wards", [("b", "r"), ("c", None)])
    with pytest.raises(UnknownName):
        kept.tile(first.id)
    with pytest.raises(UnknownName):
        desk.add_tile("visits", "bob", board.id, question())
    desk.remove("visits", "ann", board.id)
    with pytest.raises(UnknownName):
        desk.dashboard("visits", "ann", board.id)


def test_nobody_fills_the_disk(desk):
    board = desk.make("visits", "ann", "x")
    for _ in range(MOST_TILES):
        desk.add_tile("visits", "ann", board.id, question())
    with pytest.raises(InvalidParameter, match="at most"):
        desk.add_tile("visits", "ann", board.id, question())
    for _ in range(MOST_BOARDS - 1):
        desk.make("visits", "ann", "x")
    with pytest.raises(InvalidParameter, match="at most"):
        desk.make("visits", "ann", "x")
    for given in (("t" * 201, "SELECT 1", "", ""), ("t", " ", "", ""), ("t", "s" * 10**6, "", "")):
        with pytest.raises(InvalidParameter):
            SavedQuestion.of(*given)


def test_the_file_is_made_when_it_is_needed_and_is_its_owners_alone(desk, tmp_path):
    assert desk.questions("visits", "ann") == []
    assert not (tmp_path / "x.desk").exists()
    desk.save("visits", "ann", question())
    assert stat.S_IMODE((tmp_path / "x.desk").stat().st_mode) == 0o600


def test_two_who_write_at_once_lose_nothing(desk):
    board = desk.make("visits", "ann", "x")
    both = [
        threading.Thread(target=lambda: [desk.add_tile("visits", "ann", board.id, question()) for _ in range(8)])
        for _ in range(2)
    ]
    for one in both:
        one.start()
    for one in both:
        one.join()
    assert len(desk.dashboard("visits", "ann", board.id).tiles) == 16


def test_a_file_that_is_no_desk_is_a_refusal_without_its_words(desk, tmp_path):
    (tmp_path / "x.desk").write_bytes(b"secret words " * 100)
    with pytest.raises(LedgerUnavailable) as refusal:
        desk.questions("visits", "ann")
    assert "secret" not in str(refusal.value)


def test_a_login_that_was_ended_stays_ended_until_its_cookie_would_end(desk):
    assert not desk.has_ended("key", "one")
    desk.end_login("key", "one", end=100, now=50.5)
    desk.end_login("key", "two", end=200, now=60)
    assert desk.has_ended("key", "one")
    assert not desk.has_ended("key", "three")
    assert not desk.has_ended("other", "one")
    desk.end_login("key", "three", end=300, now=101)
    assert [desk.has_ended("key", number) for number in ("one", "two", "three")] == [False, True, True]
