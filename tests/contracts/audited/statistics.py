"""Every statistic on a pair of neighbors: ten rows, and an eleventh that is as far out as its bounds let it be."""

from typing import Any

import numpy as np

from dalenius import statistics
from dalenius.neighbors import Unit
from dalenius.queries import Table
from tests.contracts.audited.case import BITS, Audited, told

ROWS: dict[str, list[Any]] = {
    "x": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9],
    "y": [9, 8, 7, 6, 5, 4, 3, 2, 1, 0],
    "g": ["a", "b"] * 5,
    "u": [0, 0, 1, 1, 2, 2, 3, 3, 4, 4],
}
MORE: dict[str, list[Any]] = {
    "x": [*ROWS["x"], 1e300],
    "y": [*ROWS["y"], -1e300],
    "g": [*ROWS["g"], "c"],
    "u": [*ROWS["u"], 5],
}
KEYS = ["a", "b", "c"]
ENDS = (0, 10)


def medians(rows: dict[str, Any]) -> float:
    return float(np.median(rows["x"])) if len(rows["x"]) else 0.0


PLANS: dict[str, Any] = {
    "count": statistics.count(epsilon=1),
    "sum": statistics.sum("x", ENDS, epsilon=1),
    "mean": statistics.mean("x", ENDS, epsilon=1),
    "variance": statistics.variance("x", ENDS, epsilon=1),
    "std": statistics.std("x", ENDS, epsilon=1),
    "covariance": statistics.covariance(["x", "y"], [ENDS, ENDS], epsilon=1),
    "correlation": statistics.correlation(["x", "y"], [ENDS, ENDS], epsilon=1),
    "heavy_tailed_mean": statistics.heavy_tailed_mean("x", 2, 30, epsilon=1, rows=10),
    "histogram": statistics.histogram("g", KEYS, epsilon=1),
    "marginals": statistics.marginals(["x", "y"], epsilon=1),
    "count_distinct": statistics.count_distinct("g", epsilon=1),
    "mode": statistics.mode("g", KEYS, epsilon=1),
    "choose": statistics.choose(
        [2, 9], lambda rows, least: rows["x"] >= least, ["x"], 1, epsilon=1, version="at least"
    ),
    "top_k": statistics.top_k("g", KEYS, 2, epsilon=1),
    "minimum": statistics.minimum("x", ENDS, epsilon=1, cells=64),
    "maximum": statistics.maximum("x", ENDS, epsilon=1, cells=64),
    "median": statistics.median("x", ENDS, epsilon=1, cells=64),
    "quantile": statistics.quantile("x", "0.9", ENDS, epsilon=1, cells=64),
    "quantiles": statistics.quantiles("x", ["0.25", "0.75"], ENDS, epsilon=1, cells=64),
    "winsorized_mean": statistics.winsorized_mean("x", ENDS, epsilon=1, cells=64),
    "subsample_and_aggregate": statistics.subsample_and_aggregate(medians, ["x"], 3, ENDS, epsilon=1, version="median"),
    "unknown_keys": statistics.unknown_keys("g", epsilon=1, delta=0.05),
    "contributions_histogram": statistics.contributions_histogram(epsilon=1, unit=Unit("u"), octaves=4),
    "PrivateBounds": statistics.mean("x", statistics.PrivateBounds(least=0, most=6), epsilon=1),
    "PrivateContributions": statistics.sum(
        "x", ENDS, epsilon=1, unit=Unit("u"), contributions=statistics.PrivateContributions(octaves=4)
    ),
}
NOT_A_RELEASE = {
    "choose_contributions",  # from a release of contributions_histogram alone
    "facts_of",
    "matrix_of",  # a release as a matrix
    "private_contributions",  # releases contributions_histogram
}


def _audited(name: str, plan: Any) -> Audited:
    return Audited(name, lambda data: told(plan.run(Table.of(data), BITS)), MORE, ROWS, plan.guarantee)


STATISTICS = tuple(_audited(name, plan) for name, plan in PLANS.items())
