"""Ways to randomize an answer, one a file, each with the proof of what it hides."""

from dalenius.mechanisms.calibrate import calibrate
from dalenius.mechanisms.catalog import CATALOG, Entry, mechanism_of
from dalenius.mechanisms.geometric import Geometric
from dalenius.mechanisms.mechanism import AdditiveMechanism, Mechanism

__all__ = ["CATALOG", "AdditiveMechanism", "Entry", "Geometric", "Mechanism", "calibrate", "mechanism_of"]
