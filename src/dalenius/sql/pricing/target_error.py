"""An error instead of a price: the ε at which the noise stays within it."""

import re
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from dalenius.curator import Measure
from dalenius.curator.formula import Cell
from dalenius.errors import InvalidParameter, UnsupportedQuery
from dalenius.mechanisms import Geometric, calibrate
from dalenius.numerics import Number, float_above, positive, probability, rational
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.sums import CellParts, errors_of
from dalenius.sql.pricing.rounds import check_rounds, prices
from dalenius.sql.text.statement import Statement

_SHARE = re.compile(r"\s*([0-9.]+(?:[eE][+-]?[0-9]+)?)\s*%\s*")
_DIGITS = Context(prec=6, rounding=ROUND_CEILING)
_HALVINGS = 24
_DOUBLINGS = 200


@dataclass(frozen=True, slots=True)
class TargetError:
    """How far off an answer may be, with probability `confidence`.

    `error` is a number in the answer's own units. Or it is None, and `share` that of the answer itself, which is not
    known beforehand: then releases of doubling price are made until what was released shows it, for `most` in all.
    """

    error: Fraction | None
    share: Fraction | None
    confidence: Fraction
    most: Fraction | None = None

    @classmethod
    def read(cls, within: Number, of: Number | None, confidence: Number, max_epsilon: Number | None) -> "TargetError":
        """What a caller says: within=100, within=0.05 with of=10_000, or within="5%" with max_epsilon."""
        level = probability(confidence, "confidence")
        if not 0 < level < 1:
            raise InvalidParameter(f"confidence must lie in (0, 1), got {confidence}")
        most = None if max_epsilon is None else positive(max_epsilon, "max_epsilon")
        percent = _SHARE.fullmatch(within) if isinstance(within, str) else None
        if percent is None:
            wide = positive(within, "within")
            return cls(wide if of is None else wide * positive(of, "of"), None, level, most)
        share = positive(percent[1], "within") / 100
        if of is not None:
            raise InvalidParameter('within="5%" is a share of the answer itself: leave of= out, or write within=0.05')
        if most is None:
            raise InvalidParameter('within="5%" pays until the answer is close enough: give max_epsilon=, the most')
        if share >= 1:
            raise InvalidParameter(f"within must be below 100%, got {within}")
        return cls(None, share, level, most)


@dataclass(frozen=True, slots=True)
class WantedPrice:
    """What a question says of its price: an ε, or an error that gives one."""

    epsilon: Fraction | None
    within: TargetError | None = None

    @classmethod
    def read(
        cls,
        said: Statement,
        epsilon: Number | None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> "WantedPrice":
        """One of them, from the call or from the text."""
        if within is None:
            if of is not None or max_epsilon is not None:
                raise InvalidParameter("of= and max_epsilon= go with within=, how far off the answer may be")
            return cls(positive(said.price(epsilon), "epsilon"))
        if epsilon is not None or said.epsilon is not None:
            raise InvalidParameter("within= takes the place of epsilon: give one of them")
        return cls(None, TargetError.read(within, of, confidence, max_epsilon))

    @property
    def most(self) -> Fraction | None:
        """The most that the answer may cost; None if that is not known before the query is compiled."""
        return self.epsilon if self.within is None else self.within.most

    def price(self, compiled: Compiled) -> Fraction:
        """The ε of the whole answer: for a share of the answer itself, of all rounds together."""
        if self.within is None:
            assert self.epsilon is not None
            return self.epsilon
        if self.within.error is None:
            check_rounds(compiled)
            assert self.within.most is not None
            return self.within.most
        needed = epsilon_within(compiled, self.within.error, self.within.confidence)
        if self.within.most is not None and needed > self.within.most:
            raise InvalidParameter(
                f"to stay within {float_above(self.within.error):g} takes ε = {float_above(needed):g}; max_epsilon is "
                f"{float(self.within.most):g}: allow more of either"
            )
        return needed

    def lines(self) -> tuple[str, ...]:
        """What `explain` says of it."""
        if self.within is None or self.within.share is None or self.within.most is None:
            return ()
        parts = prices(self.within.most)
        return (
            f"rounds       at most {len(parts)}, the first for ε = {float(parts[0]):g}, each for twice the one before,",
            f"             until every number is within {100 * float(self.within.share):g} % of its size, by what was "
            "released; the cost above is that of all",
        )


def epsilon_within(compiled: Compiled, error: Fraction, confidence: Fraction) -> Fraction:
    """The least ε, up to its sixth digit, at which every number of the answer stays within `error`, cell by cell.

    For a number that is released as it is by `calibrate(error=…)`; for a sum of several by a search, since its error
    falls as ε grows. Where noise picks the cells that are shown it must hold for all of them at once: a union bound.
    """
    beta = (1 - confidence) / _picked(compiled)
    shown = [column for column in compiled.output.columns if not isinstance(column.of, int)]
    if not shown:
        raise UnsupportedQuery("the answer shows no number that could stay within an error: give epsilon=")
    known = {name for group in compiled.groups for name in group.parts}
    for column in shown:
        formula = column.of
        assert not isinstance(formula, int)
        if formula.linear() is None or not formula.names <= known:
            raise UnsupportedQuery(
                f"the error of {column.name!r} is not known before its value: give epsilon=, or within='5%' of it"
            )
    bare = [column.of.name for column in shown if isinstance(column.of, Cell)]
    needed = [_calibrated(compiled, name, error, beta) for name in bare]
    if len(bare) < len(shown):
        needed.append(_searched(compiled, error, beta))
    return max(map(rounded, needed))


def rounded(epsilon: Fraction) -> Fraction:
    """A price that people can read: six digits, rounded up, so that the error is no larger."""
    above = _DIGITS.divide(Decimal(epsilon.numerator), Decimal(epsilon.denominator))
    return rational(str(above), "epsilon")


def measures_at(compiled: Compiled, epsilon: Fraction) -> list[Measure]:  # type: ignore[type-arg]
    """The query's groups at their shares of ε."""
    return [
        Measure.calibrated(CellParts(compiled, number), epsilon=epsilon * group.weight, unit=compiled.unit, name="")
        for number, group in enumerate(compiled.groups)
    ]


def _calibrated(compiled: Compiled, name: str, error: Fraction, beta: Fraction) -> Fraction:
    group = next(group for group in compiled.groups if name in group.parts)
    moved = group.sensitivity(compiled.unit.relation)
    mechanism = calibrate(Geometric, moved, error=error / group.lattice.step, beta=beta)
    return moved.value / mechanism.scale / group.weight


def _searched(compiled: Compiled, error: Fraction, beta: Fraction) -> Fraction:
    """By doubling, then halving: an ε that is enough, at most a 2⁻²⁴ of it above one that is not."""

    def enough(epsilon: Fraction) -> bool:
        radii = errors_of(compiled, measures_at(compiled, epsilon), 1 - beta).values()
        return all(radius is not None and Fraction(radius) <= error for radius in radii)

    high = Fraction(1)
    for _ in range(_DOUBLINGS):
        if enough(high):
            break
        high *= 2
    else:
        raise InvalidParameter(f"within={float_above(error):g} is finer than the answer's own steps: ask for more")
    while high > Fraction(1, 2**_DOUBLINGS) and enough(high / 2):
        high /= 2
    low = high / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return high


def _picked(compiled: Compiled) -> int:
    output = compiled.output
    by_noise = any(not isinstance(term.by, int) for term in output.order)
    if output.having is None and not (by_noise and (output.limit is not None or output.offset)):
        return 1
    if compiled.named:
        raise UnsupportedQuery(
            "within= cannot be kept where noise picks among keys that are to be found: give epsilon="
        )
    return compiled.cells
