"""Where closed-form notions meet the engine of loss distributions: the only file that knows both."""

from dalenius.guarantees.gdp import GDP
from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.renyi import RenyiDP
from dalenius.guarantees.sampled_curves import PoissonGaussianCurve, SubsetGaussianCurve
from dalenius.guarantees.sampling import Sampling
from dalenius.neighbors import Relation


def sampled_gaussian(guarantee: GDP, sampling: Sampling) -> Guarantee:
    """A Gaussian mechanism on a secret sample  [A Thm 14.3, A Thm 13.7]."""
    rate = sampling.rate_for(guarantee.relation)
    curve = PoissonGaussianCurve if guarantee.relation is Relation.ADD_REMOVE else SubsetGaussianCurve
    return RenyiDP(curve(rate, guarantee.square), guarantee.relation)
