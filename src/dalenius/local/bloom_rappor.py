"""RAPPOR over texts that nobody listed beforehand: Bloom filters in cohorts, a permanent answer, and rounds of it."""

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dalenius.errors import InvalidParameter, UnknownName
from dalenius.guarantees import PureDP
from dalenius.local.bloom_estimate import BloomEstimate, fitted
from dalenius.local.oracles import Integers, Payloads
from dalenius.local.oracles.bitmaps import column_counts, packed, unpacked
from dalenius.local.oracles.oracle import scaled_floor
from dalenius.local.parameters import whole_number
from dalenius.local.protocol import Protocol
from dalenius.local.wire import Format, tag_of
from dalenius.neighbors import Relation
from dalenius.noise import Bits, Coin, UniformInteger
from dalenius.numerics import Number, ball, fraction_above, positive, precision

_ONE = 1 << 64


@dataclass(frozen=True, slots=True, init=False)
class BloomRappor(Protocol[BloomEstimate]):
    """A text sets `hashes` bits of a filter; each is kept or made fair once and for all, and every round reports it.

    A person belongs to one of `cohorts`, drawn once, whose hashes differ. The permanent answer tells each bit truly
    with probability 1 − f/2, and all rounds together cost its ε = 2h log((1 − f/2)/(f/2)); a round alone, which has 1
    with probability ¾ where the permanent bit is 1 and ½ where it is 0, costs `round_epsilon`  [EPK14, Thm 1, Thm 2].
    What texts there are is asked of the estimate: `estimate(candidates=[…])`.

    >>> BloomRappor(epsilon=4).client().randomize("example.org") != b""
    True
    """

    epsilon: Fraction
    bits: int
    hashes: int
    cohorts: int
    coin: Coin = field(repr=False)
    format: Format = field(repr=False, compare=False)

    def __init__(self, epsilon: Number, bits: int = 128, hashes: int = 2, cohorts: int = 64) -> None:
        """Choose ε and the filters.

        Parameters
        ----------
        epsilon : what all rounds about one permanent answer cost together.
        bits : bits of a filter, a power of two from 8 to 4096.
        hashes : bits that a text sets, at most 8; some may fall together.
        cohorts : how many families of hashes there are.
        """
        object.__setattr__(self, "epsilon", positive(epsilon, "epsilon"))
        if whole_number(bits, "bits", 8, 4096) & (bits - 1):
            raise InvalidParameter(f"bits must be a power of two, got {bits}")
        object.__setattr__(self, "bits", bits)
        object.__setattr__(self, "hashes", whole_number(hashes, "hashes", 1, 8))
        object.__setattr__(self, "cohorts", whole_number(cohorts, "cohorts", 1, 1 << 16))
        if self.epsilon > 30 * hashes:
            raise InvalidParameter(f"epsilon must be at most 30 for each hash, got {epsilon}")
        share = self.epsilon / (2 * hashes)
        object.__setattr__(self, "coin", Coin(scaled_floor(lambda: 1 / (1 + (-ball(share)).exp())) // 4 * 4))
        object.__setattr__(self, "format", Format(tag_of(self.facts()), 2 + bits // 8))

    @property
    def cells(self) -> int:
        """For each cohort its reports and how many had each bit."""
        return self.cohorts * (1 + self.bits)

    @property
    def set_chance(self) -> Fraction:
        """q*: P[a round reports 1 | the text sets the bit] = ½ + (1 − f/2)/4."""
        return Fraction(1, 2) + self.coin.chance / 4

    @property
    def clear_chance(self) -> Fraction:
        """p*: P[a round reports 1 | the text leaves the bit] = ½ + f/8."""
        return Fraction(1, 2) + (1 - self.coin.chance) / 4

    @property
    def odds(self) -> Fraction:
        """Of permanent answers: ((1 − f/2)/(f/2))^2h, as two texts differ in at most 2h bits."""
        return Fraction((self.coin.chance / (1 - self.coin.chance)) ** (2 * self.hashes))

    @property
    def round_epsilon(self) -> Fraction:
        """The ε of one round seen alone, rounded up: h log(q*(1 − p*)/(p*(1 − q*)))."""
        p, q = self.clear_chance, self.set_chance
        with precision(192):
            return fraction_above(self.hashes * ball(q * (1 - p) / (p * (1 - q))).log())

    def guarantee(self, reports: int = 1) -> PureDP:
        """ε for each permanent answer, whatever rounds are drawn of it  [EPK14, Thm 1; A Def 4.1]."""
        return PureDP(self.epsilon * reports, Relation.CHANGE_ONE)

    def encode(self, value: Any) -> bytes:
        """The text in UTF-8."""
        if not isinstance(value, str):
            raise UnknownName("the value is not a text")
        try:
            return value.encode()
        except UnicodeEncodeError:
            raise UnknownName("the value is not a text that UTF-8 can hold") from None

    def permanent(self, encoded: bytes, bits: Bits) -> bytes:
        """The cohort and the filter with every bit true with probability 1 − f/2: drawn once, and kept."""
        cohort = int(UniformInteger(self.cohorts).sample(bits, 1)[0])
        clear = np.zeros(self.bits, np.bool_)
        clear[self.places(cohort, encoded)] = True
        truthful = bits.words(np.uint64, self.bits) < np.uint64(self.coin.numerator)
        return cohort.to_bytes(2, "little") + bytes(packed((clear == truthful)[None, :])[0])

    def report(self, permanent: bytes, bits: Bits) -> bytes:
        """A round: a bit is 1 with probability ¾ or ½."""
        kept = unpacked(np.frombuffer(permanent[2:], np.uint8)[None, :], self.bits)[0]
        words = bits.words(np.uint8, self.bits)
        return permanent[:2] + bytes(packed((words < 128 + 64 * kept.astype(np.int64))[None, :])[0])

    def randomize(self, encoded: bytes, bits: Bits) -> bytes:
        """One round of a permanent answer that is not kept."""
        return self.report(self.permanent(encoded, bits), bits)

    def randomize_many(self, values: Any, bits: Bits) -> Payloads:
        """One round each of many people; cohorts and places of a text are worked out once for each text."""
        texts = [self.encode(value) for value in values]
        cohort = UniformInteger(self.cohorts).sample(bits, len(texts))
        known: dict[tuple[int, bytes], list[int]] = {}
        rows = Coin(int(self.clear_chance * _ONE)).flags(bits, len(texts) * self.bits).reshape(len(texts), self.bits)
        for row, at, text in zip(rows, cohort.tolist(), texts, strict=True):
            if (at, text) not in known:
                known[at, text] = sorted(set(self.places(at, text)))
            places = known[at, text]
            row[places] = Coin(int(self.set_chance * _ONE)).flags(bits, len(places))
        heads = cohort.astype("<u2").view(np.uint8).reshape(-1, 2)
        return np.concatenate([heads, packed(rows)], axis=1)

    def places(self, cohort: int, text: bytes) -> list[int]:
        """The bits that a text sets in a cohort."""
        digest = hashlib.sha256(cohort.to_bytes(2, "little") + text).digest()
        return [int.from_bytes(digest[2 * i : 2 * i + 2], "little") % self.bits for i in range(self.hashes)]

    def valid(self, payloads: Payloads) -> NDArray[np.bool_]:
        """A cohort that exists."""
        good: NDArray[np.bool_] = self._cohorts_of(payloads) < self.cohorts
        return good

    def tally(self, payloads: Payloads) -> Integers:
        """Reports and bits of each cohort."""
        cohort = self._cohorts_of(payloads)
        counts = np.zeros((self.cohorts, 1 + self.bits), np.int64)
        for at in np.unique(cohort):
            rows = np.ascontiguousarray(payloads[cohort == at, 2:])
            counts[at, 0], counts[at, 1:] = len(rows), column_counts(rows, self.bits)
        return counts.reshape(-1)

    def read(self, tally: Integers, reports: int, rejected: int, **options: Any) -> BloomEstimate:
        """The shares of the candidates, by weighted least squares on the bits of all cohorts.

        Parameters
        ----------
        tally : the counters.
        reports : how many reports they count.
        rejected : how many were not counted.
        options : `candidates`, the texts whose shares are wanted; whatever else people hold is one more unknown.
        """
        candidates: Sequence[str] = tuple(options.pop("candidates", ()))
        if options or not candidates or len(set(candidates)) < len(candidates):
            raise InvalidParameter("estimate takes candidates=[…] alone, a list of different texts")
        texts = [self.encode(text) for text in candidates]
        filters = np.zeros((len(texts), self.cohorts, self.bits))
        for which, text in enumerate(texts):
            for cohort in range(self.cohorts):
                filters[which, cohort, self.places(cohort, text)] = 1.0
        counts = tally.reshape(self.cohorts, 1 + self.bits)
        return fitted(
            candidates, filters, counts, (float(self.clear_chance), float(self.set_chance)), reports, rejected
        )

    def report_variance(self, epsilon: Fraction) -> float:
        """That of a rare text's share, from its h bits."""
        truthful = 1 / (1 + math.exp(-float(epsilon) / (2 * self.hashes)))
        p, q = 0.5 + (1 - truthful) / 4, 0.5 + truthful / 4
        return p * (1 - p) / (self.hashes * (q - p) ** 2)

    def facts(self) -> dict[str, Any]:
        return {
            "protocol": "bloom rappor", "epsilon": str(self.epsilon), "bits": self.bits, "hashes": self.hashes,
            "cohorts": self.cohorts, "coin": str(self.coin.numerator),
        }  # fmt: skip

    @staticmethod
    def _cohorts_of(payloads: Payloads) -> NDArray[np.unsignedinteger]:
        return np.ascontiguousarray(payloads[:, :2]).view("<u2").reshape(-1)
