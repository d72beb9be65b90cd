import itertools
import math
from collections import defaultdict
from fractions import Fraction

import pytest

from dalenius.errors import BudgetExceeded, InvalidParameter, UnknownName
from dalenius.local import Accountant, Frequency, Mean, VectorMean
from dalenius.noise import Bits


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


def test_a_kept_answer_is_given_again_free_and_a_changed_value_waits_for_the_next_period(tmp_path):
    city = Frequency(["Basel", "Bern", "Zug"], 1)
    device = Accountant(tmp_path / "device.json", 2)
    first = device.randomize(city, "Bern", once=True)
    assert Accountant(tmp_path / "device.json", 2).randomize(city, "Bern", once=True) == first
    assert device.randomize(city, "Zug", once=True) == first  # a change does not show
    assert device.spent == 1
    november = device.randomize(city, "Zug", period="2026-11")
    assert device.spent == 2
    assert device.randomize(city, "Basel", period="2026-11") == november
    with pytest.raises(BudgetExceeded):
        device.randomize(city, "Zug", period="2026-12")
    vectors = Accountant(tmp_path / "other.json", 1)
    one = vectors.randomize(VectorMean(2, 0, 1, 1), [0.5, 0.5], once=True)
    assert vectors.randomize(VectorMean(2, 0, 1, 1), [0.5, 0.5], once=True) == one


class Drawn(Bits):
    """Bits for randomized response over two values whose coins fall as they are told to."""

    def __init__(self, coins):
        super().__init__()
        self.coins = list(coins)

    def integer(self, width):
        return 0 if self.coins.pop(0) else 2**64 - 1


def transcripts(tmp_path, history, keep):
    """P[all reports | the values of three days], exactly, over every way the coins can fall."""
    question = Frequency(2, 1, "k-ary response")
    chance, masses = question.oracle.coin.chance, defaultdict(Fraction)
    for number, coins in enumerate(itertools.product((True, False), repeat=2)):  # no more are drawn
        path = tmp_path / f"{keep.__name__}-{history}-{number}.json"
        device = Accountant(path, 10, Drawn(coins))
        said = tuple(keep(device, question, day, value)[-1] for day, value in enumerate(history))
        masses[said] += math.prod((chance if coin else 1 - chance for coin in coins), start=Fraction(1))
    return masses


def by_period(device, question, day, value):
    return device.randomize(question, value, period=str(day // 2))


def by_value(device, question, day, value):
    """A mutant: an answer for each value, so that a change shows."""
    return device.randomize(question, value, period=f"value {value}")


@pytest.mark.theorem("A Def 4.1")
def test_reports_of_a_history_cost_epsilon_a_period_and_an_answer_for_each_value_would_leak(tmp_path):
    histories = list(itertools.product((0, 1), repeat=3))
    told = {history: transcripts(tmp_path, history, by_period) for history in histories}
    worst = max(told[x][y] / told[z][y] for x in histories for z in histories for y in told[x])
    assert math.log(worst) == pytest.approx(2, rel=1e-12)  # two periods, whatever the values did
    steady, moved = (transcripts(tmp_path, history, by_value) for history in ((0, 0, 0), (0, 0, 1)))
    assert any(moved[y] > 0 == steady[y] for y in moved)


def test_two_processes_of_a_device_share_its_budget(tmp_path):
    city, path = Frequency(["Basel", "Bern"], 1), tmp_path / "device.json"
    one, two = Accountant(path, 2), Accountant(path, 2)
    one.randomize(city, "Bern")
    two.randomize(city, "Bern")
    with pytest.raises(BudgetExceeded):
        one.randomize(city, "Bern")
    path.unlink()
    with pytest.raises(InvalidParameter, match="record is gone"):
        two.randomize(city, "Bern")


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
    for text in ("", "{}", '{"version": 2, "budget": "2", "spent": "-1", "kept": {}}', '{"version": 9}'):
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
