"""Price, release and explain a statement whose private SELECTs are charged as one."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dalenius.curator import Measure, Plan, Release, SeveralTables
from dalenius.curator.release import released
from dalenius.errors import DaleniusError, InvalidParameter
from dalenius.numerics import Number, positive
from dalenius.sql.after.answer import StatementTables, answer
from dalenius.sql.after.regions.sources import ReleasedSource
from dalenius.sql.after.released_tables import TableShape, tried
from dalenius.sql.after.split import SplitStatement
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.plans.choose_plan import AnyPlan
from dalenius.sql.plans.sums import QueryExplanation, QueryPlan
from dalenius.sql.pricing.ask import Pricing, QuestionNotes
from dalenius.sql.pricing.bound_request import BoundRequest
from dalenius.sql.pricing.request import PreparedCompiler, Request
from dalenius.sql.pricing.target_error import WantedPrice
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.statement import Statement


@dataclass(frozen=True, slots=True)
class AskTerms:
    """What the asker says of a question beside its text."""

    epsilon: Number | None = None
    delta: Number | None = None
    groups: int | str | None = None
    min_units: int = 1
    within: Number | None = None
    """How far off the answer may be, which is no term of a statement in two storeys."""


@dataclass(frozen=True, slots=True)
class PricedPart:
    """A private SELECT of a statement at its share of the price."""

    request: Request
    wanted: WantedPrice
    bound: BoundRequest
    plan: AnyPlan


@dataclass(frozen=True, slots=True)
class StatementPricing:
    """A statement in two storeys, the views that it reads, and who prices its private SELECTs.

    The price of the statement is shared among its private SELECTs by the number of questions that each asks, and
    charged as one: their composition  [A Thm 3.3]. What is computed from their answers costs nothing  [A Prop 3.1].
    """

    split: SplitStatement
    pricing: Pricing
    views: Mapping[str, Release]
    kept: PreparedCompiler
    statement: Statement
    terms: AskTerms

    @property
    def epsilon(self) -> Fraction:
        """The price of all private SELECTs together; a statement over views alone has none."""
        if self.terms.within is not None:
            raise InvalidParameter(
                "within= is for one SELECT, whose error is known before it is asked: give epsilon for a statement "
                "that computes with its answers"
            )
        if self.split.parts:
            return positive(self.statement.price(self.terms.epsilon), "epsilon")
        if self.terms.epsilon is not None or self.statement.epsilon is not None:
            raise InvalidParameter("a question to views alone has no price: leave epsilon out")
        return Fraction(0)

    def release(self, notes: QuestionNotes) -> Release:
        """Refuse what can be refused, by running the statement over empty tables; pay; then run it over the answers.

        Where the engine fails over the answers, by a cast or an overflow, they stay paid: a statement over the same
        private SELECTs at the same price is answered from them.
        """
        self.check()
        if not self.split.parts:
            return self._answer((), next(iter(self.views.values())))
        priced = self.priced(anew=notes.fresh)
        missing = _missing(priced)
        if missing:
            notes.check_names(missing, priced[0].request.histogram)
            self.pricing.check_room(self._plan(priced), priced[0].request, len(missing))
            for histogram in missing:
                self.pricing.surcharge(histogram, notes)
            priced = self.priced(anew=notes.fresh)
        known = None if notes.fresh or self._is_answered(priced) else self._asked_alone(priced)
        if known is None:
            known = self.pricing.released(self._plan(priced), notes, notes.key)
        return self._answer(priced, known)

    def known_answer(self) -> Release | None:
        """What `release` would hand out for nothing; None if it would charge anyone."""
        self.check()
        if not self.split.parts:
            return self._answer((), next(iter(self.views.values())))
        priced = self.priced()
        if self._is_answered(priced):
            return self._answer(priced, self.pricing.curator.release(self._plan(priced)))
        known = self._asked_alone(priced)
        return None if known is None else self._answer(priced, known)

    def is_known(self) -> bool:
        """Whether all private SELECTs have been answered at their price, to this asker."""
        priced = self.priced()
        return self._is_answered(priced) or self._asked_alone(priced) is not None

    def _is_answered(self, priced: tuple[PricedPart, ...]) -> bool:
        return not _missing(priced) and self.pricing.curator.earlier(self._plan(priced)) is not None

    def _asked_alone(self, priced: tuple[PricedPart, ...]) -> Release | None:
        """The answer of the only private SELECT where it was asked at this price as a question of its own.

        Such a question is found under its own fingerprint, by the texts that the statement gives it. Nothing is charged
        and no row is read: the asker has seen that answer, and all of this one is computed from it  [A Prop 3.1].
        """
        if len(priced) != 1 or _missing(priced):
            return None
        mine, curator = priced[0].plan, self.pricing.curator
        if not isinstance(mine, QueryPlan):
            return None
        for text in self.split.parts[0].alone:
            plan = self._plan_alone(text, priced[0].wanted)
            if plan is None or curator.earlier(plan) is None:
                continue
            known = curator.release(plan)  # seen and committed: this writes and reads nothing
            for form in (mine, self.pricing.planned_before(priced[0].bound, priced[0].wanted, mine)):
                shown = form.shown_of(plan, known.outcome) if isinstance(form, QueryPlan) else None
                if shown is not None:
                    return released(shown, known.receipt)
        return None

    def _plan_alone(self, text: str, wanted: WantedPrice) -> QueryPlan | None:
        """The plan of a SELECT as a question of its own on the same terms; None if it is another kind, or refused."""
        said = replace(self.statement, select=text, view=None)
        try:
            request = self.pricing.asked(said, self.terms.delta, self.terms.groups, self.terms.min_units, self.kept)
            bound = self.pricing.known(request, wanted)
            plan = self.pricing.planned(request, bound.compiled, wanted)
        except DaleniusError:
            return None
        return plan if isinstance(plan, QueryPlan) and not bound.missing else None

    def plan(self) -> Plan[Engine]:
        """The private SELECTs as one plan."""
        self.check()
        if not self.split.parts:
            raise InvalidParameter("this statement reads views alone: it has no price, and no plan")
        priced = self.priced()
        for part in priced:
            part.bound.check()
        return self._plan(priced)

    def explain(self) -> QueryExplanation:
        """What each private SELECT costs and how far off it would be, and what they cost together."""
        shapes = self.check()
        if not self.split.parts:
            raise InvalidParameter("this statement reads views alone: it costs nothing, so ask it")
        priced = self.priced()
        bounds = dict.fromkeys(line for part in priced for line in part.bound.lines())
        plans, prices = [part.plan for part in priced], [part.wanted.epsilon or Fraction(0) for part in priced]
        explanation = explained(self.split, plans, prices, shapes, (*bounds, *self.pricing.sample_lines))
        return replace(explanation, profile=len(_missing(priced)) * priced[0].request.histogram)

    def check(self) -> dict[str, TableShape]:
        """Refuse what the private SELECTs or the engine refuse, from public facts alone; the shapes of the tables."""
        assert self.epsilon >= 0  # or refused
        shapes = {name: TableShape.of_release(release) for name, release in self.views.items()} | self._public
        for part, request in zip(self.split.parts, self._requests(), strict=True):
            shapes[part.name] = TableShape.of(request.compiled(1, 1))
        tried(self.split.outer, shapes)
        return shapes

    @property
    def _public(self) -> dict[str, TableShape]:
        return public_shapes(self.split, self.pricing.others)

    def priced(self, *, anew: bool = False) -> tuple[PricedPart, ...]:
        """Every private SELECT at its share of ε: as many parts of it as it asks questions.

        `anew` they are asked as this version asks them. So are several together, unless all of them were answered
        together before: an answer to one alone does not decide how the others, and it, are asked now.
        """
        requests = self._requests()
        each_anew = anew or len(requests) > 1
        counts = [questions(request.compiled(1, 1)) for request in requests]
        priced = []
        for request, count in zip(requests, counts, strict=True):
            wanted = WantedPrice(self.epsilon * Fraction(count, sum(counts)))
            bound = self.pricing.known(request, wanted, anew=each_anew)
            plan = self.pricing.planned(bound.request, bound.compiled, wanted, anew=each_anew)
            priced.append(PricedPart(request, wanted, bound, plan))
        return tuple(priced) if anew else self._as_answered(tuple(priced))

    def _as_answered(self, priced: tuple[PricedPart, ...]) -> tuple[PricedPart, ...]:
        """The SELECTs as they were before NULL was a key or noise was rounded, where they were answered so."""
        if _missing(priced):
            return priced
        forms = [priced]
        if any(part.bound.compiled.before is not None for part in priced):
            forms.append(tuple(map(self._without_null, priced)))
        forms += [tuple(map(self._with_earlier_noise, form)) for form in tuple(forms)]
        others = [
            form for form in forms if any(one.plan is not two.plan for one, two in zip(priced, form, strict=True))
        ]
        if others and self._is_answered(priced):
            return priced
        for before in others:
            if self.pricing.curator.earlier(self._plan(before)) or self._asked_alone(before):
                return before
        return priced

    def _without_null(self, part: PricedPart) -> PricedPart:
        compiled = part.bound.compiled.before or part.bound.compiled
        plan = self.pricing.planned(part.request, compiled, part.wanted, anew=len(self.split.parts) > 1)
        return replace(part, bound=replace(part.bound, compiled=compiled), plan=plan)

    def _with_earlier_noise(self, part: PricedPart) -> PricedPart:
        return replace(part, plan=self.pricing.planned_before(part.bound, part.wanted, part.plan))

    def _requests(self) -> list[Request]:
        requests = []
        for part in self.split.parts:
            said = replace(self.statement, select=part.select, view=None)
            request = self.pricing.asked(said, self.terms.delta, self.terms.groups, self.terms.min_units, self.kept)
            request = replace(request, delta=request.delta / len(self.split.parts))
            if len(self.split.parts) > 1 and not request.compiled(1, 1).named:  # these terms are for the others
                plain = self.pricing.asked(said, self.terms.delta, None, 1, self.kept)
                request = replace(plain, delta=request.delta)
            requests.append(request)
        return requests

    def _plan(self, priced: tuple[PricedPart, ...]) -> Plan[Engine]:
        return _as_one([part.plan for part in priced])

    def _answer(self, priced: tuple[PricedPart, ...], release: Release) -> Release:
        """Run the statement over what was released."""
        outcomes = release.outcome.tables or (release.outcome,)
        shapes = {name: TableShape.of_release(view) for name, view in self.views.items()} | self._public
        sources = {
            name: ReleasedSource(view, view.receipt.head, shapes[name].times) for name, view in self.views.items()
        }
        for number, (part, one) in enumerate(zip(self.split.parts, priced, strict=True)):
            table = released(one.bound.with_bias(outcomes[number]), release.receipt)
            draws = release.receipt.head if len(priced) == 1 else f"{release.receipt.head} {number}"
            shapes[part.name] = TableShape.of(one.bound.compiled)
            sources[part.name] = ReleasedSource(table, draws, shapes[part.name].times)
        return answer(StatementTables(self.split, sources, shapes), release.receipt)


def public_shapes(split: SplitStatement, tables: Mapping[str, QueryTable]) -> dict[str, TableShape]:
    """The public tables that a statement reads beside what is released."""
    read = {name: tables[name] for name in split.public}
    return {name: TableShape.of_public(one.name, one.held) for name, one in read.items() if one.held is not None}


def explained(
    split: SplitStatement,
    plans: list[AnyPlan],
    prices: list[Fraction],
    shapes: Mapping[str, TableShape],
    said: tuple[str, ...],
) -> QueryExplanation:
    """What the plans of a statement's private SELECTs cost and how far off they would be, and what `said` adds."""
    explanations, whole = [plan.explain() for plan in plans], _as_one(plans)
    columns = tuple(tried(split.outer, shapes).column_names)
    shares = [
        f"part         {number} of {len(plans)}, for ε = {float(price):g}: {part.select}"
        for number, (part, price) in enumerate(zip(split.parts, prices, strict=True), 1)
    ]
    above = "above        computed from the released tables by an engine that holds nothing else, for nothing"
    notes = (*shares, above, *(f"note         {note}" for note in split.notes), *said)
    lines = tuple(line for one in explanations for line in one.lines)
    cells = sum(one.cells for one in explanations)
    return QueryExplanation(lines, whole.guarantee, whole.unit, cells, columns, {}, notes=notes)


def _as_one(plans: list[AnyPlan]) -> Plan[Engine]:
    return plans[0] if len(plans) == 1 else SeveralTables(plans)


def questions(compiled: Compiled) -> int:
    """How many questions a private SELECT asks; finding keys is one more."""
    return max(1, len(compiled.groups) + len(compiled.ranks) + len(compiled.modes) + bool(compiled.named))


def _missing(priced: tuple[PricedPart, ...]) -> list[Measure[Any]]:
    """The histograms that are still to be paid, each once."""
    return list({one.fingerprint: one for part in priced for one in part.bound.missing}.values())
