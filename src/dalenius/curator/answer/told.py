"""What is said of an answer beside its numbers, in words."""

from dalenius.curator.answer.chosen import Chosen
from dalenius.curator.answer.computed import Computed
from dalenius.curator.answer.error_parts import BESIDE, LEFT_OUT, SAMPLE
from dalenius.curator.answer.outcome import BY_THRESHOLD, Outcome
from dalenius.curator.answer.shown import Shown
from dalenius.curator.formula import Cell

COMPUTED = "computed"
"""The note with what a reader of computed columns must know."""


def told_of_answer(outcome: Outcome) -> list[str]:
    """What is said of an answer below its numbers: of bounding, and of rounds that stopped by what they released."""
    said = [note for name in (BESIDE, LEFT_OUT, SAMPLE) if isinstance(note := outcome.notes.get(name), str)]
    said += [line for line in outcome.notes.get(COMPUTED, ()) if isinstance(line, str)]
    return [*said, *told_of_threshold(outcome), *told_of_bounding(outcome), *told_of_rounds(outcome)]


def told_of_threshold(outcome: Outcome) -> list[str]:
    """That counts are there because they are large, noise included, and what their ± means then."""
    if not outcome.shown_by_threshold:
        return []
    least = outcome.notes[BY_THRESHOLD]
    return [f"a row is shown if its noisy count reaches {least}; ±: that one is shown and further off has this chance"]


def told_of_rounds(outcome: Outcome) -> list[str]:
    """That the ε of an answer in rounds is what was spent until it was close enough, an ex-post loss  [RRUV16].

    Whether another round followed hangs on the released numbers, and so on the rows: before it was asked, what is
    promised is the most that it could have cost.
    """
    rounds = outcome.notes.get("rounds")
    if not isinstance(rounds, dict) or "max_epsilon" not in rounds:
        return []
    return [
        f"this ε is what {len(rounds['epsilons'])} of {rounds['at_most']} rounds spent until the answer was close "
        f"enough; the asking as a whole is {rounds['max_epsilon']}-differentially private"
    ]


def told_of_bounding(outcome: Outcome) -> list[str]:
    """What is said of bounding: nothing where no number shown is known to have lost a share."""
    cut = outcome.cut_off
    if cut is None:
        return []
    losing = [item for item in outcome.numbers if item.formula.names & set(cut.columns)]
    return [str(cut)] if any(one is not None for item in losing for one in outcome.bias(item)) else []


def not_carried(outcome: Outcome, item: Shown) -> str | None:
    """Why no rule carried the error to a computed column; None where one did, or where it was not computed."""
    columns = (c for c in outcome.columns if isinstance(item.formula, Cell) and c.name == item.formula.name)
    computed = next((c for c in columns if isinstance(c, Computed) and c.ends is None), None)
    return None if computed is None else computed.reason


def unit_of_error(outcome: Outcome, item: Shown) -> str:
    """What the error of a column is told in."""
    if not_carried(outcome, item) is not None:
        return "no interval"
    bare = next((c for c in outcome.columns if isinstance(item.formula, Cell) and c.name == item.formula.name), None)
    return f"{bare.error}, 95 %" if isinstance(bare, Chosen) else "95 %"
