"""From a privacy target to the noise that meets it."""

from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

from dalenius.calls import named_arguments, shown
from dalenius.errors import InvalidParameter
from dalenius.guarantees import GDP, ZCDP, ApproxDP, Guarantee, PureDP
from dalenius.mechanisms.mechanism import Mechanism
from dalenius.neighbors import Sensitivity
from dalenius.numerics import Number, positive, probability, rational

M = TypeVar("M", bound=Mechanism)


@named_arguments
def calibrate(
    mechanism: type[M] | M,
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

    A target is one of: `epsilon`, with `delta` or without; `rho` of zCDP; `mu` of GDP; or an `error` that is to be
    exceeded with probability at most `beta`, which takes the most noise that errs no more. A mechanism in place of its
    type is kept as it is, but for its noise: that says k, a cutoff, an interval, a level.

    >>> from dalenius.mechanisms import Gaussian, Geometric
    >>> from dalenius.neighbors import Metric
    >>> calibrate(Geometric, Sensitivity(1, Metric.L1), epsilon=0.1)
    Geometric(scale=Fraction(10, 1))
    >>> round(float(calibrate(Gaussian, Sensitivity(1, Metric.L2), epsilon=1, delta=1e-5).scale), 7)
    3.7306316
    >>> from dalenius.mechanisms import GumbelNoisyMax, TopK
    >>> calibrate(TopK(GumbelNoisyMax(1), k=3), Sensitivity(1, Metric.LINF), epsilon=1)
    TopK(selection=GumbelNoisyMax(scale=Fraction(6, 1)), k=3)
    """
    if not isinstance(sensitivity, Sensitivity):
        raise InvalidParameter(
            "calibrate needs a Sensitivity, which says in which norm an answer moves: Sensitivity(1, Metric.L1) for "
            f"one number, Metric.L2 for Gaussian noise; got {type(sensitivity).__name__}"
        )
    if not isinstance(mechanism, Mechanism) and not (isinstance(mechanism, type) and issubclass(mechanism, Mechanism)):
        raise InvalidParameter(f"calibrate needs a mechanism, such as Laplace or Gaussian, got {shown(mechanism)}")
    given = {"epsilon": epsilon, "delta": delta, "rho": rho, "mu": mu, "error": error, "beta": beta}
    named = frozenset(name for name, value in given.items() if value is not None)
    if named == {"error", "beta"}:
        level = probability(cast(Number, beta), "beta")
        if not 0 < level < 1:
            raise InvalidParameter(f"beta must lie in (0, 1), got {beta}")
        reach = positive(cast(Number, error), "error")
        return (
            mechanism.erring(reach, level)
            if isinstance(mechanism, Mechanism)
            else mechanism.within(sensitivity, reach, level)
        )
    if named not in _TARGETS:
        raise InvalidParameter(f"calibrate needs one target ({_CHOICES}), got {', '.join(sorted(named)) or 'none'}")
    target = _TARGETS[named](given)
    return (
        mechanism.calibrated(sensitivity, target)
        if isinstance(mechanism, Mechanism)
        else mechanism.least(sensitivity, target)
    )


def _approximate(given: Mapping[str, Any]) -> ApproxDP | PureDP:
    budget, slack = positive(given["epsilon"], "epsilon"), rational(given["delta"], "delta")
    if not 0 <= slack < 1:
        raise InvalidParameter(f"delta must lie in [0, 1), got {given['delta']}")
    return ApproxDP(budget, slack) if slack else PureDP(budget)


_TARGETS: dict[frozenset[str], Callable[[Mapping[str, Any]], Guarantee]] = {
    frozenset({"epsilon"}): lambda given: PureDP(positive(given["epsilon"], "epsilon")),
    frozenset({"epsilon", "delta"}): _approximate,
    frozenset({"rho"}): lambda given: ZCDP(positive(given["rho"], "rho")),
    frozenset({"mu"}): lambda given: GDP(positive(given["mu"], "mu")),
}
_CHOICES = "epsilon; epsilon and delta; rho; mu; error and beta"
