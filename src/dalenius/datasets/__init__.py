"""Data to try things on."""

from dalenius.datasets.adult import ADULT_KEYS, ADULT_QUESTIONS, adult, adult_table

__all__ = ["ADULT_KEYS", "ADULT_QUESTIONS", "adult", "adult_table"]
