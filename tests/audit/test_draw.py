import threading
import time

import numpy as np
import pytest

from dalenius.audit.draw import Raised, as_callable, draw, draw_pair
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.mechanisms import CATALOG, AdditiveMechanism, Geometric
from tests.noise.seeded import SeededBits


class Batched:
    def __init__(self, answer):
        self.answer, self.calls = answer, 0

    def __call__(self, data):
        self.calls += 1
        return data

    def batch(self, data, n):
        return self.answer(data, n)


def test_a_batch_is_used_and_must_give_one_output_a_draw():
    mechanism = Batched(lambda data, n: np.full(n, data))
    assert draw(mechanism, 3, 5).tolist() == [3] * 5
    assert mechanism.calls == 0
    assert draw(Batched(lambda data, n: (data for _ in range(n))), 3, 2) == [3, 3]
    with pytest.raises(AuditFailed, match="one a draw"):
        draw(Batched(lambda data, n: [1]), 3, 5)


def test_a_batch_that_fails_is_replaced_by_single_calls():
    def broken(data, n):
        raise ValueError

    mechanism = Batched(broken)
    assert draw(mechanism, 3, 5) == [3] * 5
    assert mechanism.calls == 5


def test_an_error_is_an_output():
    def sometimes(data, state=[0]):  # noqa: B006
        state[0] += 1
        if state[0] % 2:
            raise KeyError("k")
        return data

    outputs = draw(sometimes, 1, 4)
    assert outputs == [Raised("KeyError", "'k'"), 1, Raised("KeyError", "'k'"), 1]


def test_what_was_drawn_in_time_is_kept_and_a_hang_is_named():
    def slow(data):
        time.sleep(0.01)
        return data

    assert 1 <= len(draw(slow, 1, 10**6, seconds=1)) < 10**6
    with pytest.raises(AuditFailed, match="hangs"):
        draw(lambda data: threading.Event().wait(), 1, 10, seconds=0.1)
    assert draw(lambda data: data, 7, 3, seconds=5) == [7, 7, 7]


def test_progress_is_told():
    seen = []
    draw(lambda data: data, 1, 600, progress=lambda done, wanted: seen.append((done, wanted)))
    assert seen == [(256, 600), (512, 600)]


def test_a_mechanism_that_takes_bits_is_given_them():
    def noisy(data, bits):
        return data + int(bits.integer(1))

    one, other = (draw(as_callable(noisy, SeededBits(4)), 0, 20) for _ in range(2))
    assert one == other
    assert draw(as_callable(lambda data: data), 5, 1) == [5]
    with pytest.raises(InvalidParameter, match="callable"):
        as_callable(3)


@pytest.mark.parametrize("entry", CATALOG, ids=lambda entry: entry.label)
def test_every_mechanism_of_the_catalog_can_be_drawn(entry):
    answer = entry.neighbors[0]
    if entry.mechanism.name in ("exponential on an interval", "quantile", "quantiles"):  # one utility, no tuple of them
        answer = answer[0]
    outputs = draw(as_callable(entry.mechanism), answer, 5)
    assert len(outputs) == 5
    assert not any(isinstance(output, Raised) for output in outputs)
    if isinstance(entry.mechanism, AdditiveMechanism):
        assert np.shape(outputs) == (5, len(entry.neighbors[0]))


def test_tiled_releases_are_independent():
    from fractions import Fraction

    outputs = draw(as_callable(Geometric(Fraction(3))), [0, 0], 4000)
    # a correlation of 4000 independent pairs exceeds 0.1 with probability below 1e-9
    assert abs(np.corrcoef(outputs.T)[0, 1]) < 0.1
    assert abs(np.corrcoef(outputs[:-1, 0], outputs[1:, 0])[0, 1]) < 0.1


def test_the_two_data_sets_take_turns_by_a_coin():
    calls = []
    first, second = draw_pair(lambda data: calls.append(data) or len(calls), "x", "y", 400)
    assert sorted([*first, *second]) == list(range(1, 801))
    assert all(abs(a - b) == 1 for a, b in zip(first, second, strict=True))
    # 400 fair coins: fewer than 120 of either kind has probability below 1e-15
    assert 120 < sum(a < b for a, b in zip(first, second, strict=True)) < 280


def test_a_hang_on_one_side_is_named_and_what_both_gave_is_kept():
    def hangs(data, seen=[0]):  # noqa: B006
        seen[0] += 1
        if seen[0] > 100:
            threading.Event().wait()
        return data

    first, second = draw_pair(hangs, 1, 2, 10_000, seconds=1)
    assert 49 <= len(first) == len(second) <= 50
    with pytest.raises(AuditFailed, match="on x or on x2"):
        draw_pair(lambda data: data or threading.Event().wait(), 1, 0, 10, seconds=0.1)


def test_a_pair_is_drawn_in_batches_where_there_are_some():
    mechanism = Batched(lambda data, n: np.full(n, data))
    assert [side.tolist() for side in draw_pair(mechanism, 3, 4, 2)] == [[3, 3], [4, 4]]
