"""Who is protected, what makes data sets neighbors, and how far one unit can move an answer."""

from dalenius.neighbors.relation import Relation
from dalenius.neighbors.sensitivity import Metric, Sensitivity
from dalenius.neighbors.unit import Nodes, Unit

__all__ = ["Metric", "Nodes", "Relation", "Sensitivity", "Unit"]
