"""A uniform real number of which only as many digits exist as were looked at."""

from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dalenius.noise.bits import Bits
from dalenius.numerics import ball, precision

_MORE = 8  # bytes drawn at a time


class LazyUniform:
    """U uniform on [0, 1), known to lie in [digits, digits + 1) / 2^length; `refine` draws further digits.

    Every exact sampler compares such numbers with enclosures and draws on while the answer is open. A comparison with
    a fixed number ends with probability 1, and the law of the outcome is the exact one whatever the precision was
    when it ended.
    """

    __slots__ = ("_bits", "digits", "length")

    def __init__(self, bits: Bits, digits: int = 0, length: int = 0) -> None:
        self._bits, self.digits, self.length = bits, digits, length
        if length == 0:
            self.refine()

    def refine(self) -> None:
        """Draw 64 more digits."""
        self.digits = self.digits << 8 * _MORE | self._bits.integer(_MORE)
        self.length += 8 * _MORE

    @property
    def ends(self) -> tuple[Fraction, Fraction]:
        """The two ends of what is known."""
        return Fraction(self.digits, 1 << self.length), Fraction(self.digits + 1, 1 << self.length)

    @property
    def ball(self) -> arb:
        """An enclosure of what is known, at the working precision."""
        low, high = self.ends
        return ball(low).union(ball(high))


def settle(uniforms: list[LazyUniform], question: Callable[[], bool | int | None]) -> int:
    """Ask `question` with ever more digits of `uniforms`, and ever more precision, until it answers."""
    while True:
        with precision(64 + max(uniform.length for uniform in uniforms)):
            answer = question()
        if answer is not None:
            return int(answer)
        for uniform in uniforms:
            uniform.refine()


def below(uniform: LazyUniform, threshold: Callable[[], arb]) -> bool:
    """Whether U < threshold, exactly: true with probability `threshold` (clipped to [0, 1])."""

    def question() -> bool | None:
        low, high = uniform.ends
        line = threshold()
        if ball(high) <= line:
            return True
        return False if ball(low) > line else None

    return bool(settle([uniform], question))
