"""Exact, secure, vectorised noise."""

from dalenius.noise.bernoulli import BernoulliExp
from dalenius.noise.bits import Bits
from dalenius.noise.choice import Choice
from dalenius.noise.coin import Coin
from dalenius.noise.discrete_gaussian import DiscreteGaussian
from dalenius.noise.discrete_laplace import DiscreteLaplace
from dalenius.noise.inverted import InvertedLaw, lattice_for
from dalenius.noise.lattice import Lattice
from dalenius.noise.law import Law, checked_size
from dalenius.noise.rounded import RoundedGaussian, RoundedLaplace
from dalenius.noise.symmetric import SymmetricLaw
from dalenius.noise.uniform import UniformInteger

__all__ = [
    "BernoulliExp",
    "Bits",
    "Choice",
    "Coin",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "InvertedLaw",
    "Lattice",
    "Law",
    "RoundedGaussian",
    "RoundedLaplace",
    "SymmetricLaw",
    "UniformInteger",
    "checked_size",
    "lattice_for",
]
