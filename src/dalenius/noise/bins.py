"""A law with a large scale: bins of W = 2^k cells, the bin drawn exactly, the place inside it uniform.

Magnitudes are cut in cells of length 1, and bins [y_j, y_{j+1}), y_j = jW, of W cells. With f = exp(−h), decreasing,
f(y_j) bounds f on bin j from above and f(y_{j+1}) from below. Bin j is two pieces: a *box* of mass W f(y_{j+1}),
inside which every place is taken as it comes, and a *wedge* of mass W (f(y_j) − f(y_{j+1})), inside which a uniform
place y is accepted with probability (f(y) − f(y_{j+1})) / (f(y_j) − f(y_{j+1})). Box and accepted wedge together
weigh f(y) at y. Beyond the last bin a tail piece has the mass of an exponential envelope. After a refusal the whole
draw begins again, so what comes out has density ∝ f. Sign and place are plain random bits; `Pieces` chooses the piece
exactly.

A wedge is decided by floats when they are sure. With g(x) = 1 − e^−x, d = h(y) − h(y_j) and D = h(y_{j+1}) − h(y_j) ≤
1/8 the chance of acceptance is a = 1 − g(d) / g(D). `_one_minus_exp` has a relative error below 2⁻⁴¹ and `rise` one
below 2⁻⁴⁹, so g(d) / g(D) ≤ 1 is off by less than 2⁻³⁹; a uniform place known to 32 digits of its cell moves a by
less than 2⁻³² · 2 / (W (1 − D)) < 2⁻³² (h is at most quadratic, so |a'| ≤ 2 / (W (1 − D)), and W ≥ 4 where places are
real), and 64 digits of V as a float are off by 2⁻⁵³. All in all less than 2⁻³¹: beyond MARGIN = 2⁻³⁰ it is proved.
The rest, one wedge in 2²⁹, goes to enclosures with fresh digits. IEEE sums, products and quotients are all that is
used.
"""

import math
from abc import ABC, abstractmethod
from fractions import Fraction
from itertools import pairwise

import numpy as np
from flint import arb
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter
from dalenius.noise.atoms import CHUNK, geometric
from dalenius.noise.bits import Bits
from dalenius.noise.lazy import LazyUniform, below, settle
from dalenius.noise.pieces import Pieces
from dalenius.noise.potential import Floats, Potential
from dalenius.numerics import ball, floor_of

MARGIN = 2.0**-30
_TAIL = 23.0
_STEEPEST = Fraction(1, 8)
_INVERSE_FACTORIALS = [1 / math.factorial(k) for k in range(1, 9)]

Ints = NDArray[np.int64]


class ProposalBins(ABC):
    """The common part: a 16-bit word for the piece, one bit for the sign, k bits for the place."""

    __slots__ = ("_base", "_bins", "_pieces", "_potential", "_shift", "_steps", "_width")

    def __init__(self, potential: Potential, width: int) -> None:
        """`width` is W as a power of two: at most 1/64 of the scale, at least 2."""
        self._potential, self._width = potential, width
        if width < 2 or width > 1 << 47 or width & (width - 1):
            raise InvalidParameter(f"a bin must have 2^k cells with 1 ≤ k ≤ 47, got {width}")
        self._bins = math.ceil(potential.reach(_TAIL) / width)
        self._shift = 16 if width <= 1 << 15 else 48  # 32-bit words hold piece, sign and place, or 64-bit ones do
        if self._drop(self._bins - 1) > _STEEPEST:
            raise InvalidParameter(f"bins of {width} cells are too wide for this law")
        self._steps = potential.rise(np.arange(self._bins, dtype=np.float64) * width, np.full(self._bins, float(width)))
        self._pieces = Pieces(self._masses)
        base = self._pieces.cells.astype(np.int64) * width
        base[(self._pieces.cells < 0) | (self._pieces.cells >= self._bins)] = -1
        self._base = base.astype(np.int32) if self._bins * width < 1 << 31 else base

    @abstractmethod
    def _encode(self, cell: Ints, sign: Ints) -> Ints:
        """The value of a cell on a side: `sign` is 0 or −1."""

    @abstractmethod
    def _inside(self, bits: Bits, size: int, sign: Ints) -> Floats:
        """Where in its cell a proposed place lies."""

    @abstractmethod
    def _tail_mass(self, weight: arb) -> arb:
        """Mass of the envelope of one side beyond the last bin, where f = weight at its edge."""

    @abstractmethod
    def _tail(self, bits: Bits) -> int | None:
        """A value proposed by the tail piece, or None if it is refused."""

    @abstractmethod
    def _place(self, bits: Bits, cell: int, sign: int, inside: float) -> tuple[arb | LazyUniform, Fraction]:
        """The exact place as (part that may be refined, rational part), from the start of its bin."""

    def draw(self, bits: Bits, size: int) -> Ints:
        """`size` independent draws."""
        if size == 1:
            return np.array([self.one(bits)], np.int64)
        out, places, cells = np.empty(size, np.int64), [], []
        for start in range(0, size, CHUNK):
            open_, left = self._fill(bits, out[start : start + CHUNK])
            places.append(open_ + start)
            cells.append(left)
        if size:
            out[np.concatenate(places)] = self._open(bits, np.concatenate(cells))
        return out

    def one(self, bits: Bits) -> int:
        """One draw."""
        word = bits.integer(self._shift // 8 + 2)
        base = self._base.item(word >> self._shift)
        if base < 0:
            at = word >> self._shift
            return int(self._open(bits, self._pieces.cells[at : at + 1])[0])
        return self._encode_one(base + (word & self._width - 1), word >> self._shift - 1 & 1)

    @abstractmethod
    def _encode_one(self, cell: int, sign: int) -> int:
        """`_encode` for one value, with `sign` 0 or 1."""

    def _fill(self, bits: Bits, out: Ints) -> tuple[Ints, NDArray[np.int32]]:
        """Draw where the 16-bit word names a box; the places where it does not, and what it names there."""
        words = bits.words(np.uint32 if self._shift == 16 else np.uint64, len(out))
        at = (words >> self._shift).astype(np.intp)
        base = self._base.take(at)
        signed: Ints = words.view(np.int32 if self._shift == 16 else np.int64)
        out[:] = self._encode(base + (signed & (self._width - 1)), -(signed >> (self._shift - 1) & 1))
        open_ = np.flatnonzero(base < 0)
        return open_, self._pieces.cells[at[open_]]

    def _open(self, bits: Bits, cells: NDArray[np.int32]) -> Ints:
        """Draws whose 16-bit word did not name a box."""
        size, piece = len(cells), self._pieces.resolve(bits, cells)
        words = bits.words(np.uint64, size).view(np.int64)
        bin_ = piece % self._bins
        low, sign = words & (self._width - 1), -(words >> 62 & 1)
        value = self._encode(bin_ * self._width + low, sign)
        wedge = np.flatnonzero((piece >= self._bins) & (piece < 2 * self._bins))
        accepted = np.ones(size, np.bool_)
        if wedge.size:
            accepted[wedge] = self._accept(bits, bin_[wedge], low[wedge], sign[wedge])
        for at in np.flatnonzero(piece == 2 * self._bins):
            proposal = self._tail(bits)
            accepted[at] = proposal is not None
            value[at] = proposal or 0
        again = np.flatnonzero(~accepted)
        if again.size:
            value[again] = self.draw(bits, again.size)
        return value

    def _accept(self, bits: Bits, bin_: Ints, low: Ints, sign: Ints) -> NDArray[np.bool_]:
        """Whether a wedge keeps a place: V < a."""
        inside = self._inside(bits, len(bin_), sign)
        digits = bits.words(np.uint64, len(bin_))
        v = digits * 2.0**-64
        rise = self._potential.rise(bin_.astype(np.float64) * self._width, low + inside)
        chance = 1.0 - _one_minus_exp(rise) / _one_minus_exp(self._steps[bin_])
        accepted = v < chance
        for at in np.flatnonzero(np.abs(v - chance) <= MARGIN):
            uniform = LazyUniform(bits, int(digits[at]), 64)
            accepted[at] = self._settle(bits, uniform, int(bin_[at]), int(low[at]), int(sign[at]), float(inside[at]))
        return accepted

    def _settle(self, bits: Bits, v: LazyUniform, bin_: int, low: int, sign: int, inside: float) -> bool:
        """V < a by enclosures, with fresh digits of V and of the place."""
        start, drop = Fraction(bin_ * self._width), self._drop(bin_)
        part, known = self._place(bits, low, sign, inside)

        def question() -> bool | None:
            way = ball(known) + (part.ball if isinstance(part, LazyUniform) else part)
            bottom = (-ball(drop)).exp()
            chance = ((-self._potential.rise_ball(start, way)).exp() - bottom) / (1 - bottom)
            below_, above = v.ends
            if ball(above) <= chance:
                return True
            return False if ball(below_) > chance else None

        return bool(settle([v, part] if isinstance(part, LazyUniform) else [v], question))

    def _drop(self, bin_: int) -> Fraction:
        left = Fraction(bin_ * self._width)
        return self._potential.at(left + self._width) - self._potential.at(left)

    def _masses(self) -> list[arb]:
        edges = [(-ball(self._potential.at(Fraction(j * self._width)))).exp() for j in range(self._bins + 1)]
        boxes = [edge * self._width for edge in edges[1:]]
        wedges = [(left - right) * self._width for left, right in pairwise(edges)]
        return [*boxes, *wedges, self._tail_mass(edges[-1])]


class IntegerBins(ProposalBins):
    """x with probability ∝ exp(−h(|x|)), for every integer x.

    Cell c on the right side is x = c, on the left x = −1 − c, whose mass is that of |x| = c + 1: the left side's
    place is one further out, which still lies in [y_j, y_{j+1}]. Both sides share their pieces; a wedge and the tail
    correct the left one by accepting less.
    """

    __slots__ = ()

    def _encode(self, cell: Ints, sign: Ints) -> Ints:
        return cell ^ sign

    def _encode_one(self, cell: int, sign: int) -> int:
        return ~cell if sign else cell

    def _inside(self, bits: Bits, size: int, sign: Ints) -> Floats:
        return -sign.astype(np.float64)

    def _place(self, bits: Bits, cell: int, sign: int, inside: float) -> tuple[arb | LazyUniform, Fraction]:
        return arb(0), Fraction(cell - sign)

    def _gamma(self) -> tuple[Fraction, Fraction]:
        edge = Fraction(self._bins * self._width)
        return edge, self._potential.at(edge + 1) - self._potential.at(edge)

    def _tail_mass(self, weight: arb) -> arb:
        return weight / -(-ball(self._gamma()[1])).expm1()

    def _tail(self, bits: Bits) -> int | None:
        edge, gamma = self._gamma()
        way, left = geometric(bits, gamma), bits.integer(1) & 1
        excess = self._potential.at(edge + way + left) - self._potential.at(edge) - gamma * way
        if not below(LazyUniform(bits), lambda: (-ball(excess)).exp()):
            return None
        return self._encode_one(int(edge) + way, left)


class RoundedBins(ProposalBins):
    """round(Z) for Z with density ∝ exp(−h(2|z|)).

    Cells are half steps, and cell c rounds to ±⌈c / 2⌉, the integer at its end or start.
    """

    __slots__ = ()

    def _encode(self, cell: Ints, sign: Ints) -> Ints:
        return ((cell + 1 >> 1) ^ sign) - sign

    def _encode_one(self, cell: int, sign: int) -> int:
        return -(cell + 1 >> 1) if sign else cell + 1 >> 1

    def _inside(self, bits: Bits, size: int, sign: Ints) -> Floats:
        return bits.words(np.uint32, size) * 2.0**-32

    def _place(self, bits: Bits, cell: int, sign: int, inside: float) -> tuple[arb | LazyUniform, Fraction]:
        return LazyUniform(bits, int(inside * 2.0**32), 32), Fraction(cell)

    def _tail_mass(self, weight: arb) -> arb:
        return weight / ball(self._potential.slope(Fraction(self._bins * self._width)))

    def _tail(self, bits: Bits) -> int | None:
        """The envelope is exponential with the slope γ of h at the edge.

        T = −ln U / γ, kept with probability exp(−(h(edge + t) − h(edge) − γt)).
        """
        edge = Fraction(self._bins * self._width)
        gamma = self._potential.slope(edge)
        u, v = LazyUniform(bits), LazyUniform(bits)

        def question() -> int | None:
            if u.digits == 0:
                return None
            way = -u.ball.log() / ball(gamma)
            chance = (ball(gamma) * way - self._potential.rise_ball(edge, way)).exp()
            low, high = v.ends
            if ball(low) > chance:
                return -1
            first, last = floor_of(way)
            return first if ball(high) <= chance and first == last else None

        way = settle([u, v], question)
        return None if way < 0 else self._encode_one(int(edge) + way, bits.integer(1) & 1)


def _one_minus_exp(x: Floats) -> Floats:
    """1 − e^−x for 0 ≤ x ≤ 1/8, with a relative error below 2⁻⁴¹.

    The series x (1 − x/2 + x²/6 − …) alternates with falling terms: cut after x⁷/8! it is off by less than x⁸/9! ≤
    2⁻⁴² of itself; Horner's rule with positive nested factors in [7/8, 1] adds less than 20 roundings of 2⁻⁵³.
    """
    total = np.full_like(x, _INVERSE_FACTORIALS[-1])
    for coefficient in _INVERSE_FACTORIALS[-2::-1]:
        total = coefficient - x * total
    return x * total
