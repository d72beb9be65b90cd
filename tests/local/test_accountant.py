import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, UnknownName
from dalenius.local import Accountant, Frequency, Mean, VectorMean


def test_reports_are_paid_for_and_refused_past_the_budget_across_restarts(tmp_path):
    city, age = Frequency(["Basel", "Bern"], 1), Mean(0, 100, "0.5")
    device = Accountant(tmp_path / "device.json", 2)
    device.randomize(city, "Bern")
    device.randomize(age, 44)
    assert float(device.spent) == 1.5
    again = Accountant(tmp_path / "device.json", 2)
    assert again.remaining == device.remaining
    with pytest.raises(BudgetExceeded, match="has 1/2 left"):
        again.randomize(city, "Basel")
    again.randomize(age, 44)
    assert again.remaining == 0
    assert "Bern" not in repr(again)


def test_a_kept_answer_is_given_again_free(tmp_path):
    city = Frequency(["Basel", "Bern", "Zug"], 1)
    device = Accountant(tmp_path / "device.json", 2)
    first = device.randomize(city, "Bern", once=True)
    assert Accountant(tmp_path / "device.json", 2).randomize(city, "Bern", once=True) == first
    assert device.spent == 1
    device.randomize(city, "Zug", once=True)  # another value is another report
    assert device.spent == 2
    assert device.randomize(city, "Bern", once=True) == first
    vectors = Accountant(tmp_path / "other.json", 1)
    one = vectors.randomize(VectorMean(2, 0, 1, 1), [0.5, 0.5], once=True)
    assert vectors.randomize(VectorMean(2, 0, 1, 1), [0.5, 0.5], once=True) == one


def test_rappor_keeps_its_permanent_answer_and_draws_every_round_anew(tmp_path):
    city = Frequency(64, 2, "rappor")
    device = Accountant(tmp_path / "device.json", 2)
    rounds = {device.randomize(city, 7, once=True) for _ in range(20)}
    assert len(rounds) == 20
    assert device.spent == 2
    collected = city.aggregator()
    assert collected.add(rounds) == 20


def test_a_value_outside_costs_nothing_and_a_damaged_record_sends_no_more(tmp_path):
    city = Frequency(["Basel", "Bern"], 1)
    device = Accountant(tmp_path / "device.json", 2)
    with pytest.raises(UnknownName):
        device.randomize(city, "Paris")
    assert device.spent == 0
    device.randomize(city, "Bern")
    with pytest.raises(InvalidParameter, match="budget of 2"):
        Accountant(tmp_path / "device.json", 3)
    for text in ("", "{}", '{"version": 1, "spent": "-1", "kept": {}}', '{"version": 9}'):
        (tmp_path / "device.json").write_text(text)
        with pytest.raises(InvalidParameter, match="damaged"):
            Accountant(tmp_path / "device.json", 2)


@pytest.mark.theorem("A Def 4.1")
def test_questions_that_depend_on_earlier_answers_stay_within_the_budget(tmp_path):
    # sequentially interactive: the next question is chosen by the report of the one before
    device, asked = Accountant(tmp_path / "device.json", 3), 0
    coarse, left, right = Frequency(2, 1), Frequency(4, 1), Frequency(8, 1)
    for _ in range(10):
        try:
            bit = device.randomize(coarse, 1)[-1] & 1
            device.randomize(right if bit else left, 2)
            asked += 1
        except BudgetExceeded:
            break
    assert asked == 1
    assert device.spent <= 3
