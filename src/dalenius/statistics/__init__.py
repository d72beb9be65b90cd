"""Statistics that people ask for first: each builds a plan, which a curator releases."""

from dalenius.statistics.about import facts_of
from dalenius.statistics.choose import choose
from dalenius.statistics.count import count
from dalenius.statistics.covariance import correlation, covariance, matrix_of
from dalenius.statistics.distinct import count_distinct
from dalenius.statistics.extremes import maximum, minimum
from dalenius.statistics.heavy_tailed_mean import heavy_tailed_mean
from dalenius.statistics.histogram import histogram
from dalenius.statistics.marginals import marginals
from dalenius.statistics.mean import mean
from dalenius.statistics.mode import mode
from dalenius.statistics.private_bounds import PrivateBounds
from dalenius.statistics.private_contributions import (
    PrivateContributions,
    choose_contributions,
    contributions_histogram,
    private_contributions,
)
from dalenius.statistics.quantile import median, quantile
from dalenius.statistics.quantiles import quantiles
from dalenius.statistics.subsample_and_aggregate import subsample_and_aggregate
from dalenius.statistics.sum import sum
from dalenius.statistics.top_k import top_k
from dalenius.statistics.unknown_keys import unknown_keys
from dalenius.statistics.variance import std, variance
from dalenius.statistics.winsorized_mean import winsorized_mean

__all__ = [
    "PrivateBounds",
    "PrivateContributions",
    "choose",
    "choose_contributions",
    "contributions_histogram",
    "correlation",
    "count",
    "count_distinct",
    "covariance",
    "facts_of",
    "heavy_tailed_mean",
    "histogram",
    "marginals",
    "matrix_of",
    "maximum",
    "mean",
    "median",
    "minimum",
    "mode",
    "private_contributions",
    "quantile",
    "quantiles",
    "std",
    "subsample_and_aggregate",
    "sum",
    "top_k",
    "unknown_keys",
    "variance",
    "winsorized_mean",
]
