"""Frequency oracles: ways to report one value out of many, one a file, each with its estimator."""

from dalenius.local.oracles.catalog import ORACLES
from dalenius.local.oracles.hadamard import HadamardResponse
from dalenius.local.oracles.k_ary import KAryResponse
from dalenius.local.oracles.local_hashing import LocalHashing
from dalenius.local.oracles.oracle import Integers, Oracle, Payloads
from dalenius.local.oracles.projective_geometry import ProjectiveGeometryResponse
from dalenius.local.oracles.rappor import Rappor
from dalenius.local.oracles.subset_selection import SubsetSelection
from dalenius.local.oracles.unary import OptimizedUnaryEncoding, SymmetricUnaryEncoding

__all__ = [
    "ORACLES",
    "HadamardResponse",
    "Integers",
    "KAryResponse",
    "LocalHashing",
    "OptimizedUnaryEncoding",
    "Oracle",
    "Payloads",
    "ProjectiveGeometryResponse",
    "Rappor",
    "SubsetSelection",
    "SymmetricUnaryEncoding",
]
