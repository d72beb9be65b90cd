"""The k cells that come first, by report noisy max, where that is closer than noise on every cell."""

from dataclasses import dataclass
from fractions import Fraction

from dalenius.curator import Chosen
from dalenius.curator.answer.outcome import Outcome, shown_above
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.guarantees import PureDP
from dalenius.ledger import to_form
from dalenius.mechanisms import Geometric, MonotonePermuteAndFlip, PermuteAndFlip, TopK, calibrate
from dalenius.neighbors import Metric, Relation, Sensitivity, Unit
from dalenius.noise import Bits
from dalenius.numerics import Number, float_above, positive
from dalenius.queries import Keys, View
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.measurements import TopChoice
from dalenius.sql.plans.sums import PricedQuestion, QueryExplanation, arranged

_BETA = Fraction(1, 20)
MOST_LOOKS = 2**22
"""Cells times rounds that a choice may look at."""
RANK = "rank"
"""What the column of an outcome is called that says in which round each cell was chosen."""


@dataclass(frozen=True, slots=True, init=False)
class TopPlan:
    """k rounds of permute and flip over the cells, the chosen set aside: the answer is their keys, in that order.

    What a unit adds to a cell lies in a range of Δ = `TopChoice.steps`, the same for all. A choice hangs on differences
    of numbers alone, so that range may start at 0: no added unit lowers a number. Hence one round costs Δ/s under
    ADD_REMOVE (2Δ/s for a unit that is replaced), and the k rounds compose  [MS20, A §5.1 report noisy max, A Thm 3.3].
    The smallest are the largest with the signs turned.
    """

    compiled: Compiled
    mechanism: TopK

    def __init__(self, compiled: Compiled, epsilon: Number) -> None:
        top = compiled.top
        assert top is not None
        whole, relation = positive(epsilon, "epsilon"), compiled.unit.relation
        family = MonotonePermuteAndFlip if relation is Relation.ADD_REMOVE else PermuteAndFlip
        object.__setattr__(self, "compiled", compiled)
        object.__setattr__(self, "mechanism", TopK(family.least(_moved(top), PureDP(whole / top.k, relation)), top.k))

    @property
    def top(self) -> TopChoice:
        """What is asked."""
        assert self.compiled.top is not None
        return self.compiled.top

    @property
    def unit(self) -> Unit:
        return self.compiled.unit

    @property
    def guarantee(self) -> PureDP:
        """The sum over the rounds  [A Thm 3.3, MS20]."""
        form = self.mechanism.guarantee(_moved(self.top), self.unit.relation).sum_form
        assert form is not None
        return PureDP(form[0], self.unit.relation)

    @property
    def blocks(self) -> None:
        return None

    @property
    def fingerprint(self) -> str:
        """SHA-256 of unit, compiled query, mechanism and guarantee."""
        facts = {
            **{"unit": self.unit.column, "relation": self.unit.relation.value, "query": self.compiled.facts()},
            **{"mechanism": self.mechanism.facts(), "guarantee": to_form(self.guarantee)},
        }
        return fingerprint_of("top of cells", facts)

    @property
    def missed(self) -> Fraction:
        """How far below the best that is left each chosen cell may lie, 95 % of the time  [MS20]."""
        selection = self.mechanism.selection
        assert isinstance(selection, MonotonePermuteAndFlip | PermuteAndFlip)
        return selection.accuracy(_BETA / self.top.k, self.compiled.cells) * self.top.lattice.step

    def explain(self) -> QueryExplanation:
        """Cost and expected error, for free; and what was not planned."""
        compiled, top = self.compiled, self.top
        end = "smallest" if top.smallest else "largest"
        other = shown_above(float_above(missed_by_noise(compiled, self.guarantee.budget)))
        line = PricedQuestion(
            f"the {top.k} of {compiled.cells} cells with the {end} {top.question}",
            self.guarantee.budget,
            top.steps * top.lattice.step,
            float_above(self.missed),
            False,
            f" {'above' if top.smallest else 'below'} the {end} left",
            remark=f"report noisy max in {rounds_of(top.k)}: with noise on all cells it would be ± {other}",
        )
        columns = tuple(column.name for column in compiled.output.columns)
        return QueryExplanation((line,), self.guarantee, self.unit, compiled.cells, columns, {})

    def check(self, view: View) -> None:
        """Nothing of the view is left to check: the query was compiled against its columns."""

    def run(self, view: Engine, bits: Bits) -> Outcome:
        """The number of each cell, then the choices; only the keys of the chosen leave."""
        numbers = view.scan(self.top.scan, self.compiled.cells, 1)[0]
        chosen = self.mechanism.release(-numbers if self.top.smallest else numbers, bits).tolist()
        columns = [f"key {number}" for number in range(len(self.compiled.keys))]
        keys = Keys.among(columns, [self.compiled.labels(cell) for cell in chosen])
        scale = self.mechanism.selection.scale * self.top.lattice.step
        places = tuple(range(1, self.top.k + 1))
        layout, _ = arranged(self.compiled)
        column = Chosen(RANK, places, self.mechanism.name, self.compiled.cells, scale, self.top.question)
        return Outcome((column,), keys, tuple(layout))


def rounds_of(k: int) -> str:
    """A number of rounds, in words."""
    return f"{k} round{'s' * (k > 1)}"


def missed_by_noise(compiled: Compiled, epsilon: Fraction) -> Fraction:
    """How far below the best that is left a cell may lie if noisy numbers are sorted: twice what any noise reaches.

    Of two cells one can pass the other by no more than its own noise and the other's  [D Def 2.1].
    """
    group = compiled.groups[0]
    noise = calibrate(Geometric, group.sensitivity(compiled.unit.relation), epsilon=epsilon)
    return 2 * Fraction(noise.accuracy(_BETA, compiled.cells)) * group.lattice.step


def _moved(top: TopChoice) -> Sensitivity:
    return Sensitivity(top.steps, Metric.LINF)
