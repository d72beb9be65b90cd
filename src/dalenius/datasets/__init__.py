"""Data to try things on."""

from dalenius.datasets.adult import ADULT_KEYS, adult, adult_table
from dalenius.datasets.purchases import (
    PURCHASES_BOUNDS,
    PURCHASES_CONTRIBUTIONS,
    PURCHASES_KEYS,
    purchases,
    purchases_table,
)

__all__ = [
    "ADULT_KEYS",
    "PURCHASES_BOUNDS",
    "PURCHASES_CONTRIBUTIONS",
    "PURCHASES_KEYS",
    "adult",
    "adult_table",
    "purchases",
    "purchases_table",
]
