"""Levels and bounds that nobody declared, found privately before a copy is measured."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any, Protocol

from dalenius.curator import Facts, Plan, Release, Select
from dalenius.errors import InvalidParameter, UnboundedQuery
from dalenius.guarantees import ApproxDP
from dalenius.mechanisms import PartitionSelection
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.numerics import Number, nonnegative, positive, rational
from dalenius.queries import Contributions, Key
from dalenius.queries.groups import Groups
from dalenius.statistics.private_bounds import PrivateBounds, bounds_histogram, choose_bounds
from dalenius.synthesis.data.domain import DeclaredColumns
from dalenius.synthesis.data.in_memory import InMemory

PRIVATE = "private"
_GROUPS = 8
"""In how many levels of a searched column a person with several rows counts."""


class RowSource(Protocol):
    """Who releases plans, and who is protected."""

    @property
    def unit(self) -> Unit:
        """The privacy unit."""

    def release(self, plan: Plan[Any], key: str | None = None) -> Release:
        """Through the ledger."""


@dataclass(frozen=True, slots=True)
class SearchResult:
    """What was found."""

    keys: dict[str, tuple[Key, ...]] = field(default_factory=dict)
    bounds: dict[str, tuple[Any, Any]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Search:
    """Columns to be searched, and the price of each."""

    keys: tuple[str, ...]
    bounds: tuple[str, ...]
    epsilon: Fraction
    delta: Fraction
    share: Fraction

    @classmethod
    def of(
        cls,
        keys: Mapping[str, Iterable[Key] | str] | None,
        bounds: Mapping[str, Any] | None,
        epsilon: Number,
        delta: Number | None,
        share: Number,
    ) -> "Search":
        """The columns that are given as "private"."""
        part, slack = rational(share, "search_share"), nonnegative(delta or 0, "delta")
        if not 0 < part < 1:
            raise InvalidParameter(f"search_share must lie strictly between 0 and 1, got {share}")
        keyed, ranged = (
            tuple(name for name, value in (given or {}).items() if isinstance(value, str) and value == PRIVATE)
            for given in (keys, bounds)
        )
        if keyed and slack == 0:
            raise UnboundedQuery("levels that nobody declared are found at the price of δ: give delta, or declare keys")
        return cls(keyed, ranged, positive(epsilon, "epsilon"), slack, part)

    @property
    def names(self) -> tuple[str, ...]:
        """All columns that are searched."""
        return self.keys + self.bounds

    @property
    def epsilon_left(self) -> Fraction:
        """What the tables may cost."""
        return self.epsilon * (1 - self.share) if self.names else self.epsilon

    @property
    def delta_left(self) -> Fraction:
        """Half of δ where levels were found."""
        return self.delta / 2 if self.keys else self.delta

    def example(self, ready: DeclaredColumns) -> DeclaredColumns:
        """Declarations with an example for what is yet to be found, so that all else is refused before a charge."""
        keys = dict(ready.keys) | dict.fromkeys(self.keys, ("a", "b"))
        return replace(ready, keys=keys, bounds=dict(ready.bounds) | dict.fromkeys(self.bounds, (0, 1)))

    def release(self, source: RowSource, names: Sequence[str], bound: Contributions | None) -> SearchResult:
        """Find them, one charge for each column  [DVGM22]."""
        result = SearchResult()
        unit, facts = source.unit, Facts(source.unit, contributions=None if bound is None else bound.most)
        each = self.epsilon * self.share / max(len(self.names), 1)
        for name in (name for name in self.names if name in names):
            reads = (name,) if unit.column is None else (name, unit.column)
            if name in self.keys:
                released = source.release(InMemory(self._select(name, unit, each), reads))
                values = () if released.outcome.keys is None else released.outcome.keys.values
                result.keys[name] = tuple(values) or ("none was found",)
            else:
                wanted = PrivateBounds()
                plan = bounds_histogram(name, epsilon=each, facts=facts, search=wanted)
                result.bounds[name] = choose_bounds(source.release(InMemory(plan, reads)), wanted)
        return result

    def _select(self, name: str, unit: Unit, epsilon: Fraction) -> Select:
        groups = 1 if unit.column is None else _GROUPS
        target = ApproxDP(epsilon, self.delta / 2 / len(self.keys), unit.relation)
        one = PartitionSelection.least(Sensitivity(1, Metric.UNITS), target)
        return Select(Groups(name, unit.column, groups), replace(one, groups=groups), unit)
