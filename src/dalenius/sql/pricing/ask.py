"""From a text and what it may cost to an answer: what is found first, what is refused, what is paid."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import BESIDE, Curator, Measure, Outcome, Plan, Release
from dalenius.curator.release import released
from dalenius.errors import BudgetExceeded, InvalidParameter
from dalenius.guarantees import ZCDP, ApproxDP, Guarantee, PureDP
from dalenius.ledger import PROFILE, Amount
from dalenius.numerics import Number, rational
from dalenius.sql.engine import DIALECT, Dialect, Engine
from dalenius.sql.planner.compile import Compiled, Compiler
from dalenius.sql.plans.choose_plan import AnyPlan, choose_plan, earlier_forms, with_discrete_noise
from dalenius.sql.plans.sums import QueryPlan
from dalenius.sql.policy.policy import Policy
from dalenius.sql.policy.sum_bounds import PRIVATE
from dalenius.sql.pricing.bound_request import BoundRequest, Find, bind_request, price_to_name
from dalenius.sql.pricing.profile import ROWS, KnownProfile, ProfilePart, rows_part
from dalenius.sql.pricing.request import PreparedCompiler, Request, unprepared
from dalenius.sql.pricing.rounds import check_rounds, in_rounds, prices
from dalenius.sql.pricing.rows_per_unit import PerUnit
from dalenius.sql.pricing.target_error import TargetError, WantedPrice
from dalenius.sql.pricing.without_ledger import SLACK_SHARE
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.statement import Statement


@dataclass(frozen=True, slots=True)
class QuestionNotes:
    """What is written beside a question: its key, its text, its purpose, and whether it is to be drawn anew.

    `profile` is what it may pay besides for facts about the table that are not known yet: a number, or True for
    whatever they cost.
    """

    key: str | None = None
    text: str | None = None
    purpose: str | None = None
    fresh: bool = False
    profile: Number | bool | None = None

    def check_names(self, missing: Sequence[Measure[Engine]], each: Fraction) -> None:
        """Refuse to charge what the question has not named: histograms that are missing, for `each` so much."""
        price = len(missing) * each
        if self.profile is True or price == 0:
            return
        if self.profile is None or self.profile is False or rational(self.profile, "profile") < price:
            named = price_to_name(price)
            raise InvalidParameter(
                f"the question needs what nobody has bought yet: {' and '.join(str(one.query) for one in missing)}. "
                f"It costs ε = {named}, once for all questions: say profile={named} beside the price "
                f'(--profile {named} on the command line, "profile": "{named}" over HTTP); or '
                f"{', or '.join(_instead_of(missing))}"
            )


def _instead_of(missing: Sequence[Measure[Engine]]) -> list[str]:
    """What makes it needless to pay for histograms."""
    by_groups = {isinstance(one.query, PerUnit) and one.query.is_of_groups for one in missing}
    beside = [one.query.beside for one in missing if isinstance(one.query, PerUnit) and one.query.beside is not None]
    said = []
    if beside:
        said.append(
            f"the owner names {beside[0]!r} as the first table, whose profile is bought at any price and which "
            "contributions= is about"
        )
    elif False in by_groups:
        said.append(
            "the owner buys it with `dalenius policy profile` or db.profile(epsilon=…), or declares contributions="
        )
    if True in by_groups:
        said.append("say groups=, in how many keys that nobody declared a unit counts (--groups)")
    return said


@dataclass(frozen=True, slots=True)
class Pricing:
    """A curator, and the owner's terms by which it is asked.

    Whatever is refused by public facts is refused before a histogram is paid for, and nothing is read before its charge
    is written: every release goes through the curator.
    """

    policy: Policy
    others: Mapping[str, QueryTable]
    curator: Curator[Engine]
    dialect: Dialect = DIALECT
    compiler: Compiler = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "compiler", Compiler(self.policy, self.others, self.dialect))

    def asked(
        self,
        statement: Statement,
        delta: Number | None,
        groups: int | str | None,
        min_units: int,
        kept: PreparedCompiler = unprepared,
    ) -> Request:
        """The SELECT on the owner's terms."""
        statement.check_unit(self.policy.unit)
        statement.check_delta()
        allowed = statement.delta if delta is None else delta
        limit = self._limit
        slack = limit.delta * SLACK_SHARE if allowed is None else rational(allowed, "delta")
        if not 0 <= slack < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta}")
        cap: Any = None if groups is None or groups == PRIVATE else groups  # KeySearch refuses what is no number
        if self.policy.unit.column is None and cap is None:
            cap = 1
        price = limit.epsilon * rational(self.policy.bounding_share, "bounding_share")
        spread = delta is not None and slack > 0
        return Request(
            statement.select, self.policy, self.others, slack, cap, min_units, price, spread, kept, self.compiler
        )

    def known(self, request: Request, wanted: WantedPrice, *, anew: bool = False) -> BoundRequest:
        """The question as far as it is known, for nothing; `anew` as it is asked today, whatever was answered."""
        profile = self.profile()
        return self._bound(request, wanted, self._earlier(profile), profile, anew=anew)

    def profile(self) -> KnownProfile:
        """What was released of the table's profile; free."""
        return KnownProfile.of(self.curator, self.policy)

    def buy_profile(self, parts: Iterable[ProfilePart], purpose: str | None = None) -> tuple[Release, ...]:
        """Release the parts of a profile, each an entry of its own under the label of profiles."""
        bought = tuple(parts)
        first, *others = (part.guarantee for part in bought)
        self._check_fits(first.compose(*others) if others else first)
        return tuple(
            self.curator.release(part, label=PROFILE, text=str(part.query), purpose=purpose) for part in bought
        )

    def _paying(self, missing: Sequence[Measure[Engine]], notes: QuestionNotes) -> Find:
        """Pay for the histograms that are missing, and for no other: what is known stays what it is."""
        named, earlier = {one.fingerprint for one in missing}, self._earlier(self.profile())
        return lambda plan: self.surcharge(plan, notes) if plan.fingerprint in named else earlier(plan)

    def _earlier(self, profile: KnownProfile) -> Find:
        """A histogram that was released before: in the table's profile, or for a question under these very terms."""

        def look(plan: Measure[Any]) -> Outcome | None:
            of_rows = isinstance(plan.query, PerUnit) and plan.query.counted == ROWS
            return profile.rows if of_rows and profile.rows is not None else self.curator.earlier(plan)

        return look

    @property
    def sample_lines(self) -> tuple[str, ...]:
        """What `explain` says of rows that are a secret sample."""
        sample = self.curator.sample
        return () if sample is None else (f"sample       {sample}",)

    def planned(self, request: Request, compiled: Compiled, wanted: WantedPrice, *, anew: bool = False) -> AnyPlan:
        """The plan of a compiled query at its price; that of an earlier version where it has answered the question.

        One that is drawn `anew` is that of this version.
        """
        price = wanted.price(compiled)
        plan = choose_plan(compiled, price, request.delta)
        before = () if anew else earlier_forms(plan, price, request.delta)
        if before and self.curator.earlier(plan) is not None:
            return plan
        return next((one for one in before if self.curator.earlier(one) is not None), plan)

    @staticmethod
    def planned_before(bound: BoundRequest, wanted: WantedPrice, plan: AnyPlan) -> AnyPlan:
        """What the last version would have planned in its place: `plan` itself, or one with other noise."""
        return with_discrete_noise(plan, wanted.price(bound.compiled), bound.request.delta)

    def release(
        self, request: Request, wanted: WantedPrice, notes: QuestionNotes, check: Callable[[AnyPlan], None]
    ) -> Release:
        """Refuse what can be refused; then pay, if need be, for what tells how many rows count; then for the answer."""
        anew = notes.fresh
        bound = self.known(request, wanted, anew=anew)
        plan = self.planned(request, bound.compiled, wanted, anew=anew)
        check(plan)
        paid: tuple[Measure[Engine], ...] = bound.missing
        if bound.missing:
            notes.check_names(bound.missing, request.histogram)
            self._check_room(bound, wanted)
            bound = self._bound(request, wanted, self._paying(bound.missing, notes), anew=anew)
            plan = self.planned(request, bound.compiled, wanted, anew=anew)
        if wanted.within is None or wanted.within.share is None:
            release = self.released(plan, notes, notes.key)
        else:
            release = self._in_rounds(bound.compiled, wanted.within, notes)
        outcome = bound.with_bias(release.outcome)
        if paid:
            outcome = replace(outcome, notes=outcome.notes | {BESIDE: paid_beside(paid, request.histogram)})
        return released(outcome, release.receipt)

    def known_answer(self, request: Request, wanted: WantedPrice) -> Release | None:
        """What `release` would hand out for nothing; None if it would charge anyone, or if that is not known yet."""
        bound = self.known(request, wanted)
        if bound.missing or (wanted.within is not None and wanted.within.share is not None):
            return None
        plan = self.planned(request, bound.compiled, wanted)
        if self.curator.earlier(plan) is None:
            return None
        release = self.curator.release(plan)  # it was committed and seen: this writes and reads nothing
        return released(bound.with_bias(release.outcome), release.receipt)

    def released(self, plan: Plan[Engine], notes: QuestionNotes, key: str | None) -> Release:
        """Charge a plan, and give its answer."""
        return self.curator.release(plan, key, fresh=notes.fresh, text=notes.text, purpose=notes.purpose)

    def surcharge(self, plan: Measure[Any], notes: QuestionNotes) -> Outcome:
        """What tells how a table is shaped: an entry of its own, labelled so."""
        part: Any = plan
        if isinstance(plan.query, PerUnit) and plan.query.counted == ROWS:
            part = rows_part(self.policy, plan)
        release = self.curator.release(part, label=PROFILE, text=str(plan.query), purpose=notes.purpose)
        return release.outcome

    def _in_rounds(self, compiled: Compiled, within: TargetError, notes: QuestionNotes) -> Release:
        assert within.most is not None
        assert within.share is not None
        return in_rounds(
            lambda number, price: self.released(
                QueryPlan(compiled, price), notes, None if notes.key is None else f"{notes.key}, round {number + 1}"
            ),
            within.most,
            within.share,
            within.confidence,
        )

    def _bound(
        self,
        request: Request,
        wanted: WantedPrice,
        find: Find,
        profile: KnownProfile | None = None,
        *,
        anew: bool = False,
    ) -> BoundRequest:
        error = None if wanted.within is None else wanted.within.error
        profile = self.profile() if profile is None else profile
        bound = bind_request(request, find, self._earlier(profile), epsilon=wanted.most, within=error, profile=profile)
        if not bound.compiled.named:
            if request.groups not in (None, 1) or request.min_units != 1:
                raise InvalidParameter("groups and min_units are for keys that nobody declared: leave them out")
            if request.spread and wanted.within is not None:
                raise InvalidParameter("within= finds a pure ε over declared keys: leave delta out")
            self._check_delta(request)
        return bound if anew else self._as_answered(bound, wanted)

    def _as_answered(self, bound: BoundRequest, wanted: WantedPrice) -> BoundRequest:
        """The question as it was before NULL was a key, where it was answered so, and not as it is: that stays free.

        Of one that is asked in rounds the first has been answered: the others go on as it began.
        """
        if bound.missing or bound.compiled.before is None:
            return bound
        before = replace(bound, compiled=bound.compiled.before)
        is_known = [self.curator.earlier(self._first_plan(one, wanted)) is not None for one in (bound, before)]
        return before if is_known == [False, True] else bound

    def _first_plan(self, bound: BoundRequest, wanted: WantedPrice) -> AnyPlan:
        """The plan of a question, or of the first of its rounds."""
        within = wanted.within
        if within is None or within.share is None or within.most is None:
            return self.planned(bound.request, bound.compiled, wanted)
        check_rounds(bound.compiled)
        return QueryPlan(bound.compiled, prices(within.most)[0])

    def _check_delta(self, request: Request) -> None:
        """Refuse Gaussian noise, also that of rows whose number is yet to be found, if no δ was granted to pay it."""
        if request.spread and not self._limit.delta and any(one.square is not None for one in request.largest().groups):
            raise InvalidParameter(
                "delta over declared keys is paid from the budget's δ, and this budget has none: leave delta out, "
                "or the owner grants budget=dict(epsilon=…, delta=…)"
            )

    def _check_room(self, bound: BoundRequest, wanted: WantedPrice) -> None:
        """Refuse, before anything is paid, what could not be drawn or afforded after the histograms."""
        request, first = bound.request, wanted
        missing, relation = len(bound.missing), self.policy.unit.relation
        if wanted.most is not None:
            largest = self.planned(request, request.largest(), WantedPrice(wanted.most)).guarantee
            if largest.sum_form is None:  # Gaussian noise, which the ledger adds up in another way than sums
                self._check_fits(_with_histograms(largest, missing, request.histogram))
        if wanted.within is not None and wanted.within.error is None and wanted.within.most is not None:
            first = WantedPrice(prices(wanted.within.most)[0])
        form = self.planned(request, bound.compiled, first).guarantee.sum_form
        if form is not None:
            self._check_fits(ApproxDP(form[0] + missing * request.histogram, form[1], relation))

    def check_room(self, plan: Plan[Engine], request: Request, missing: int) -> None:
        """Refuse, before histograms are paid, a plan of several SELECTs that could not be afforded after them."""
        relation, guarantee = self.policy.unit.relation, plan.guarantee
        form = guarantee.sum_form
        if form is None:
            self._check_fits(_with_histograms(guarantee, missing, request.histogram))
        else:
            self._check_fits(ApproxDP(form[0] + missing * request.histogram, form[1], relation))

    def _check_fits(self, whole: Guarantee) -> None:
        curator = self.curator
        if not curator.ledger.admits(whole, dataset=curator.dataset, analyst=curator.analyst):
            form = whole.sum_form
            price = str(whole) if form is None else str(Amount.cost(*form))
            of_share = curator.analyst is not None and curator.ledger.admits(whole, dataset=curator.dataset)
            where = f"the share of {curator.analyst!r} in {curator.dataset!r}" if of_share else repr(curator.dataset)
            raise BudgetExceeded(
                f"{where} was asked for {price}, histograms included; what is left is {curator.budget}"
            )

    @property
    def _limit(self) -> Amount:
        """What the ledger lets be spent in all."""
        return self.curator.ledger.limit(self.curator.dataset)


def _with_histograms(guarantee: Guarantee, missing: int, each: Fraction) -> Guarantee:
    """A guarantee without an ε of its own, and that of histograms besides: ρ adds up  [A Thm 12.3]."""
    form = guarantee.concentrated_form
    histograms = missing * PureDP(each).concentrated_form.rho
    if not missing or form is None or form.delta:
        return guarantee.compose(ZCDP(histograms, guarantee.relation)) if missing else guarantee
    return ZCDP(form.rho + histograms, guarantee.relation)


def paid_beside(paid: Iterable[Measure[Engine]], each: Fraction) -> str:
    """What is said of facts that the first answer has paid for."""
    queries = "; ".join(str(one.query) for one in paid)
    return f"paid besides, once for all questions: ε = {float(each):g} each for {queries}"
