"""BLR for the questions that it can be drawn exactly for."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from dalenius.mechanisms import Exponential
from dalenius.neighbors import Metric, Sensitivity, Unit
from dalenius.numerics import Number, positive
from dalenius.queries import Key, Keys
from dalenius.queries.grid import Grid
from dalenius.statistics.about import About, bounded, facts_of
from dalenius.synthesis.blr.band import Family
from dalenius.synthesis.blr.concepts import Concepts
from dalenius.synthesis.blr.concepts import conjunctions as all_conjunctions
from dalenius.synthesis.blr.hierarchy import Hierarchy, Tree
from dalenius.synthesis.blr.measure import BaseMeasure
from dalenius.synthesis.blr.plan import SmallDatabase
from dalenius.synthesis.blr.thresholds import Thresholds
from dalenius.synthesis.blr.universe import GridItems, KeyItems, Universe


def thresholds(
    column: str,
    *,
    epsilon: Number,
    rows: int = 50,
    cells: int = 1024,
    bounds: tuple[Number, Number] | None = None,
    measure: BaseMeasure = "multisets",
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
) -> SmallDatabase:
    """A sample of `rows` values whose whole distribution function is near that of the column, under pure ε.

    `column`: the numbers. `bounds`: its declared bounds, if `about` has none. `cells`: into how many equal cells they
    are divided; the error hardly grows with them. `rows`: how many values the sample has; its steps are 1/rows, so more
    rows are finer and noisier. `measure`: what counts as one sample. `unit`, `contributions`, `about`: as in
    `dalenius.statistics`.

    >>> plan = thresholds("age", epsilon=1, bounds=(0, 100))
    >>> plan.guarantee
    BoundedRange(1)
    """
    facts = facts_of(about, unit, contributions)
    grid = Grid(column, facts.bounds_of(column, bounds), cells, bounded(facts))
    return _plan(GridItems(grid), Thresholds(cells, rows, measure), epsilon, facts.unit)


def hierarchy(
    column: str,
    tree: Mapping[str, Any] | Sequence[Any],
    *,
    epsilon: Number,
    rows: int = 50,
    measure: BaseMeasure = "multisets",
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
) -> SmallDatabase:
    """A sample of `rows` values that has about the right number of rows below every node of a tree, under pure ε.

    `tree` is public: a mapping from the name of a group to what is in it, with lists of values of `column` at the ends.

    >>> plan = hierarchy("city", {"north": ["Oslo", "Umeå"], "south": ["Rome"]}, epsilon=1, rows=20)
    >>> plan.family.questions
    6
    """
    facts = facts_of(about, unit, contributions)
    values: list[Key] = []
    shape = _shape(tree, values)
    family = Hierarchy(shape, rows, measure)
    return _plan(KeyItems(Keys(column, values), bounded(facts)), family, epsilon, facts.unit)


def conjunctions(
    columns: Mapping[str, Sequence[Key]],
    *,
    epsilon: Number,
    rows: int,
    measure: BaseMeasure = "multisets",
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
) -> SmallDatabase:
    """A sample of `rows` rows that answers all 3^d conjunctions of d two-valued columns, under pure ε.

    `columns`: each column with its two values. All multisets are enumerated, so d and `rows` must be small.

    >>> plan = conjunctions({"sex": ["F", "M"], "smokes": [False, True]}, epsilon=1, rows=8)
    >>> plan.family.questions, plan.family.databases
    (9, 165)
    """
    facts = facts_of(about, unit, contributions)
    if any(len(values) != 2 for values in columns.values()):
        raise InvalidParameter("conjunctions are of columns with two values each: give both of them")
    keys = Keys.product(*(Keys(name, values) for name, values in columns.items()))
    return _plan(KeyItems(keys, bounded(facts)), all_conjunctions(len(columns), rows, measure), epsilon, facts.unit)


def counting(
    keys: Keys,
    concepts: Iterable[Sequence[int]],
    *,
    epsilon: Number,
    rows: int,
    measure: BaseMeasure = "multisets",
    unit: Unit | str | None = None,
    contributions: int | None = None,
    about: About = None,
) -> SmallDatabase:
    """A sample of `rows` of the `keys` that answers any counting questions, under pure ε.

    `concepts`: for each question a row with 1 for each key that it counts and 0 for the others.
    """
    facts = facts_of(about, unit, contributions)
    family = Concepts(tuple(tuple(concept) for concept in concepts), rows, measure)
    if family.universe != len(keys):
        raise InvalidParameter(f"concepts have {family.universe} columns, the universe has {len(keys)} keys")
    return _plan(KeyItems(keys, bounded(facts)), family, epsilon, facts.unit)


def _plan(universe: Universe, family: Family, epsilon: Number, unit: Unit) -> SmallDatabase:
    moved = Sensitivity(universe.full(unit) * family.fineness, Metric.LINF)
    mechanism = Exponential.least(moved, PureDP(positive(epsilon, "epsilon"), unit.relation))
    return SmallDatabase(universe, family, mechanism, unit)


def _shape(tree: Any, values: list[Key]) -> Tree:
    """The tree of numbers, and on the way the values at its leaves."""
    if isinstance(tree, Mapping):
        return tuple(_shape(part, values) for part in tree.values())
    if isinstance(tree, list | tuple):
        return tuple(_shape(part, values) for part in tree)
    values.append(tree)
    return len(values) - 1
