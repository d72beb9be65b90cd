"""The attacks that the notes open with: why exact answers, and nearly exact ones, protect nobody."""

from dalenius.audit.attacks.differencing import AnswerLog
from dalenius.audit.attacks.exposure import Exposure, exposure
from dalenius.audit.attacks.linkage import Linked, link
from dalenius.audit.attacks.reconstruction import (
    Rebuilt,
    exhaustive,
    least_squares,
    linear_program,
    random_subsets,
    sql_counts,
    threshold_curve,
)
from dalenius.audit.attacks.tracing import Traced, trace

__all__ = [
    "AnswerLog",
    "Exposure",
    "Linked",
    "Rebuilt",
    "Traced",
    "exhaustive",
    "exposure",
    "least_squares",
    "linear_program",
    "link",
    "random_subsets",
    "sql_counts",
    "threshold_curve",
    "trace",
]
