"""The piecewise randomizer of a number, on a grid."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.local.means.coded import CodedMean
from dalenius.local.oracles import Integers
from dalenius.local.oracles.oracle import odds_of, scaled_floor
from dalenius.numerics import ball, precision, upper

_ONE = 1 << 64
FINE = 16
"""Places of a report for each half step of the grid."""


@dataclass(frozen=True, slots=True)
class Piecewise(CodedMean):
    """A place k in −B, …, B: inside a window of w = 2v + 1 around c = (2j − grid)·m with the larger chance  [WXY19].

    On a grid the law is exact: all places in the window have a/w, all others (1 − a)/(N − w), N = 2B + 1 and
    B = grid·m + v. Places sum to 0, so E k = c (a − (1 − a) w/(N − w)), and k over that factor is unbiased for t. v is
    chosen as in the continuous law, where w/N = 1/(e^(ε/2) + 1); the variance is then its
    t²/(h − 1) + (h + 3)/(3(h − 1)²), h = e^(ε/2), up to the grid.
    """

    name: ClassVar[str] = "piecewise"

    @property
    def half_window(self) -> int:
        """How far the window reaches to either side."""
        with precision(64):
            return max(1, round(self.grid * FINE / upper((ball(self.epsilon) / 2).exp())))

    @property
    def window(self) -> int:
        """The places of the window, 2v + 1."""
        return 2 * self.half_window + 1

    @property
    def half_range(self) -> int:
        """B."""
        return self.grid * FINE + self.half_window

    @property
    def codes(self) -> int:
        """N = 2B + 1."""
        return 2 * self.half_range + 1

    @property
    def inside(self) -> int:
        """The numerator of a, the largest with (a/w)/((1 − a)/(N − w)) ≤ e^ε."""
        w, rest = self.window, self.codes - self.window

        def share() -> arb:
            return odds_of(self.epsilon) * w / (odds_of(self.epsilon) * w + rest)

        return scaled_floor(share)

    @property
    def words(self) -> int:
        """One."""
        return 1

    @property
    def uniforms(self) -> tuple[int, ...]:
        """A place in the window, and one outside."""
        return self.window, self.codes - self.window

    def respond(self, steps: Integers, words: Sequence[NDArray[np.uint64]], draws: Sequence[Integers]) -> Integers:
        """A place of the window, or one of the places left and right of it, counted from the lowest."""
        left = (2 * steps - self.grid) * FINE - self.half_window + self.half_range  # places below the window
        outside = draws[1] + np.where(draws[1] >= left, self.window, 0)
        return np.where(words[0] < np.uint64(self.inside), left + draws[0], outside)

    def likelihood(self, code: int, step: int) -> Fraction:
        """a/w in the window, (1 − a)/(N − w) outside."""
        left = (2 * step - self.grid) * FINE - self.half_window + self.half_range
        a = Fraction(self.inside, _ONE)
        return a / self.window if left <= code < left + self.window else (1 - a) / (self.codes - self.window)

    def decoded(self) -> NDArray[np.float64]:
        """k/(grid·m·(a − (1 − a) w/(N − w)))."""
        return np.arange(-self.half_range, self.half_range + 1) / (self.grid * FINE * float(self._slope))

    def variance(self, t: float) -> float:
        """From the sums of squares of a window and of all places  [WXY19, Lem 1]."""
        a, c = self.inside / _ONE, t * self.grid * FINE
        v, w, N = self.half_window, self.window, self.codes
        everywhere = N * (N * N - 1) / 12
        window = w * c * c + w * (w * w - 1) / 12
        low = (1 - a) / (N - w)
        second = a * window / w + low * (everywhere - window) if v else 0.0
        return (second - (c * float(self._slope)) ** 2) / (self.grid * FINE * float(self._slope)) ** 2

    def facts(self) -> dict[str, str | int]:
        """The window and its chance too."""
        more: dict[str, str | int] = {"inside": str(self.inside), "half_window": self.half_window, "fine": FINE}
        return super(Piecewise, self).facts() | more

    @property
    def _slope(self) -> Fraction:
        a = Fraction(self.inside, _ONE)
        return a - (1 - a) * Fraction(self.window, self.codes - self.window)
