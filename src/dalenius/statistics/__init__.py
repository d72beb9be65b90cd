"""Statistics that people ask for first: each builds a plan, which a curator releases."""

from dalenius.statistics.count import count
from dalenius.statistics.histogram import histogram
from dalenius.statistics.sum import sum

__all__ = ["count", "histogram", "sum"]
