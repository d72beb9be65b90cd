"""A release as an audit runs it: what leaves, on two neighbors, and the claim."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from dalenius.guarantees import Guarantee
from dalenius.noise import Bits

BITS = Bits()


@dataclass(frozen=True)
class Audited:
    """`run` gives all that leaves of one data set."""

    name: str
    run: Callable[[Any], Any]
    x: Any
    x2: Any
    claim: Guarantee
    draws: int = 600


def told(outcome: Any) -> dict[str, Any]:
    """All that an outcome tells: keys that were found, and every released column before formulas."""
    keys = None if outcome.keys is None else [str(key) for key in outcome.keys.values]
    return {"keys": keys, **{column.name: list(column.values) for column in outcome.columns}}
