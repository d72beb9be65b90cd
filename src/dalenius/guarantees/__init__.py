"""Privacy notions: definition, composition, group rule and conversions, one notion a file."""

from dalenius.guarantees.guarantee import Guarantee
from dalenius.guarantees.pure import PureDP

__all__ = ["Guarantee", "PureDP"]
