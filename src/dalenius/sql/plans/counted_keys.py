"""People counted by keys that nobody declared, as one release: the noisy count decides whether its key is shown."""

from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING

import numpy as np

from dalenius.curator import Measured
from dalenius.curator.answer.outcome import BY_THRESHOLD, Outcome
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import check_names
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, terminal
from dalenius.guarantees import ApproxDP
from dalenius.ledger import to_form
from dalenius.mechanisms import GaussianNoises, least_gaussians
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.noise.lattice import INTEGERS
from dalenius.numerics import Number, float_above, positive, rational
from dalenius.queries import Key, Keys, View
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.noisy_threshold import NoisyThreshold
from dalenius.sql.plans.sums import PricedQuestion, QueryExplanation, arranged
from dalenius.sql.plans.unknown_keys import plain_key

if TYPE_CHECKING:
    import pyarrow as pa


@dataclass(frozen=True, slots=True)
class CountedKeysExplanation(QueryExplanation):
    """What a count by keys that nobody declared would cost, and from how many units on a key is shown."""

    mechanism: NoisyThreshold
    names: tuple[str, ...]

    @escaped
    def __str__(self) -> str:
        one, names = self.mechanism, ", ".join(map(terminal, self.names))
        sums = QueryExplanation.__str__(self).replace("\ncells        ", "\ncells        for each key shown: ", 1)
        return "\n".join(
            (
                sums,
                f"keys         a {names} is shown if its noisy count is {one.threshold} or more; each unit counts in",
                f"             {one.groups} at most, those with most of its rows. A count is picked by its own noise:",
                "             ± holds in that a key is shown and its count further off with probability 5 % at most",
            )
        )


@dataclass(frozen=True, slots=True, init=False)
class CountedKeysPlan:
    """COUNT(DISTINCT unit) by keys that nobody declared, all of ε and δ in one draw of noise (see `NoisyThreshold`)."""

    compiled: Compiled
    mechanism: NoisyThreshold
    epsilon: Fraction
    delta: Fraction

    def __init__(
        self, compiled: Compiled, epsilon: Number, delta: Number, noises: GaussianNoises = least_gaussians
    ) -> None:
        whole, slack = positive(epsilon, "epsilon"), rational(delta, "delta")
        counted, search = compiled.counted, compiled.unknown
        if counted is None or search is None or not 0 < slack < 1:
            raise InvalidParameter(f"delta must lie in (0, 1), got {delta}: without it no unknown key can be shown")
        check_names(None, tuple(column.name for column in compiled.output.columns))
        relation = compiled.unit.relation
        mechanism = NoisyThreshold.least(whole, slack, counted.groups, search.min_units, relation, noises)
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "mechanism", mechanism)
        object.__setattr__(self, "epsilon", whole)
        object.__setattr__(self, "delta", slack)

    @property
    def unit(self) -> Unit:
        return self.compiled.unit

    @property
    def guarantee(self) -> ApproxDP:
        """(ε, δ), of which the mechanism spends no more  [A Thm 3.3]."""
        return ApproxDP(self.epsilon, self.delta, self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, mechanism and guarantee."""
        assert self.compiled.counted is not None
        facts = {
            **{"unit": self.unit.column, "relation": self.unit.relation.value, "query": self.compiled.facts()},
            **{"scan": self.compiled.counted.scan, "mechanism": self.mechanism.facts()},
            "guarantee": to_form(self.guarantee),
        }
        return fingerprint_of("counted keys", facts)

    @property
    def missed(self) -> float:
        """How far off a count may be, 95 % of the time."""
        return float_above(self.mechanism.noise.accuracy(Fraction(1, 20)))

    def explain(self) -> CountedKeysExplanation:
        """Cost and expected error, for free."""
        compiled, one = self.compiled, self.mechanism
        remark = "the noisy count decides whether its key is shown: no ε is spent on naming keys besides"
        line = PricedQuestion(
            compiled.groups[0].question, self.epsilon, Fraction(one.groups), self.missed, False, remark=remark
        )
        columns = tuple(column.name for column in compiled.output.columns)
        empty = self._outcome((), (0,))
        errors = {
            item.name: None if item.formula.linear() is None else empty.errors(item, 0.95)[0] for item in empty.numbers
        }
        names = tuple(key.name for key in compiled.named)
        return CountedKeysExplanation(
            (line,), self.guarantee, self.unit, compiled.cells, columns, errors, mechanism=one, names=names
        )

    def check(self, view: View) -> None:
        """Nothing of the view is left to check: the query was compiled against its columns."""

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """A scan, one draw of noise, and the keys whose counts reach the threshold, in their own order."""
        assert self.compiled.counted is not None
        scanned = view.fetch(self.compiled.counted.scan)
        shown, noisy = self.mechanism.release(scanned["units"].to_numpy().astype(np.int64), bits)
        keys = self._values(scanned, np.flatnonzero(shown))
        order = sorted(range(len(keys)), key=keys.__getitem__)
        counts = noisy[shown]
        return self._outcome([keys[at] for at in order], tuple(int(counts[at]) for at in order))

    def _values(self, scanned: "pa.Table", rows: "np.ndarray[tuple[int], np.dtype[np.intp]]") -> list[tuple[Key, ...]]:
        columns = [scanned[key.column].take(rows).to_pylist() for key in self.compiled.named]
        return [tuple(map(plain_key, row)) for row in zip(*columns, strict=True)]

    def _outcome(self, keys: "list[tuple[Key, ...]] | tuple[()]", counts: tuple[int, ...]) -> Outcome:
        names = [f"key {number}" for number in range(len(self.compiled.named))]
        column = Measured(self.compiled.groups[0].parts[0], counts, INTEGERS, self.mechanism.noise, True)
        layout, arrangement = arranged(self.compiled)
        listed = Keys.among(names, keys) if keys else Keys.none(*names)
        note = {BY_THRESHOLD: self.mechanism.threshold}
        return Outcome((column,), listed, tuple(layout), arrangement, note)
