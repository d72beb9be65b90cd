"""Every protocol of local collection on two values of one person: what leaves is a report."""

from typing import Any

from dalenius import local
from dalenius.local.protocol import Protocol
from tests.contracts.audited.case import BITS, Audited

PROTOCOLS: dict[str, tuple[Protocol[Any], Any, Any]] = {
    "Frequency": (local.Frequency(5, 1), 0, 3),
    "Mean": (local.Mean(0, 1, 1), 0.0, 1.0),
    "VectorMean": (local.VectorMean(2, 0, 1, 1), [0.0, 0.0], [1.0, 1.0]),
    "UnitVectorMean": (local.UnitVectorMean(2, 1, codes=16), [1.0, 0.0], [-1.0, 0.0]),
    "Ranges": (local.Ranges(8, 1), 0, 7),
    "Sets": (local.Sets(3, 1, 2), set(), {0, 1, 2}),
    "Joint": (local.Joint(2, 2, 1), (0, 0), (1, 1)),
    "HeavyHitters": (local.HeavyHitters(1, 8, first=4, step=4), 0, 255),
    "BloomRappor": (local.BloomRappor(1, bits=8, hashes=1, cohorts=1), "Basel", "Bern"),
}
NOT_A_REPORT = {
    "Accountant", "Aggregator", "BloomEstimate", "Client", "Collector", "Comparison", "Domain", "Format",
    "FrequencyEstimate", "GroupDifference", "HeavyHittersEstimate", "Interactive", "JointEstimate", "MeanDifference",
    "MeanEstimate", "Needed", "Protocol", "RangeEstimate", "Reports", "SetEstimate", "VectorEstimate", "compare",
    "difference", "mean_difference", "mean_model_errors", "minimax_rate", "model_errors", "needed",
}  # fmt: skip
"""Exported names that randomize nothing themselves; an accountant and an interactive run hand on reports of these."""


def audited(name: str, draws: int = 600) -> Audited:
    """Reports as lists of bytes, without their head, which is the protocol's."""
    protocol, x, x2 = PROTOCOLS[name]

    def run(value: Any) -> list[int]:
        return list(protocol.randomize(protocol.encode(value), BITS))

    return Audited(name, run, x, x2, protocol.guarantee(), draws)
