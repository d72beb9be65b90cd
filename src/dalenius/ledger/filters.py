"""Filters of the ledger: when one more entry is admitted, and why the budget then holds for every adaptive analyst.

A filter has branches. A branch adds entries up in its own way and has caps; each entry moves *every* branch (`forms`
says by how much), and one that has no form in a branch shuts that branch for ever. An entry is admitted if after it at
least one branch is within its caps. "sum", "renyi" and "gaussian" have one branch, and their theorems are [RRUV16],
[FZ21] and [ST22]. "auto" has two: A, plain sums to (ε, δ/2), and B, δ/4-approximate ρ-zCDP with ρ so that the whole is
(ε, δ/2)-DP  [WRRW23; BS16].

*"auto" gives (ε, δ)-DP.* Fix neighbors with laws P, P' of the whole transcript, and the analyst's coins: the next query
is a function of the answers so far, and so is the state of both branches. Costs are ≥ 0, so a branch that is out of its
caps stays out. Hence every transcript that can happen lies in S_A, where A was within its caps after every entry, or
else B was: an entry that broke B after A was broken would not have been admitted. Now let I_A be the same interaction,
stopped just before the first entry that takes A out of its caps. It is an interaction under the filter A alone, so its
law P_A has P_A(E) ≤ e^ε·P'_A(E) + δ/2 for every event E, and P_A = P on S_A, where it is not stopped. The same holds
for I_B on the complement of S_A. Both sets are sets of transcripts, the same under P and P', so for every E

    P(E) = P(E ∩ S_A) + P(E ∖ S_A) ≤ e^ε·P'(E ∩ S_A) + δ/2 + e^ε·P'(E ∖ S_A) + δ/2 = e^ε·P'(E) + δ.

It is essential that each entry is charged to both branches: charged only where it fits, A and B would each be full and
the whole would lose the budget twice. With δ = 0 there is no B, and A has all of ε.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.errors import InvalidParameter, UnprovenClaim
from dalenius.guarantees import GaussianFilter, Guarantee, RenyiFilter, largest_rho
from dalenius.ledger.amount import Amount
from dalenius.ledger.cost import CONCENTRATED, GAUSSIAN, KINDS, RENYI, SUM, Cost, CostKind, shown_units
from dalenius.ledger.forms import one_shot, price


@dataclass(frozen=True, slots=True)
class Branch:
    """One way of adding up, with its caps; `order` is that of a Rényi branch."""

    kind: CostKind
    caps: tuple[int, ...]
    order: Fraction | None = None

    def cost(self, guarantee: Guarantee) -> tuple[int, ...] | None:
        """Units that a guarantee costs here, rounded up; None if it has no such form, nor a point that implies one."""
        form = price(guarantee, self.kind, self.caps, self.order)
        return None if form is None else tuple(m.up(value) for m, value in zip(self.kind.meters, form, strict=True))

    def within(self, total: Cost) -> bool:
        """Whether a total is within the caps."""
        units = total.units(self.kind.name)
        return units is not None and all(each <= cap for each, cap in zip(units, self.caps, strict=True))

    def left(self, total: Cost) -> tuple[int, ...] | None:
        """Units left of each meter; None if the branch is shut or overrun."""
        units = total.units(self.kind.name)
        if units is None or not self.within(total):
            return None
        return tuple(cap - each for each, cap in zip(units, self.caps, strict=True))

    def to_dict(self) -> dict[str, Any]:
        """As the chain keeps it."""
        order = {} if self.order is None else {"order": str(self.order)}
        return {"kind": self.kind.name, "caps": [str(cap) for cap in self.caps]} | order

    @classmethod
    def from_dict(cls, kept: Mapping[str, Any]) -> "Branch":
        """The branch that the chain keeps: what was created never changes, whatever later versions would choose."""
        order = Fraction(kept["order"]) if "order" in kept else None
        return cls(KINDS[kept["kind"]], tuple(map(int, kept["caps"])), order)


Branches = tuple[Branch, ...]


def _sums(limit: Amount, order: Fraction | None) -> Branches:
    return (Branch(SUM, (limit.epsilon_units, limit.delta_units)),)


def _auto(limit: Amount, order: Fraction | None) -> Branches:
    if limit.delta_units < 4:  # nothing to split
        return _sums(limit, order)
    half, quarter = limit.delta_units // 2, limit.delta_units // 4
    rest = Amount(0, half - quarter).delta
    rho = largest_rho(limit.epsilon, rest) if limit.epsilon else Fraction(0)
    return (
        Branch(SUM, (limit.epsilon_units, half)),
        Branch(CONCENTRATED, (CONCENTRATED.meters[0].down(rho), quarter)),
    )


def _renyi(limit: Amount, order: Fraction | None) -> Branches:
    sized = RenyiFilter.for_budget(limit.epsilon, limit.delta, order)
    return (Branch(RENYI, (RENYI.meters[0].down(sized.cap),), sized.order),)


def _gaussian(limit: Amount, order: Fraction | None) -> Branches:
    sized = GaussianFilter.for_budget(limit.epsilon, limit.delta)
    return (Branch(GAUSSIAN, (GAUSSIAN.meters[0].down(sized.square),)),)


FILTERS: Mapping[str, Callable[[Amount, Fraction | None], Branches]] = {
    "auto": _auto,
    "sum": _sums,
    "renyi": _renyi,
    "gaussian": _gaussian,
}


def branches_for(name: str, limit: Amount, order: Fraction | None = None) -> Branches:
    """The branches of a filter for a budget; a share keeps the Rényi order of its data set."""
    if not isinstance(name, str) or name not in FILTERS:
        raise InvalidParameter(f"filter must be one of {', '.join(map(repr, FILTERS))}, got {name!r}")
    if name in ("renyi", "gaussian") and not (limit.delta_units and limit.epsilon_units):
        raise InvalidParameter(f"filter {name!r} needs epsilon > 0 and delta > 0: its notion is never pure; use 'sum'")
    return FILTERS[name](limit, order)


def cost_of(guarantee: Guarantee, branches: Sequence[Branch], interactive: bool = False) -> Cost:
    """What a guarantee costs in each branch; refused if it has a form in none. A run is charged as `forms` says."""
    if not isinstance(guarantee, Guarantee):
        raise UnprovenClaim(f"a ledger charges guarantees only, got {type(guarantee).__name__}")
    if interactive:
        guarantee = one_shot(guarantee, branches)
    cost = Cost(tuple((branch.kind.name, branch.cost(guarantee)) for branch in branches))
    if all(units is None for _, units in cost.parts):
        lacks = " nor ".join(branch.kind.lacking for branch in branches)
        raise UnprovenClaim(
            f"{type(guarantee).__name__} has no form that this data set's filter adds up (not {lacks}); "
            "charge an ApproxDP it implies, or create the data set with another filter"
        )
    return cost


def admitted(branches: Sequence[Branch], total: Cost) -> bool:
    """Whether a total is within the caps of at least one branch."""
    return any(branch.within(total) for branch in branches)


def shown_left(branches: Sequence[Branch], total: Cost) -> str:
    """What the open branches have left, in words."""
    lefts = [(branch.kind, branch.left(total)) for branch in branches]
    return ", or ".join(shown_units(kind, left) for kind, left in lefts if left is not None) or "nothing"
