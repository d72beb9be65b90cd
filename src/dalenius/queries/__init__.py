"""Deterministic questions, each with how far one unit can move its answer."""

from dalenius.queries.count import Count
from dalenius.queries.keys import Key, Keys
from dalenius.queries.query import Query
from dalenius.queries.sum import Sum
from dalenius.queries.view import Table, View

__all__ = ["Count", "Key", "Keys", "Query", "Sum", "Table", "View"]
