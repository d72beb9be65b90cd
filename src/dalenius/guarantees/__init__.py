"""Privacy notions: definition, composition, group rule and conversions, one notion a file."""

from dalenius.guarantees.budgets.filters import (
    ConcentratedFilter,
    Filter,
    GaussianFilter,
    RenyiFilter,
    SumFilter,
    largest_rho,
)
from dalenius.guarantees.budgets.odometers import ConcentratedOdometer, SumOdometer
from dalenius.guarantees.budgets.solve import least_scale, most_repetitions
from dalenius.guarantees.classic.advanced_composition import advanced_composition, advanced_share, basic_composition
from dalenius.guarantees.classic.clt import BerryEsseen
from dalenius.guarantees.classic.moments import moment, moments_delta, moments_epsilon
from dalenius.guarantees.curves.polyline import Polyline
from dalenius.guarantees.dp_event import from_dp_event, from_opacus
from dalenius.guarantees.guarantee import SHOWN_DELTA, ConcentratedForm, Guarantee
from dalenius.guarantees.loss import LossDistribution
from dalenius.guarantees.membership import FALSE_ALARMS, MembershipRisk, membership_risk
from dalenius.guarantees.notions.approx import ApproxDP
from dalenius.guarantees.notions.bounded_range import BoundedRange
from dalenius.guarantees.notions.composition import Composition
from dalenius.guarantees.notions.gdp import GDP
from dalenius.guarantees.notions.parallel import parallel
from dalenius.guarantees.notions.pure import PureDP
from dalenius.guarantees.notions.renyi import RenyiDP
from dalenius.guarantees.notions.shuffled import Shuffled, ShuffledResponse
from dalenius.guarantees.notions.tradeoff import TradeOff
from dalenius.guarantees.notions.zcdp import ZCDP
from dalenius.guarantees.sampling import PoissonSampling, Sampling, SubsetSampling

__all__ = [
    "FALSE_ALARMS",
    "GDP",
    "SHOWN_DELTA",
    "ZCDP",
    "ApproxDP",
    "BerryEsseen",
    "BoundedRange",
    "Composition",
    "ConcentratedFilter",
    "ConcentratedForm",
    "ConcentratedOdometer",
    "Filter",
    "GaussianFilter",
    "Guarantee",
    "LossDistribution",
    "MembershipRisk",
    "PoissonSampling",
    "Polyline",
    "PureDP",
    "RenyiDP",
    "RenyiFilter",
    "Sampling",
    "Shuffled",
    "ShuffledResponse",
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
    "membership_risk",
    "moment",
    "moments_delta",
    "moments_epsilon",
    "most_repetitions",
    "parallel",
]
