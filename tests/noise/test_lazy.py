from fractions import Fraction

from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform, below
from dalenius.numerics import ball
from tests.noise.fit import FALSE_ALARM, binomial_p_value
from tests.noise.seeded import ScriptedBits


def test_digits_that_were_seen_stay_as_they_are():
    uniform = LazyUniform(Bits())
    low, high = uniform.ends
    for _ in range(5):
        uniform.refine()
        finer_low, finer_high = uniform.ends
        assert low <= finer_low < finer_high <= high
        assert finer_high - finer_low == Fraction(1, 1 << uniform.length)
        low, high = finer_low, finer_high


def test_a_tie_in_the_first_digits_is_settled_by_the_next():
    third = int(Fraction(1, 3) * 2**64)  # 1/3 = 0.0101…: its digits never end
    for following, verdict in ((third - 1, True), (third + 1, False), (0, True), (2**64 - 1, False)):
        source = ScriptedBits(third, following)
        assert below(LazyUniform(source), lambda: ball(Fraction(1, 3))) is verdict
        assert len(source.seen) == 2  # it looked at the second word, and at no third


def test_a_threshold_that_is_a_digit_boundary_ends_at_once():
    half = 1 << 63
    assert below(LazyUniform(ScriptedBits(half - 1)), lambda: ball(Fraction(1, 2)))
    assert not below(LazyUniform(ScriptedBits(half + 1)), lambda: ball(Fraction(1, 2)))


def test_the_chance_is_the_threshold():
    source, trials, chance = Bits(), 20_000, Fraction(3, 10)
    hits = sum(below(LazyUniform(source), lambda: ball(chance)) for _ in range(trials))
    assert binomial_p_value(hits, trials, 0.3) > FALSE_ALARM
    assert binomial_p_value(hits, trials, 0.3 * 1.25) < FALSE_ALARM
    assert binomial_p_value(hits, trials, 0.3 * 0.75) < FALSE_ALARM
