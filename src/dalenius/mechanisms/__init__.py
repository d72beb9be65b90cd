"""Ways to randomize an answer, one a file, each with the proof of what it hides."""

from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.canonical import CanonicalNoise
from dalenius.mechanisms.catalog import CATALOG, mechanism_of
from dalenius.mechanisms.catalog_entry import Entry
from dalenius.mechanisms.discrete_gaussian import DiscreteGaussian
from dalenius.mechanisms.exponential import Exponential, MonotoneExponential
from dalenius.mechanisms.gaussian import Gaussian, classic_gaussian_scale
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.integer_gaussian import (
    GaussianNoises,
    discrete_gaussians,
    least_gaussians,
    lone_discrete_gaussian,
)
from dalenius.mechanisms.interval_exponential import IntervalExponential, Steps
from dalenius.mechanisms.knorm import KNorm
from dalenius.mechanisms.laplace import Laplace
from dalenius.mechanisms.log_concave import log_concave_noise
from dalenius.mechanisms.mechanism import AdditiveMechanism, Mechanism
from dalenius.mechanisms.noisy_max import (
    ExponentialNoisyMax,
    GumbelNoisyMax,
    LaplaceNoisyMax,
    MonotoneLaplaceNoisyMax,
)
from dalenius.mechanisms.partition_selection import PartitionSelection
from dalenius.mechanisms.permute_and_flip import MonotonePermuteAndFlip, PermuteAndFlip
from dalenius.mechanisms.place_weights import PlaceWeights
from dalenius.mechanisms.quantile import Quantile
from dalenius.mechanisms.quantiles import Quantiles
from dalenius.mechanisms.randomized_response import RandomizedResponse, TunedResponse
from dalenius.mechanisms.ranks import Ranks
from dalenius.mechanisms.selection import Selection
from dalenius.mechanisms.shifted import Shifted
from dalenius.mechanisms.sparse_vector import MonotoneSparseVector, SparseRun, SparseVector
from dalenius.mechanisms.staircase import Staircase
from dalenius.mechanisms.top_k import TopK
from dalenius.mechanisms.truncated_laplace import TruncatedLaplace
from dalenius.mechanisms.tulap import Tulap, TulapLaw

__all__ = [
    "CATALOG",
    "AdditiveMechanism",
    "CanonicalNoise",
    "DiscreteGaussian",
    "Entry",
    "Exponential",
    "ExponentialNoisyMax",
    "Gaussian",
    "GaussianNoises",
    "Geometric",
    "GumbelNoisyMax",
    "IntervalExponential",
    "KNorm",
    "Laplace",
    "LaplaceNoisyMax",
    "Mechanism",
    "MonotoneExponential",
    "MonotoneLaplaceNoisyMax",
    "MonotonePermuteAndFlip",
    "MonotoneSparseVector",
    "PartitionSelection",
    "PermuteAndFlip",
    "PlaceWeights",
    "Quantile",
    "Quantiles",
    "RandomizedResponse",
    "Ranks",
    "Selection",
    "Shifted",
    "SparseRun",
    "SparseVector",
    "Staircase",
    "Steps",
    "TopK",
    "TruncatedLaplace",
    "Tulap",
    "TulapLaw",
    "TunedResponse",
    "calibrate",
    "classic_gaussian_scale",
    "discrete_gaussians",
    "least_gaussians",
    "log_concave_noise",
    "lone_discrete_gaussian",
    "mechanism_of",
]
