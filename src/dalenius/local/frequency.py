"""How common each value of a declared domain is, without trusting the collector."""

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.compare import compare
from dalenius.local.domain import Domain
from dalenius.local.estimate import FrequencyEstimate
from dalenius.local.oracles import ORACLES, Integers, Oracle, Payloads
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.noise import Bits
from dalenius.numerics import Number, positive


@dataclass(frozen=True, slots=True, init=False)
class Frequency(Protocol[FrequencyEstimate]):
    """A protocol: clients randomize one value of a domain each, an aggregator estimates the share of every value.

    >>> protocol = Frequency(["Basel", "Bern", "Zug"], epsilon=1.0)
    >>> report = protocol.client().randomize("Basel")
    >>> collected = protocol.aggregator()
    >>> collected.add([report, b"forged"]), collected.rejected
    (1, 1)
    """

    domain: Domain
    oracle: Oracle
    format: Format = field(repr=False, compare=False)

    def __init__(
        self, domain: int | Sequence[Hashable] | Domain, epsilon: Number, oracle: str | type[Oracle] | None = None
    ) -> None:
        """Choose the domain and ε.

        Parameters
        ----------
        domain : the values that may be answered, or how many there are (then they are 0, 1, …).
        epsilon : what one report costs the person who sends it; met exactly from below by rational chances.
        oracle : the name or class of a frequency oracle; the best of `compare` if left out.
        """
        object.__setattr__(self, "domain", Domain(domain))
        kind = _kind(oracle)
        chosen = (
            compare(len(self.domain), epsilon).best if kind is None else kind(len(self.domain), epsilon_of(epsilon))
        )
        object.__setattr__(self, "oracle", chosen)
        object.__setattr__(self, "format", Format(tag_of(self.facts()), chosen.width))

    @property
    def cells(self) -> int:
        """Those of the oracle."""
        return self.oracle.cells

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for each report of a person, whoever collects  [A Def 4.1, A Rem 4.4]."""
        return self.oracle.guarantee(reports)

    def encode(self, value: Any) -> int:
        """The number of a value in the domain."""
        return self.domain.index(value)

    def randomize(self, encoded: int, bits: Bits) -> bytes:
        """The oracle's report of one value."""
        return self.oracle.randomize(encoded, bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """The oracle's reports of many values."""
        return self.oracle.randomize_many(self.domain.indices(values), bits)

    def permanent(self, encoded: int, bits: Bits) -> bytes:
        """The oracle's answer that is kept."""
        return self.oracle.permanent(encoded, bits)

    def report(self, permanent: bytes, bits: Bits) -> bytes:
        """The oracle's report of a kept answer."""
        return self.oracle.report(permanent, bits)

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """Which payloads the oracle could have made."""
        return self.oracle.valid(payloads)

    def tally(self, payloads: Payloads) -> Integers:
        return self.oracle.tally(payloads)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> FrequencyEstimate:
        """The share of each value among the reporters, unbiased, with variance and intervals.

        Parameters
        ----------
        tally : the counters.
        reports : how many reports they count.
        rejected : how many were not counted.
        options : `consistent=True` to also bring the shares to be ≥ 0 and sum to 1, by the nearest such shares. That is
            never farther from the truth in squared error, but no longer unbiased; intervals stay those of the
            unbiased shares.
        """
        consistent = bool(options.pop("consistent", False))
        if options:
            raise InvalidParameter(f"estimate takes consistent alone, got {', '.join(options)}")
        supports = self.oracle.supports(tally)
        return FrequencyEstimate(self.domain, self.oracle, reports, rejected, supports, consistent)

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a rare value's share, by the best oracle."""
        return compare(len(self.domain), epsilon).best.variance(1)

    def facts(self) -> dict[str, Any]:
        """All that a client in another language needs to know; the tag of every report is made from it."""
        return {"protocol": "frequency", "domain": list(self.domain.values)} | self.oracle.facts()


def epsilon_of(epsilon: Number) -> Any:
    """ε as a positive fraction."""
    return positive(epsilon, "epsilon")


def _kind(oracle: str | type[Oracle] | None) -> type[Oracle] | None:
    if oracle is None:
        return None
    if isinstance(oracle, str):
        for kind in ORACLES:
            if kind.name == oracle:
                return kind
        raise UnknownName(f"no oracle is called {oracle!r}; there are {', '.join(kind.name for kind in ORACLES)}")
    if isinstance(oracle, type) and issubclass(oracle, Oracle):
        return oracle
    raise InvalidParameter("oracle must be the name or the class of a frequency oracle")
