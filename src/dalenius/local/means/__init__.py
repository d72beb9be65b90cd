"""Local randomizers of a number: one a file, each unbiased, with its variance."""

from dalenius.local.means.coded import CodedMean
from dalenius.local.means.duchi import Duchi
from dalenius.local.means.hybrid import Hybrid
from dalenius.local.means.laplace import LocalLaplace
from dalenius.local.means.mean_oracle import GRID, MeanOracle
from dalenius.local.means.piecewise import Piecewise

MEANS: tuple[type[MeanOracle], ...] = (Hybrid, Duchi, Piecewise, LocalLaplace)
"""Every one, once."""

__all__ = ["GRID", "MEANS", "CodedMean", "Duchi", "Hybrid", "LocalLaplace", "MeanOracle", "Piecewise"]
