"""Privacy notions: definition, composition, group rule and conversions, one notion a file."""

from dalenius.guarantees.advanced_composition import advanced_composition, advanced_share, basic_composition
from dalenius.guarantees.approx import ApproxDP
from dalenius.guarantees.bounded_range import BoundedRange
from dalenius.guarantees.clt import BerryEsseen
from dalenius.guarantees.composition import Composition
from dalenius.guarantees.dp_event import from_dp_event, from_opacus
from dalenius.guarantees.filters import (
    ConcentratedFilter,
    Filter,
    GaussianFilter,
    RenyiFilter,
    SumFilter,
    largest_rho,
)
from dalenius.guarantees.gdp import GDP
from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.loss import LossDistribution
from dalenius.guarantees.moments import moment, moments_delta, moments_epsilon
from dalenius.guarantees.odometers import ConcentratedOdometer, SumOdometer
from dalenius.guarantees.parallel import parallel
from dalenius.guarantees.polyline import Polyline
from dalenius.guarantees.pure import PureDP
from dalenius.guarantees.renyi import RenyiDP
from dalenius.guarantees.sampling import PoissonSampling, Sampling, SubsetSampling
from dalenius.guarantees.solve import least_scale, most_repetitions
from dalenius.guarantees.tradeoff import TradeOff
from dalenius.guarantees.zcdp import ZCDP

__all__ = [
    "GDP",
    "ZCDP",
    "ApproxDP",
    "BerryEsseen",
    "BoundedRange",
    "Composition",
    "ConcentratedFilter",
    "ConcentratedOdometer",
    "Filter",
    "GaussianFilter",
    "Guarantee",
    "LossDistribution",
    "PoissonSampling",
    "Polyline",
    "PureDP",
    "RenyiDP",
    "RenyiFilter",
    "Sampling",
    "SubsetSampling",
    "SumFilter",
    "SumOdometer",
    "TradeOff",
    "advanced_composition",
    "advanced_share",
    "basic_composition",
    "from_dp_event",
    "from_opacus",
    "largest_rho",
    "least_scale",
    "moment",
    "moments_delta",
    "moments_epsilon",
    "most_repetitions",
    "parallel",
]
