"""Readers for the vocabulary of other accountants, so that people can move over, and check.

Events are told apart by the names of their classes and fields, so the other library need not be installed.
"""

from collections.abc import Callable, Iterable
from fractions import Fraction
from typing import Any

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.loss import LossDistribution, discrete_laplace, from_masses, laplace
from dalenius.guarantees.notions.approx import ApproxDP
from dalenius.guarantees.notions.gdp import GDP
from dalenius.guarantees.notions.pure import PureDP
from dalenius.guarantees.notions.zcdp import ZCDP
from dalenius.guarantees.sampling import PoissonSampling, SubsetSampling
from dalenius.neighbors import Relation
from dalenius.numerics import positive, probability


@named_arguments
def from_dp_event(event: Any, relation: Relation = Relation.ADD_REMOVE) -> Guarantee:
    """What a dp_accounting event promises.

    A noise multiplier there is the noise over the bound on one unit's contribution. Under CHANGE_ONE a unit's
    contribution leaves and another comes, so the sensitivity is twice that bound, and the noise counts half  [A Rem
    3.9].
    """
    name = type(event).__name__
    if name not in _READERS:
        raise UnprovenClaim(f"no rule for a {name}; rules exist for {', '.join(sorted(_READERS))}")
    return _READERS[name](event, Relation.of(relation))


@named_arguments
def from_opacus(history: Iterable[tuple[float, float, int]]) -> Guarantee:
    """What an Opacus accountant's history of (noise multiplier, sample rate, steps) promises, for add-remove neighbors.

    It holds if batches were drawn by Poisson sampling at that rate; with shuffled batches of a fixed size it does not.
    """
    steps_of = list(history) if isinstance(history, Iterable) else [None]
    if not all(isinstance(one, tuple | list) and len(one) == 3 for one in steps_of):
        raise InvalidParameter(
            "a history is a list of (noise multiplier, sample rate, steps), such as [(1.1, 0.01, 1000)]: give the "
            "accountant's .history"
        )
    parts = [
        GDP(1 / positive(noise, "noise multiplier")).amplify(PoissonSampling(rate)).repeat(steps)
        for noise, rate, steps in steps_of
    ]
    return parts[0].compose(*parts[1:]) if parts else PureDP(0)


def _moved(relation: Relation) -> int:
    return 1 if relation is Relation.ADD_REMOVE else 2


def _gaussian(event: Any, relation: Relation) -> Guarantee:
    return GDP(_moved(relation) / positive(event.noise_multiplier, "noise_multiplier"), relation)


def _laplace(event: Any, relation: Relation) -> Guarantee:
    size = _moved(relation) / positive(event.noise_multiplier, "noise_multiplier")
    return LossDistribution.of(laplace(size), relation=relation)


def _discrete_laplace(event: Any, relation: Relation) -> Guarantee:
    return LossDistribution.of(
        discrete_laplace(event.noise_parameter, _moved(relation) * event.sensitivity), relation=relation
    )


def _randomized_response(event: Any, relation: Relation) -> Guarantee:
    """The truth with probability 1 − p + p/k, each other answer with p/k.

    One unit's own answer, so it is changed, not added.
    """
    p, k = probability(event.noise_parameter, "noise_parameter"), event.num_buckets
    if not isinstance(k, int) or k < 2:
        raise InvalidParameter(f"num_buckets must be a whole number ≥ 2, got {k!r}")
    truth, lie = 1 - p + p / k, p / k
    return LossDistribution.of(from_masses([truth, lie, (k - 2) * lie], [lie, truth, (k - 2) * lie]), relation=relation)


def _poisson(event: Any, relation: Relation) -> Guarantee:
    return from_dp_event(event.event, relation).amplify(PoissonSampling(event.sampling_probability))


def _subset(event: Any, relation: Relation) -> Guarantee:
    sampling = SubsetSampling(event.sample_size, event.source_dataset_size)
    return from_dp_event(event.event, relation).amplify(sampling)


def _repeated(event: Any, relation: Relation) -> Guarantee:
    return from_dp_event(event.event, relation).repeat(event.count)


def _composed(event: Any, relation: Relation) -> Guarantee:
    parts = [from_dp_event(part, relation) for part in event.events]
    return parts[0].compose(*parts[1:]) if parts else PureDP(0, relation)


def _concentrated(event: Any, relation: Relation) -> Guarantee:
    if Fraction(event.xi) != 0:
        raise UnprovenClaim("a ZCDpEvent with xi > 0 is of another notion; only xi = 0 is read")
    return ZCDP(event.rho, relation)


_READERS: dict[str, Callable[[Any, Relation], Guarantee]] = {
    "NoOpDpEvent": lambda event, relation: PureDP(0, relation),
    "NonPrivateDpEvent": lambda event, relation: ApproxDP(0, 1, relation),
    "GaussianDpEvent": _gaussian,
    "LaplaceDpEvent": _laplace,
    "DiscreteLaplaceDpEvent": _discrete_laplace,
    "RandomizedResponseDpEvent": _randomized_response,
    "PoissonSampledDpEvent": _poisson,
    "SampledWithoutReplacementDpEvent": _subset,
    "SelfComposedDpEvent": _repeated,
    "ComposedDpEvent": _composed,
    "ZCDpEvent": _concentrated,
}
