"""Local differential privacy: a client randomizes on the device, an aggregator sees reports only."""

from dalenius.local.accountant import Accountant
from dalenius.local.aggregator import Aggregator
from dalenius.local.bloom_estimate import BloomEstimate
from dalenius.local.bloom_rappor import BloomRappor
from dalenius.local.client import Client
from dalenius.local.collect import Collector
from dalenius.local.compare import Comparison, compare
from dalenius.local.domain import Domain
from dalenius.local.estimate import FrequencyEstimate
from dalenius.local.frequency import Frequency
from dalenius.local.groups import GroupDifference, MeanDifference, difference, mean_difference
from dalenius.local.heavy_hitters import HeavyHitters, HeavyHittersEstimate
from dalenius.local.hierarchy import RangeEstimate, Ranges
from dalenius.local.interactive import Interactive
from dalenius.local.joint import Joint, JointEstimate
from dalenius.local.mean import Mean
from dalenius.local.mean_estimate import MeanEstimate
from dalenius.local.plan import Needed, mean_model_errors, minimax_rate, model_errors, needed
from dalenius.local.protocol import Protocol
from dalenius.local.sets import SetEstimate, Sets
from dalenius.local.unit_vector_mean import UnitVectorMean
from dalenius.local.vector_mean import VectorEstimate, VectorMean
from dalenius.local.wire import Format, Reports

__all__ = [
    "Accountant",
    "Aggregator",
    "BloomEstimate",
    "BloomRappor",
    "Client",
    "Collector",
    "Comparison",
    "Domain",
    "Format",
    "Frequency",
    "FrequencyEstimate",
    "GroupDifference",
    "HeavyHitters",
    "HeavyHittersEstimate",
    "Interactive",
    "Joint",
    "JointEstimate",
    "Mean",
    "MeanDifference",
    "MeanEstimate",
    "Needed",
    "Protocol",
    "RangeEstimate",
    "Ranges",
    "Reports",
    "SetEstimate",
    "Sets",
    "UnitVectorMean",
    "VectorEstimate",
    "VectorMean",
    "compare",
    "difference",
    "mean_difference",
    "mean_model_errors",
    "minimax_rate",
    "model_errors",
    "needed",
]
