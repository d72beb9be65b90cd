"""Whether a guarantee meets a target, and the search for the scale at which it starts to."""

from collections.abc import Callable
from fractions import Fraction
from typing import cast

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from dalenius.neighbors import Sensitivity

_DIGITS = 36
_OCTAVES = 200


def meets(proved: Guarantee, target: Guarantee, name: str) -> bool:
    """Whether what is proved is at least what is wanted; refused where the mechanism never has such a guarantee."""
    if type(target) not in _MEETS:
        raise UnprovenClaim(f"{name} is calibrated to pure, approximate, zCDP and GDP targets, got {target!r}")
    answer = _MEETS[type(target)](proved, target)
    if answer is None:
        raise UnprovenClaim(f"no scale of {name} is proved to meet {target!r}: choose another notion or mechanism")
    return answer


def moved(sensitivity: Sensitivity) -> Fraction:
    """The sensitivity, refused if it is 0."""
    if sensitivity.square == 0:
        raise InvalidParameter("sensitivity is 0: no unit moves the answer, so it needs no noise")
    return sensitivity.value


def least_scale(holds: Callable[[Fraction], bool], near: Fraction) -> Fraction:
    """A scale at which `holds`, at most a relative 2⁻³⁶ above one at which it does not; it holds from some scale on."""
    high = _power(near)
    if holds(high):
        while holds(high / 2):
            high = _halved(high, near)
    else:
        while not holds(high):
            high = _doubled(high, near)
    return _bisected(holds, high)


def largest_scale(holds: Callable[[Fraction], bool], near: Fraction) -> Fraction:
    """A scale at which `holds`, at most a relative 2⁻³⁶ below one at which it does not; it holds up to some scale."""
    edge = least_scale(lambda scale: not holds(scale), near)
    return edge - _power(edge) / (1 << _DIGITS)


def _bisected(holds: Callable[[Fraction], bool], high: Fraction) -> Fraction:
    """The smallest multiple of high·2⁻³⁷ at which it holds, given that it does at `high` and not at half of it."""
    step = high / (1 << _DIGITS + 1)
    below, above = 1 << _DIGITS, 1 << _DIGITS + 1
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if holds(middle * step) else (middle, above)
    return above * step


def _power(number: Fraction) -> Fraction:
    """About the number, as a power of two."""
    octave: int = number.numerator.bit_length() - number.denominator.bit_length()
    return Fraction(2**octave) if octave >= 0 else Fraction(1, 2**-octave)


def _halved(scale: Fraction, near: Fraction) -> Fraction:
    if scale < near / 2**_OCTAVES:
        raise InvalidParameter("any noise meets this target: it needs none")
    return scale / 2


def _doubled(scale: Fraction, near: Fraction) -> Fraction:
    if scale > near * 2**_OCTAVES:
        raise InvalidParameter("no noise is proved to meet this target")
    return scale * 2


def _approximate(proved: Guarantee, target: Guarantee) -> bool | None:
    assert isinstance(target, ApproxDP)
    if target.slack == 0:
        return _pure(proved, PureDP(target.budget, target.relation))
    form = proved.sum_form
    if form is not None and form[0] <= target.budget and form[1] <= target.slack:
        return True  # exactly, where the float δ(ε) is rounded up and just misses it
    at = cast(float, target.budget)  # a fraction is taken as it is; a float would have to be rounded
    return proved.delta(at) <= target.slack


def _pure(proved: Guarantee, target: Guarantee) -> bool | None:
    assert isinstance(target, PureDP)
    form = proved.sum_form
    return None if form is None else form[0] <= target.budget and form[1] == 0


def _concentrated(proved: Guarantee, target: Guarantee) -> bool | None:
    assert isinstance(target, ZCDP)
    form = proved.concentrated_form
    return None if form is None or form.delta > 0 else form.rho <= target.rho


def _gaussian(proved: Guarantee, target: Guarantee) -> bool | None:
    assert isinstance(target, GDP)
    form = proved.gaussian_form
    return None if form is None else form <= target.square


_MEETS: dict[type[Guarantee], Callable[[Guarantee, Guarantee], bool | None]] = {
    PureDP: _pure,
    ApproxDP: _approximate,
    ZCDP: _concentrated,
    GDP: _gaussian,
}
