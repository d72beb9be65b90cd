"""The exact draw of the exponential mechanism over databases that are counted by their error.

The mechanism draws D with probability ∝ b(D)·q^level(D), q = e^(−1/scale). Let N(t) be the base measure of all D of
level at most t. Then q^level(D) = (1 − q) Σ_{t ≥ level(D)} q^t, so to draw t with probability ∝ N(t)·q^t and then D
among those N(t) by the base measure has the same law. N does not fall, which bounds the weight of a stretch of levels
by its ends: only the stretch in which a uniform draw falls is divided further, down to a single level.
"""

from fractions import Fraction

from flint import arb

from dalenius.noise import Bits
from dalenius.noise.lazy import LazyUniform
from dalenius.numerics import ball, precision
from dalenius.synthesis.blr.band import Band


def drawn_database(band: Band, scale: Fraction, bits: Bits) -> tuple[int, ...]:
    """A database with probability ∝ base measure · exp(−level / scale), exactly  [S Def 2.5]."""
    return band.draw(drawn_level(band, scale, bits), bits)


def drawn_level(band: Band, scale: Fraction, bits: Bits) -> int:
    """A level t with probability ∝ N(t) e^(−t/scale); the last one stands for all beyond it."""
    uniform = LazyUniform(bits)
    stretches = _Stretches.of(band, scale)
    while True:
        with precision(stretches.digits):
            first, last = stretches.around(uniform.ball)
            if first == last and stretches.single(first):
                return stretches.starts[first]
            place = first if first == last else stretches.vaguest(uniform.length)
            if place is not None:
                stretches.divide(place)
            else:
                uniform.refine()
                stretches.sharpen(uniform.length)


def level_masses(band: Band, scale: Fraction) -> list[arb]:
    """P[the drawn database has level t] for t = 0, 1, …, largest, at the working precision: by all levels."""
    counts = [band.count(level) for level in range(band.largest + 1)]
    weights = [
        ball(count - before) * (-ball(Fraction(level) / scale)).exp()
        for level, (before, count) in enumerate(zip([0, *counts[:-1]], counts, strict=True))
    ]
    total = sum(weights, arb(0))
    return [weight / total for weight in weights]


class _Stretches:
    """Levels starts[i] … starts[i + 1] − 1, with N at every start; the last stretch is all levels from `largest` on."""

    __slots__ = ("_band", "_scale", "counts", "digits", "highs", "lows", "starts")

    def __init__(self, band: Band, scale: Fraction, starts: list[int]) -> None:
        self._band, self._scale, self.starts = band, scale, starts
        self.counts = [band.count(start) for start in starts]
        self.lows: list[arb] = []
        self.highs: list[arb] = []
        self.sharpen(64)

    @classmethod
    def of(cls, band: Band, scale: Fraction) -> "_Stretches":
        powers = {0, *(1 << octave for octave in range(band.largest.bit_length())), band.largest}
        return cls(band, scale, sorted(start for start in powers if start <= band.largest))

    def sharpen(self, length: int) -> None:
        """Compute all weights anew, for a draw of which `length` digits are known."""
        self.digits = 96 + length
        with precision(self.digits):
            ends = [self._weight(place) for place in range(len(self.starts))]
        self.lows, self.highs = [low for low, _ in ends], [high for _, high in ends]

    def single(self, place: int) -> bool:
        """Whether all levels of the stretch allow the same databases: it is one level, or N does not grow in it."""
        if place == len(self.starts) - 1 or self.starts[place + 1] == self.starts[place] + 1:
            return True
        return self.counts[place] == self.counts[place + 1]

    def around(self, uniform: arb) -> tuple[int, int]:
        """The first and the last stretch in which a uniform draw may fall.

        It falls beyond stretch i if U · (all weight after i) ≥ (1 − U) · (all weight up to i).
        """
        first, (low, high) = None, (arb(0), arb(0))
        later = list(zip(_after(self.lows), _after(self.highs), strict=True))
        for place, (least, most) in enumerate(zip(self.lows, self.highs, strict=True)):
            low, high = low + least, high + most
            if first is None and not uniform * later[place][0] >= (1 - uniform) * high:
                first = place
            if first is not None and uniform * later[place][1] < (1 - uniform) * low:
                return first, place
        last = len(self.starts) - 1
        return last if first is None else first, last

    def vaguest(self, length: int) -> int | None:
        """The stretch whose weight is known the least; None if digits of the draw are what is missing."""
        gaps = {
            place: self.highs[place] - self.lows[place]
            for place in range(len(self.starts) - 1)
            if not self.single(place)
        }
        wide = {place: float(gap.mid().log()) for place, gap in gaps.items() if gap > 0}
        if not wide:
            return None
        place = max(wide, key=wide.__getitem__)
        return None if gaps[place] < sum(self.lows, arb(0)) * arb(2) ** (-length - 8) else place

    def divide(self, place: int) -> None:
        """Cut a stretch in the middle, which takes one more count."""
        middle = (self.starts[place] + self.starts[place + 1]) // 2
        self.starts.insert(place + 1, middle)
        self.counts.insert(place + 1, self._band.count(middle))
        self.lows[place : place + 1], self.highs[place : place + 1] = zip(
            self._weight(place), self._weight(place + 1), strict=True
        )

    def _weight(self, place: int) -> tuple[arb, arb]:
        """A lower and an upper bound of Σ N(t) q^t over the stretch, times 1 − q."""
        start, rate = self.starts[place], 1 / self._scale
        first = (-ball(rate * start)).exp()
        if place == len(self.starts) - 1:
            exact = ball(self.counts[place]) * first
            return exact, exact
        geometric = first - (-ball(rate * self.starts[place + 1])).exp()
        low = ball(self.counts[place]) * geometric
        return low, low if self.single(place) else ball(self.counts[place + 1]) * geometric


def _after(weights: list[arb]) -> list[arb]:
    """For each stretch the sum of the weights after it."""
    sums, total = [], arb(0)
    for weight in reversed(weights):
        sums.append(total)
        total = total + weight
    return sums[::-1]
