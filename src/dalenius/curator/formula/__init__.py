"""What is made of released numbers: arithmetic and conditions, cell by cell, with ends that hold the result.

A formula reads only what was released, so it costs nothing  [A Prop 3.1, D Thm 1.4]. Numbers are columns of floats, one
for each cell; what is absent (SQL's NULL) is NaN; a condition is 1, 0 or absent. `ends` hold the result of the true
numbers, given how far those may lie from the released ones; each operation rounds outward.
"""

from dalenius.curator.formula.arithmetic import (
    Absent,
    Cell,
    Held,
    IfPositive,
    Minus,
    Number,
    Over,
    Plus,
    Ratio,
    Root,
    Times,
)
from dalenius.curator.formula.base import Ends, Formula, Linear, Noise, Values
from dalenius.curator.formula.condition import Case, Compare, Every, IsAbsent, Opposite, Some
from dalenius.curator.formula.moments import covariance, mean, variance
from dalenius.curator.formula.stored import formula_of

__all__ = [
    "Absent",
    "Case",
    "Cell",
    "Compare",
    "Ends",
    "Every",
    "Formula",
    "Held",
    "IfPositive",
    "IsAbsent",
    "Linear",
    "Minus",
    "Noise",
    "Number",
    "Opposite",
    "Over",
    "Plus",
    "Ratio",
    "Root",
    "Some",
    "Times",
    "Values",
    "covariance",
    "formula_of",
    "mean",
    "variance",
]
