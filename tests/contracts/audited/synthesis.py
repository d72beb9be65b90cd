"""Everything that synthesis releases, on a pair of neighbors: a few rows, and one more person as far out as can be."""

from typing import Any

import numpy as np

from dalenius import synthesis
from dalenius.neighbors import Unit
from dalenius.queries import Contributions, Table
from dalenius.synthesis import blr, conjunctions
from dalenius.synthesis.comparison.plan import CompareTables
from dalenius.synthesis.conjunctions.pmw import MultiplicativeWeights, OpenWeights
from dalenius.synthesis.copies.copy import Copy
from dalenius.synthesis.data.measure import scale_of
from tests.contracts.audited.case import BITS, Audited, told

DOMAIN = synthesis.Domain((synthesis.Levels("a", (0, 1)), synthesis.Levels("b", (0, 1, 2))))
ROWS = {"a": [0, 0, 1], "b": [0, 1, 2], "who": [1, 2, 3]}
MORE = {"a": [*ROWS["a"], *[1] * 5], "b": [*ROWS["b"], *[0] * 5], "who": [*ROWS["who"], *[9] * 5]}
ONE_MORE = {name: values[:4] for name, values in MORE.items()}
UNIVERSE = conjunctions.YesNo.of({"a": (0, 1), "b": (0, 1)})
MADE = tuple(np.array(counts, np.int64) for counts in ([2, 1], [1, 1, 1], [1, 1, 0, 0, 0, 1]))
WEIGHTED = synthesis.Marginals(DOMAIN, None, Contributions("who", 2))
PERSON = Unit("who")

PLANS: dict[str, tuple[Any, dict[str, Any]]] = {
    "fit": (synthesis.plan(synthesis.Marginals(DOMAIN), epsilon=1, delta="0.01"), ONE_MORE),
    "fit, pure": (synthesis.plan(synthesis.Marginals(DOMAIN), epsilon=1), ONE_MORE),
    "fit, target": (synthesis.plan(synthesis.Marginals(DOMAIN, 1), epsilon=1, delta="0.01"), ONE_MORE),
    "fit, people": (synthesis.plan(WEIGHTED, epsilon=1, delta="0.01", unit=PERSON), MORE),
    "compare": (CompareTables(WEIGHTED, MADE, "copy", *scale_of(1, None), PERSON), MORE),
    "blr": (blr.thresholds("b", epsilon=1, bounds=(0, 3), cells=3, rows=2), ONE_MORE),
    "parities": (conjunctions.parities(UNIVERSE, width=2, epsilon=1), ONE_MORE),
    "mwem": (conjunctions.mwem(UNIVERSE, epsilon=1, rounds=2, width=2), ONE_MORE),
}


def rows_of(outcome: Any) -> dict[str, Any]:
    """All that leaves of a copy: its tables, and rows that are drawn from them."""
    copy = Copy(outcome, None)  # type: ignore[arg-type]
    return told(outcome) | {"rows": copy.rows}


def weights(plan: MultiplicativeWeights, data: dict[str, Any]) -> list[float]:
    """What a run of multiplicative weights says to questions of which each depends on the answers before."""
    run = OpenWeights(plan, None, Table.of(data), None, BITS)  # type: ignore[arg-type]
    said: list[float] = []
    for _ in range(3):
        often = run.count(a=True, b=False)
        said += [often, run.count(a=True) if often > 2 else run.count(b=False), run.left]
    return said


PMW = conjunctions.multiplicative_weights(UNIVERSE, epsilon=1, updates=2, threshold="0.2")
SYNTHESIS = (
    *(
        Audited(
            name,
            lambda data, plan=plan, name=name: (rows_of if name.startswith("fit") else told)(
                plan.run(Table.of(data), BITS)
            ),
            more,
            ROWS,
            plan.guarantee,
        )
        for name, (plan, more) in PLANS.items()
    ),
    Audited("multiplicative weights", lambda data: weights(PMW, data), ONE_MORE, ROWS, PMW.guarantee),
)
