"""Exact, secure, vectorised noise."""

from dalenius.noise.bernoulli import BernoulliExp
from dalenius.noise.bits import Bits
from dalenius.noise.choice import Choice
from dalenius.noise.discrete_gaussian import DiscreteGaussian
from dalenius.noise.discrete_laplace import DiscreteLaplace
from dalenius.noise.lattice import Lattice
from dalenius.noise.law import Law
from dalenius.noise.rounded import RoundedGaussian, RoundedLaplace
from dalenius.noise.symmetric import SymmetricLaw
from dalenius.noise.uniform import UniformInteger

__all__ = [
    "BernoulliExp",
    "Bits",
    "Choice",
    "DiscreteGaussian",
    "DiscreteLaplace",
    "Lattice",
    "Law",
    "RoundedGaussian",
    "RoundedLaplace",
    "SymmetricLaw",
    "UniformInteger",
]
