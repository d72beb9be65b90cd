"""Many conjunctions of yes-no columns: parities, MWEM, and private multiplicative weights for a stream of them."""

from dalenius.synthesis.conjunctions.mwem import Mwem, MwemCopy, mwem
from dalenius.synthesis.conjunctions.parities import Parities, ParityCounts, parities
from dalenius.synthesis.conjunctions.pmw import MultiplicativeWeights, OpenWeights, multiplicative_weights
from dalenius.synthesis.conjunctions.yes_no import YesNo

__all__ = [
    "MultiplicativeWeights",
    "Mwem",
    "MwemCopy",
    "OpenWeights",
    "Parities",
    "ParityCounts",
    "YesNo",
    "multiplicative_weights",
    "mwem",
    "parities",
]
