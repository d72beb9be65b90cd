import math
import subprocess
import sys
import threading
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st

from dalenius.numerics import ball, decide, exact, float_above, float_below, floor_of, lower, precision, upper

LARGEST = sys.float_info.max
TINY = math.ulp(0.0)
numbers = st.fractions() | st.floats(allow_nan=False, allow_infinity=False).map(Fraction) | st.integers()


@given(numbers)
@example(Fraction(LARGEST) + 1)
@example(-Fraction(LARGEST) - 1)
@example(Fraction(2) ** 5000)
@example(Fraction(1, 2**5000))
@example(-Fraction(1, 2**5000))
@example(Fraction(TINY) * Fraction(3, 2))
@example(Fraction(1, 3))
@example(0)
def test_ends_are_the_tightest_floats_around_the_number(number):
    exact_number = Fraction(number)
    with precision(6000):  # finer than the gap between any number here and a float
        low, high = lower(ball(number)), upper(ball(number))
    assert (low, high) == (float_below(exact_number), float_above(exact_number))


@given(numbers, st.sampled_from([2, 20, 53, 64, 128]))
def test_ends_hold_the_number_at_any_precision(number, bits):
    with precision(bits):
        low, high = lower(ball(number)), upper(ball(number))
    assert low == -math.inf or Fraction(low) <= number
    assert high == math.inf or number <= Fraction(high)


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_float_stands_for_its_binary_value(x):
    assert exact(ball(x)) == Fraction(x)
    assert lower(ball(x)) == upper(ball(x)) == x


@pytest.mark.parametrize(
    ("enclosure", "ends"),
    [
        (arb("inf"), (math.inf, math.inf)),
        (arb("-inf"), (-math.inf, -math.inf)),
        (arb("nan"), (-math.inf, math.inf)),
        (arb(0, "inf"), (-math.inf, math.inf)),
        (arb(2) ** 1024, (LARGEST, math.inf)),
        (-(arb(2) ** 1024), (-math.inf, -LARGEST)),
        (arb(2) ** -1100, (0.0, TINY)),
        (-(arb(2) ** -1100), (-TINY, 0.0)),
        (arb(0), (0.0, 0.0)),
        (arb(0, 1), (-1.0, 1.0)),
    ],
)
def test_ends_of_the_odd_ones(enclosure, ends):
    low, high = lower(enclosure), upper(enclosure)
    assert low <= ends[0]
    assert high >= ends[1]
    assert (low, high) == pytest.approx(ends, rel=1e-8)  # a radius has 30 bits, so [0 ± 1] may come out a little wider


def test_upper_end_of_zero_has_no_sign():
    assert [math.copysign(1.0, end(x)) for end in (upper, lower) for x in (arb(0), arb(-0.0), ball(0))] == [1.0] * 6
    assert math.copysign(1.0, upper(-(arb(2) ** -1100))) == 1.0


@given(st.fractions(min_value=-700, max_value=700))
def test_ends_of_an_exponential_hold_what_mpmath_says(x):
    with precision(128):
        low, high = lower(ball(x).exp()), upper(ball(x).exp())
    with mpmath.workdps(60):
        truth = mpmath.exp(mpmath.mpf(x.numerator) / x.denominator)
        assert mpmath.mpf(low) <= truth <= mpmath.mpf(high)
    assert high <= math.nextafter(low, math.inf)


@given(st.integers(-(2**300), 2**300), st.integers(-400, 400))
def test_exact_gives_back_the_value(mantissa, exponent):
    assert exact(arb(mantissa) * arb(2) ** exponent if mantissa.bit_length() < 50 else arb(mantissa)) == (
        mantissa * Fraction(2) ** exponent if mantissa.bit_length() < 50 else mantissa
    )


def test_exact_refuses_a_ball_with_a_radius():
    with pytest.raises(ValueError, match="exact"):
        exact(arb(1) / 3)


@pytest.mark.parametrize(
    ("number", "floor"),
    [(Fraction(7, 2), 3), (Fraction(-1, 2), -1), (0, 0), (-3, -3), (2**200 + 1, 2**200 + 1), (Fraction(1, 2**500), 0)],
)
def test_floor_is_settled_when_the_ball_is_narrow(number, floor):
    with precision(600):
        assert floor_of(ball(number)) == (floor, floor)


def test_floor_is_open_when_the_ball_straddles_an_integer():
    with precision(64):
        low, high = floor_of(ball(Fraction(1, 3)) * 3)
    assert (low, high) == (0, 1)


def test_decide_asks_again_until_the_balls_part():
    asked = []

    def third_is_less() -> bool | None:
        asked.append(ctx.prec)
        a, b = ball(Fraction(1, 3)), ball(Fraction(1, 3) + Fraction(1, 2**500))
        return True if a < b else False if a > b else None

    assert decide(third_is_less, start=64) is True
    assert asked == [64, 128, 256, 512]


def test_precision_is_put_back_even_after_an_error():
    before = ctx.prec
    with pytest.raises(ZeroDivisionError), precision(321):
        _ = ctx.prec // 0
    assert ctx.prec == before


def test_precision_nests():
    with precision(100):
        with precision(200):
            assert ctx.prec == 200
        assert ctx.prec == 100


def test_another_thread_waits_for_its_own_precision():
    inside, leave, entered = threading.Event(), threading.Event(), threading.Event()
    seen: list[int] = []

    def first() -> None:
        with precision(64):
            inside.set()
            leave.wait(60)
            seen.append(ctx.prec)

    def second() -> None:
        inside.wait(60)
        with precision(512):
            entered.set()
            seen.append(ctx.prec)

    threads = [threading.Thread(target=first), threading.Thread(target=second)]
    for thread in threads:
        thread.start()
    inside.wait(60)
    assert not entered.wait(0.2)  # the first thread still holds the precision
    leave.set()
    for thread in threads:
        thread.join()
    assert seen == [64, 512]


FORK = """
import os, signal, threading, time
from dalenius.numerics import precision
started = threading.Event()
def hold():
    with precision(64):
        started.set()
        time.sleep(0.3)
threading.Thread(target=hold).start()
started.wait()
child = os.fork()
if child == 0:
    signal.alarm(60)  # ends the child if it waits for ever
    with precision(100):
        os._exit(0)
raise SystemExit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""


def test_a_forked_child_can_work_although_a_thread_held_the_precision():
    done = subprocess.run([sys.executable, "-W", "ignore", "-c", FORK], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_no_thread_sees_the_precision_of_another():
    wrong: list[int] = []
    start = threading.Barrier(4)

    def work(bits: int) -> None:
        start.wait()
        for _ in range(2000):
            with precision(bits):
                before = ctx.prec
                width = ball(Fraction(1, 3)).rel_accuracy_bits()
                if before != bits or ctx.prec != bits or width < bits - 2:
                    wrong.append(bits)

    before = ctx.prec
    threads = [threading.Thread(target=work, args=(bits,)) for bits in (64, 128, 256, 512)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert ctx.prec == before
