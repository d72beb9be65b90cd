"""From a text and what it may cost to an answer: what is found first, what is refused, what is paid."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from dalenius.curator import Curator, Release
from dalenius.curator.release import released
from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.guarantees import ZCDP, ApproxDP, Guarantee, PureDP
from dalenius.ledger import Amount
from dalenius.numerics import Number, rational
from dalenius.sql.compile import Compiled
from dalenius.sql.engine.duckdb import DuckDB
from dalenius.sql.named_plan import NamedPlan
from dalenius.sql.plan import QueryPlan
from dalenius.sql.policy import PRIVATE, Policy
from dalenius.sql.rounds import in_rounds, prices
from dalenius.sql.settled import Asked, Find, Kept, Settled, settle, unprepared
from dalenius.sql.statement import Statement
from dalenius.sql.table import Table
from dalenius.sql.top_plan import TopPlan, plan_for
from dalenius.sql.within import Wanted, Within

AnyPlan = QueryPlan | NamedPlan | TopPlan


@dataclass(frozen=True, slots=True)
class Asking:
    """A curator, and the owner's terms by which it is asked.

    Whatever is refused by public facts is refused before a histogram is paid for, and nothing is read before its charge
    is written: every release goes through the curator.
    """

    policy: Policy
    others: Mapping[str, Table]
    curator: Curator[DuckDB]

    def asked(
        self, said: Statement, delta: Number | None, groups: int | str | None, min_units: int, kept: Kept = unprepared
    ) -> Asked:
        """The SELECT on the owner's terms."""
        said.check_unit(self.policy.unit)
        said.check_delta()
        allowed = said.delta if delta is None else delta
        slack = self._limit.delta / 100 if allowed is None else rational(allowed, "delta")
        if not 0 <= slack < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta}")
        cap = None if groups is None or groups == PRIVATE else groups
        if self.policy.unit.column is None and cap is None:
            cap = 1
        price = self._limit.epsilon * rational(self.policy.bounding_share, "bounding_share")
        spread = delta is not None and slack > 0
        return Asked(said.select, self.policy, self.others, slack, cap, min_units, price, spread, kept)  # type: ignore[arg-type]

    def known(self, asked: Asked, wanted: Wanted) -> Settled:
        """The question as far as it is known, for nothing."""
        return self._settled(asked, wanted, self.curator.earlier)

    def planned(self, asked: Asked, compiled: Compiled, wanted: Wanted) -> AnyPlan:
        """The plan of a compiled query at its price."""
        price = wanted.price(compiled)
        if compiled.named:
            return NamedPlan(compiled, price, asked.delta)
        return plan_for(compiled, price, asked.delta)

    def release(self, asked: Asked, wanted: Wanted, key: str | None, check: Callable[[AnyPlan], None]) -> Release:
        """Refuse what can be refused; then pay, if need be, for what tells how many rows count; then for the answer."""
        settled = self.known(asked, wanted)
        check(self.planned(asked, settled.compiled, wanted))
        if settled.lacks:
            self._check_room(settled, wanted)
            settled = self._settled(asked, wanted, lambda plan: self.curator.release(plan).outcome)
        if wanted.within is None or wanted.within.share is None:
            release = self.curator.release(self.planned(asked, settled.compiled, wanted), key)
        else:
            release = self._in_rounds(settled.compiled, wanted.within, key)
        return released(settled.noted(release.outcome), release.receipt)

    def _in_rounds(self, compiled: Compiled, within: Within, key: str | None) -> Release:
        assert within.most is not None
        assert within.share is not None
        return in_rounds(
            lambda number, price: self.curator.release(
                QueryPlan(compiled, price), None if key is None else f"{key}, round {number + 1}"
            ),
            within.most,
            within.share,
            within.confidence,
        )

    def _settled(self, asked: Asked, wanted: Wanted, find: Find) -> Settled:
        error = None if wanted.within is None else wanted.within.error
        settled = settle(asked, find, self.curator.earlier, epsilon=wanted.most, within=error)
        if not settled.compiled.named:
            if asked.groups not in (None, 1) or asked.min_units != 1:
                raise InvalidParameter("groups and min_units are for keys that nobody declared: leave them out")
            if asked.spread and wanted.within is not None:
                raise InvalidParameter("within= finds a pure ε over declared keys: leave delta out")
            self._check_delta(asked)
        return settled

    def _check_delta(self, asked: Asked) -> None:
        """Refuse Gaussian noise, also that of rows whose number is yet to be found, if no δ was granted to pay it."""
        if asked.spread and not self._limit.delta and any(one.square is not None for one in asked.largest().groups):
            raise InvalidParameter(
                "delta over declared keys is paid from the budget's δ, and this budget has none: leave delta out, "
                "or the owner grants budget=dict(epsilon=…, delta=…)"
            )

    def _check_room(self, settled: Settled, wanted: Wanted) -> None:
        """Refuse, before anything is paid, what could not be drawn or afforded after the histograms."""
        asked, first = settled.asked, wanted
        lacks, relation = len(settled.lacks), self.policy.unit.relation
        if wanted.most is not None:
            largest = self.planned(asked, asked.largest(), Wanted(wanted.most)).guarantee
            if largest.sum_form is None:  # Gaussian noise, which the ledger adds up in another way than sums
                self._check_fits(largest.compose(ZCDP(lacks * PureDP(asked.histogram).concentrated_form.rho, relation)))
        if wanted.within is not None and wanted.within.error is None and wanted.within.most is not None:
            first = Wanted(prices(wanted.within.most)[0])
        form = self.planned(asked, settled.compiled, first).guarantee.sum_form
        if form is not None:
            self._check_fits(ApproxDP(form[0] + lacks * asked.histogram, form[1], relation))

    def _check_fits(self, whole: Guarantee) -> None:
        curator = self.curator
        if not curator.ledger.admits(whole, dataset=curator.dataset, analyst=curator.analyst):
            form = whole.sum_form
            price = str(whole) if form is None else str(Amount.cost(*form))
            raise BudgetExceeded(
                f"{curator.dataset!r} was asked for {price}, histograms included; what is left is {curator.budget}"
            )

    @property
    def _limit(self) -> Amount:
        """What the ledger lets be spent in all."""
        return self.curator.ledger.limit(self.curator.dataset)
