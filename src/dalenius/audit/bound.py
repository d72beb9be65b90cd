"""The audit itself: draw, encode, choose an event on one part, certify it once on the other."""

from typing import Any

import numpy as np

from dalenius.audit.certify import SHARE, EventCounts, draws_needed
from dalenius.audit.choose import Event, Goal, choose, columns_of
from dalenius.audit.claim import Ceiling, ceiling
from dalenius.audit.draw import Progress, Raised, as_callable, draw_pair
from dalenius.audit.encode import OutcomeEncoder, Outputs
from dalenius.audit.neighboring import check_neighbors
from dalenius.audit.parts import MOST, canonical
from dalenius.audit.report import Report, raised_note
from dalenius.calls import named_arguments
from dalenius.errors import AuditFailed, InvalidParameter
from dalenius.guarantees import SHOWN_DELTA, ApproxDP, Guarantee, PureDP
from dalenius.neighbors import Relation
from dalenius.noise import Bits

LEARN = 0.4
"""The part of the draws that choose the event, half of it to fit candidates and half to judge them, crosswise."""
FEWEST = 40


@named_arguments
def lower_bound(
    mechanism: Any,
    x: Any,
    x2: Any,
    *,
    claim: Guarantee | None = None,
    draws: int = 20_000,
    alpha: float = 0.05,
    delta: float | None = None,
    relation: Relation | None = None,
    seconds: float | None = None,
    trees: bool = True,
    bits: Bits | None = None,
    progress: Progress | None = None,
) -> Report:
    """Certify from `draws` outputs on each of two neighbors how much a mechanism leaks at least.

    The first part of the draws trains and selects an event, by its predicted certified margin; the rest certify it
    once, with exact binomial limits, so there is no multiplicity: a sound mechanism is rejected with probability at
    most alpha, whatever its outputs [A Thm 3.4, A Prop 13.8]. Both directions are tried; δ stands inside the
    bound; a claim of any notion is tested on its own curve.

    A mechanism is any callable data -> output; `batch(data, n)` is used if it has one; a parameter named `bits` is
    given `bits`. With `relation` the pair is checked to be neighbors. With `seconds` what was drawn in that time
    (for each data set) is used. `trees=False` leaves scikit-learn out.

    >>> from dalenius.guarantees import PureDP
    >>> r = lower_bound(lambda data: sum(data), [1, 0, 1], [1, 0], claim=PureDP(1), draws=1000)
    >>> r.rejects, r.event
    (True, 'output ≥ 2')
    """
    _check(draws, alpha)
    if relation is not None:
        check_neighbors(x, x2, relation)
    run = as_callable(mechanism, bits)
    goal = goal_of(claim, delta, alpha, draws)
    before = _form(x), _form(x2)
    first, second = draw_pair(run, x, x2, draws, seconds=seconds, progress=progress, bits=bits)
    if (_form(x), _form(x2)) != before:
        raise AuditFailed("the mechanism changes the data that it is given: draws were not on x and x2; give it a copy")
    return report_on(first, second, claim, goal, trees)


def report_on(first: Any, second: Any, claim: Guarantee | None, goal: Goal, trees: bool = True) -> Report:
    """The report on outputs already drawn on x and on x2, in the order in which they were drawn."""
    size = min(len(first), len(second))
    if size < FEWEST:
        raise AuditFailed(f"{size} draws are too few to choose an event and certify it: at least {FEWEST} are needed")
    _refuse_errors(first, second)
    learnt = int(size * LEARN)
    goal = Goal(goal.claim, goal.delta, goal.alpha, size - learnt)
    known, other_known = Outputs.read(first[:learnt]), Outputs.read(second[:learnt])
    encoder = OutcomeEncoder.fit(known, other_known)
    event = choose(columns_of(encoder(known)), columns_of(encoder(other_known)), goal, trees)
    here, there = (_seen(event, encoder, side[learnt:size]) for side in (first, second))
    one, other = (there, here) if event.reversed else (here, there)
    counts = EventCounts(one, size - learnt, other, size - learnt, event.weight)
    p_value = 1.0 if claim is None else counts.p_value(goal.claim, goal.alpha * SHARE)
    epsilon = counts.epsilon(goal.delta, goal.alpha)
    notes = [f"on {name}: {note}" for name, side in (("x", first), ("x2", second)) if (note := _note(side))]
    missing = None if claim is None or p_value <= goal.alpha else draws_missing(claim, size, goal.alpha)
    notes += [] if missing is None else [missing]
    event_text = str(event)
    return Report(
        claim, event_text, event.reversed, counts, goal.alpha, goal.delta, size, epsilon, p_value, tuple(notes)
    )


def goal_of(claim: Guarantee | None, delta: float | None, alpha: float, draws: int) -> Goal:
    """What the certifying draws will be asked."""
    shape = Ceiling.of_line(0.0, 0.0) if claim is None else ceiling(claim)
    return Goal(shape, _delta(claim, delta), alpha, draws - int(draws * LEARN))


def _seen(event: Event, encoder: OutcomeEncoder, outputs: Any) -> int:
    return int(np.count_nonzero(event.holds(columns_of(encoder(Outputs.read(outputs))))))


def _delta(claim: Guarantee | None, delta: float | None) -> float:
    if delta is not None:
        if not 0 <= delta < 1:
            raise InvalidParameter(f"delta must lie in [0, 1), got {delta!r}")
        return float(delta)
    if isinstance(claim, PureDP | ApproxDP) and claim.sum_form is not None:
        return float(claim.sum_form[1])
    return 0.0 if claim is None else SHOWN_DELTA


def _check(draws: int, alpha: float) -> None:
    if isinstance(draws, bool) or not isinstance(draws, int) or draws < FEWEST:
        raise InvalidParameter(f"draws must be a whole number ≥ {FEWEST}, got {draws!r}")
    if not 0 < alpha < 1:
        raise InvalidParameter(f"alpha must lie strictly between 0 and 1, got {alpha!r}")


def draws_missing(claim: Guarantee, draws: int, alpha: float) -> str | None:
    """Why no event could refute a claim with so few draws, and how many it takes; None if some could."""
    shape, certifying = ceiling(claim), draws - int(draws * LEARN)
    needed = draws_needed(shape, alpha)
    if needed is not None and needed <= certifying:
        return None
    if needed is None:
        return f"no number of draws refutes {claim!r}: it allows every mechanism, or nearly so"
    return f"too few draws to refute {claim!r} by any event: give draws ≥ {int(needed / (1 - LEARN)) + 1}"


def _refuse_errors(first: Any, second: Any) -> None:
    if isinstance(first, np.ndarray) or isinstance(second, np.ndarray):
        return
    both = [first[0], *first, *second]
    if all(isinstance(output, Raised) for output in both) and len(set(both)) == 1:
        raise AuditFailed(f"the mechanism raised {both[0].kind} on every draw of both data sets: nothing to audit")


def _form(data: Any) -> Any:
    """A form of the data by which a change is seen; None of what is too large to look at twice."""
    return canonical(data) if isinstance(data, list | dict | set | np.ndarray) and len(data) <= MOST else None


def _note(outputs: Any) -> str | None:
    return None if isinstance(outputs, np.ndarray) else raised_note(list(outputs))
