"""Every frequency oracle, once."""

from dalenius.local.oracles.hadamard import HadamardResponse
from dalenius.local.oracles.k_ary import KAryResponse
from dalenius.local.oracles.local_hashing import LocalHashing
from dalenius.local.oracles.oracle import Oracle
from dalenius.local.oracles.projective_geometry import ProjectiveGeometryResponse
from dalenius.local.oracles.rappor import Rappor
from dalenius.local.oracles.subset_selection import SubsetSelection
from dalenius.local.oracles.unary import OptimizedUnaryEncoding, SymmetricUnaryEncoding

ORACLES: tuple[type[Oracle], ...] = (
    KAryResponse,
    HadamardResponse,
    ProjectiveGeometryResponse,
    LocalHashing,
    SubsetSelection,
    OptimizedUnaryEncoding,
    SymmetricUnaryEncoding,
    Rappor,
)
"""From the smallest reports and quickest servers on."""
