import pytest

from dalenius.errors import InvalidParameter, StaleState
from dalenius.learning.torch.journal import Journal

pytestmark = pytest.mark.torch


@pytest.fixture
def journal(tmp_path):
    return Journal.create(tmp_path / "run.journal", "run", "facts", "first")


def test_a_claim_is_made_once_and_never_taken_back(journal):
    journal.claim(0, 5, "second")
    assert journal.claimed == 5
    with pytest.raises(StaleState):
        journal.claim(0, 5, "again")
    journal.claim(5, 9, "third")
    assert Journal.open(journal.path, "run").claimed == 9


def test_only_the_current_checkpoint_can_be_taken(journal):
    journal.claim(0, 5, "second")
    journal.settle("second")
    with pytest.raises(StaleState, match="not the current one"):
        journal.take("first", "facts")
    begun, token = journal.take("second", "facts")
    assert begun == 5
    journal.settle(token)
    with pytest.raises(StaleState):
        journal.take("second", "facts")
    with pytest.raises(StaleState):
        journal.settle("second")


@pytest.mark.parametrize("token", ["first", "second"])
def test_a_crash_while_a_checkpoint_is_written_leaves_one_that_can_be_taken(journal, token):
    journal.claim(0, 5, "second")
    assert journal.take(token, "facts")[0] == 5  # the file on disk may be either; the steps stay spent


def test_of_two_that_take_the_same_one_the_second_is_stale_at_its_first_claim(journal):
    (_, one), (_, other) = journal.take("first", "facts"), journal.take("first", "facts")
    journal.settle(other)
    journal.claim(0, 3, "a")
    with pytest.raises(StaleState):
        journal.settle(one)
    with pytest.raises(StaleState):
        journal.claim(0, 3, "b")


def test_another_run_other_parameters_and_a_finished_run_are_refused(journal, tmp_path):
    with pytest.raises(StaleState, match="other parameters"):
        journal.take("first", "other facts")
    with pytest.raises(StaleState, match="another run"):
        Journal.open(journal.path, "walk")
    with pytest.raises(StaleState, match="not beside it"):
        Journal.open(tmp_path / "nowhere", "run")
    with pytest.raises(InvalidParameter):
        Journal.create(journal.path, "run", "facts", "x")
    journal.finish()
    with pytest.raises(StaleState, match="finished"):
        journal.take("first", "facts")
    with pytest.raises(StaleState):
        journal.claim(0, 1, "x")
