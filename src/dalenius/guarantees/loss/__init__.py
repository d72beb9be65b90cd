"""Privacy loss distributions: any dominating pairs, composed, with both ends proven."""

from dalenius.guarantees.loss.distribution import LossDistribution
from dalenius.guarantees.loss.law import LossLaw
from dalenius.guarantees.loss.pair import Pair
from dalenius.guarantees.loss.pairs import (
    discrete_gaussian,
    discrete_laplace,
    from_densities,
    from_masses,
    gaussian,
    laplace,
    response,
)

__all__ = [
    "LossDistribution",
    "LossLaw",
    "Pair",
    "discrete_gaussian",
    "discrete_laplace",
    "from_densities",
    "from_masses",
    "gaussian",
    "laplace",
    "response",
]
