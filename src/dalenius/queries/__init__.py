"""Deterministic questions, each with how far one unit can move its answer."""

from dalenius.queries.bins import Bins
from dalenius.queries.bounds import Bounds
from dalenius.queries.centered_moments import CenteredMoments
from dalenius.queries.count import Count
from dalenius.queries.cross_moments import CrossMoments
from dalenius.queries.distinct import Distinct
from dalenius.queries.distinct_units import DistinctUnits
from dalenius.queries.keys import Key, Keys
from dalenius.queries.moments import Moments
from dalenius.queries.query import Query
from dalenius.queries.sum import Sum, fine_lattice
from dalenius.queries.view import Table, View
from dalenius.queries.weights import ONE, WEIGHTS, Contributions

__all__ = [
    "ONE",
    "WEIGHTS",
    "Bins",
    "Bounds",
    "CenteredMoments",
    "Contributions",
    "Count",
    "CrossMoments",
    "Distinct",
    "DistinctUnits",
    "Key",
    "Keys",
    "Moments",
    "Query",
    "Sum",
    "Table",
    "View",
    "fine_lattice",
]
