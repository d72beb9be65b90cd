"""Statistics that people ask for first: each builds a plan, which a curator releases."""

from dalenius.statistics.count import count
from dalenius.statistics.extremes import maximum, minimum
from dalenius.statistics.histogram import histogram
from dalenius.statistics.mode import mode
from dalenius.statistics.quantile import median, quantile
from dalenius.statistics.quantiles import quantiles
from dalenius.statistics.subsample_and_aggregate import subsample_and_aggregate
from dalenius.statistics.sum import sum
from dalenius.statistics.top_k import top_k
from dalenius.statistics.unknown_keys import unknown_keys
from dalenius.statistics.winsorized_mean import winsorized_mean

__all__ = [
    "count",
    "histogram",
    "maximum",
    "median",
    "minimum",
    "mode",
    "quantile",
    "quantiles",
    "subsample_and_aggregate",
    "sum",
    "top_k",
    "unknown_keys",
    "winsorized_mean",
]
