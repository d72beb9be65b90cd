"""From a privacy target to the noise that meets it."""

from typing import TypeVar

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import PureDP
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.neighbors import Sensitivity
from dalenius.numerics import Number, positive

M = TypeVar("M", bound=Mechanism)


def calibrate(
    mechanism: type[M],
    sensitivity: Sensitivity,
    *,
    epsilon: Number | None = None,
    delta: Number | None = None,
    rho: Number | None = None,
    mu: Number | None = None,
    error: Number | None = None,
    beta: Number | None = None,
) -> M:
    """The least noise that provably meets the target; the one way from ε to a scale.

    So far a target is pure: `epsilon` alone. The other words are refused, so that none is silently without effect.

    >>> from dalenius.mechanisms import Geometric
    >>> from dalenius.neighbors import Metric
    >>> calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=0.1)
    Geometric(scale=Fraction(10, 1))
    """
    for name, value in {"delta": delta, "rho": rho, "mu": mu, "error": error, "beta": beta}.items():
        if value is not None:
            raise UnprovenClaim(f"no mechanism here is calibrated to {name}; give epsilon alone")
    if epsilon is None:
        raise InvalidParameter("calibrate needs a target: give epsilon")
    return mechanism.least(sensitivity, PureDP(positive(epsilon, "epsilon")))
