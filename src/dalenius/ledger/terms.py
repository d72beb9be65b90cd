"""The terms of a data set: what it was created with, for ever."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from dalenius.errors import LedgerMismatch
from dalenius.ledger.amount import Amount
from dalenius.ledger.cost import Cost
from dalenius.ledger.filters import Branch, Branches, branches_for
from dalenius.ledger.secret_sample import SecretSample
from dalenius.neighbors import Relation, Unit


@dataclass(frozen=True, slots=True)
class AnalystShare:
    """What an analyst may draw: a budget, and the branches of the data set's filter sized to it.

    `until` is when it ends, as entries write a time; a share that was revoked admits nothing.
    """

    limit: Amount
    branches: Branches
    until: str | None = None
    revoked: bool = False

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it."""
        ends = ({} if self.until is None else {"until": self.until}) | ({"revoked": True} if self.revoked else {})
        return _amount(self.limit) | {"branches": [branch.to_dict() for branch in self.branches]} | ends

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "AnalystShare":
        """The share that the chain keeps."""
        branches = tuple(Branch.from_dict(each) for each in kept["branches"])
        return cls(_limit(kept), branches, kept.get("until"), kept.get("revoked", False))

    def open_at(self, time: str | None) -> bool:
        """Whether it has neither been revoked nor ended by a time."""
        return not self.revoked and (self.until is None or time is None or time < self.until)


@dataclass(frozen=True, slots=True)
class Terms:
    """Whom a data set protects, its budget, and the filter that keeps it.

    `named` is False for data sets of schema 1, made before filters had names: they keep plain sums with all of δ.
    """

    unit: Unit
    limit: Amount
    filter: str
    branches: Branches
    named: bool = True
    sample: SecretSample | None = None
    """What its rows are of a population, where they are a secret sample: `limit` is then that of the sample."""

    @classmethod
    def of(cls, unit: Unit, limit: Amount, filter_: str, sample: SecretSample | None = None) -> "Terms":
        """New terms, the filter sized to the budget."""
        return cls(unit, limit, filter_, branches_for(filter_, limit), sample=sample)

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of the branches."""
        return tuple(branch.kind.name for branch in self.branches)

    @property
    def nothing(self) -> Cost:
        """A total of nothing."""
        return Cost.zero(self.kinds)

    def share(self, limit: Amount, until: str | None = None) -> AnalystShare:
        """The same filter, sized to an analyst's share; a Rényi filter keeps its order."""
        if not self.named:
            return AnalystShare(limit, self._plain(limit), until)
        orders = [branch.order for branch in self.branches if branch.order is not None]
        return AnalystShare(limit, branches_for(self.filter, limit, orders[0] if orders else None), until)

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it."""
        return {
            "version": 2,
            "unit": self.unit.column,
            "relation": self.unit.relation.value,
            **_amount(self.limit),
            "filter": self.filter,
            "branches": [branch.to_dict() for branch in self.branches],
            **({} if self.sample is None else {"sample": self.sample.to_dict()}),
        }

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Terms":
        """The terms that the chain keeps, in either version."""
        unit = Unit.stored(kept["unit"], Relation.of(kept["relation"]))
        limit = _limit(kept)
        if "filter" not in kept:
            return cls(unit, limit, "sum", cls._plain(limit), named=False)
        sample = SecretSample.from_dict(kept["sample"]) if "sample" in kept else None
        branches = tuple(Branch.from_dict(each) for each in kept["branches"])
        return cls(unit, limit, kept["filter"], branches, sample=sample)

    def check_same(self, name: str, other: "Terms") -> None:
        """Refuse to open a data set with other terms."""
        if (self.unit, self.limit) != (other.unit, other.limit):
            raise LedgerMismatch(
                f"{name!r} exists with {self.limit} for {self.unit}; "
                f"it cannot be opened with {other.limit} for {other.unit}"
            )
        if self.sample != other.sample:
            raise LedgerMismatch(
                f"{name!r} exists as {_sample_text(self.sample)}; it cannot be opened as {_sample_text(other.sample)}"
            )
        same_rule = self.filter == other.filter or self.branches == other.branches
        if not (same_rule or (not self.named and other.filter == "auto")):
            raise LedgerMismatch(
                f"{name!r} exists with filter {self.filter!r}; it cannot be opened with {other.filter!r}"
            )

    def check_charge(self, name: str, unit: Unit, relation: Relation) -> None:
        """Refuse a guarantee for somebody else."""
        if unit.column != self.unit.column:
            raise LedgerMismatch(f"{name!r} protects {self.unit}; a charge for each {unit.name} does not count there")
        if relation is not self.unit.relation:
            raise LedgerMismatch(f"{name!r} protects {self.unit}; a {relation.value} guarantee does not count there")

    @staticmethod
    def _plain(limit: Amount) -> Branches:
        return branches_for("sum", limit)


def _sample_text(sample: SecretSample | None) -> str:
    return "all of its population" if sample is None else str(sample)


def _amount(limit: Amount) -> dict[str, Any]:
    return {"epsilon_units": str(limit.epsilon_units), "delta_units": str(limit.delta_units)}


def _limit(kept: Mapping[str, Any]) -> Amount:
    return Amount(int(kept["epsilon_units"]), int(kept["delta_units"]))
