"""Ways to randomize an answer, one a file, each with the proof of what it hides."""

from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.canonical import CanonicalNoise
from dalenius.mechanisms.catalog import CATALOG, mechanism_of
from dalenius.mechanisms.catalog_entry import Entry
from dalenius.mechanisms.discrete_gaussian import DiscreteGaussian
from dalenius.mechanisms.gaussian import Gaussian, classic_gaussian_scale
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.laplace import Laplace
from dalenius.mechanisms.mechanism import AdditiveMechanism, Mechanism
from dalenius.mechanisms.staircase import Staircase
from dalenius.mechanisms.truncated_laplace import TruncatedLaplace
from dalenius.mechanisms.tulap import Tulap

__all__ = [
    "CATALOG",
    "AdditiveMechanism",
    "CanonicalNoise",
    "DiscreteGaussian",
    "Entry",
    "Gaussian",
    "Geometric",
    "Laplace",
    "Mechanism",
    "Staircase",
    "TruncatedLaplace",
    "Tulap",
    "calibrate",
    "classic_gaussian_scale",
    "mechanism_of",
]
