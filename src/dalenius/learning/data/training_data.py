"""Rows of people for a fit: from a session's SQL, or from a frame with a column that says whose row it is."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.learning.data.rows import Matrix, numbers
from dalenius.learning.data.stream import arrow_values
from dalenius.learning.data.weighted_rows import WeightedRows, shared_out
from dalenius.queries import View

_NUMBERS = (int, float, np.integer, np.floating)
_FAR = 2.0**53
"""A number of this size and more names nobody: one missing value turns a whole column into floats."""


@dataclass(frozen=True, slots=True, repr=False, eq=False)
class TrainingData(View):
    """Features and target of people's rows, and who is protected; nothing is read before a fit is charged.

    A person with n rows counts as the fit with `sample_weight` min(1, T/n) does, T the contribution bound. `bounds` of
    the features, and `target_bounds`, are those that the owner declared, None where there are none.
    """

    _load: Callable[[], WeightedRows]
    features: tuple[str, ...]
    unit: str | None
    contributions: int
    charged: Any = None
    """The session whose ledger pays; None for a frame, where the model's own `ledger=` does."""
    bounds: tuple[tuple[float, ...], tuple[float, ...]] | None = None
    source: str = "a frame"
    """What is read, in words that are public."""
    target_bounds: tuple[float, float] | None = None

    @property
    def scale(self) -> float:
        """What a weight of 1 stands for."""
        return float(self.contributions)


@runtime_checkable
class UnreadRows(Protocol):
    """Rows of a session that are not read yet."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the values, in order."""

    @property
    def bounds(self) -> tuple[tuple[float, float] | None, ...]:
        """The declared bounds of each."""

    @property
    def statement(self) -> str:
        """What gives them."""

    def _read(self) -> Any:
        """An Arrow table: the number of rows of each row's unit, then the values."""


@named_arguments
def from_sql(session: Any, query: str, *, target: str | None = None, contributions: int | None = None) -> TrainingData:
    """The rows of a SELECT, for `fit`: private for the session's unit, and charged to its ledger.

    session         what `dalenius.connect` gives
    query           SELECT features and target FROM table JOIN … WHERE …, without aggregates
    target          the column that is learned; left out, the last one
    contributions   how many rows of a person count in full, together; left out, as the session's owner declared

    >>> import dalenius, pyarrow, tempfile
    >>> visits = pyarrow.table({"patient": [1, 1, 2], "age": [60, 61, 35], "bp": [150, 148, 120]})
    >>> terms = {"unit": "patient", "contributions": 2, "bounds": {"age": (0, 100), "bp": (80, 200)}, "table": "visits"}
    >>> db = dalenius.connect(visits, budget={"epsilon": 1}, ledger=tempfile.mkdtemp() + "/x", **terms)
    >>> from_sql(db, "SELECT age, bp FROM visits").features
    ('age',)
    """
    if not callable(getattr(session, "rows", None)) or not hasattr(session, "unit"):
        raise UnprovenClaim("from_sql takes a session: what dalenius.connect gives")
    selected: UnreadRows = session.rows(query)
    unit = session.unit.column
    declared = contributions if contributions is not None else getattr(session.policy, "contributions", None)
    if unit is not None and declared is None:
        raise InvalidParameter(
            f"how many rows of each {unit} count is not declared, and a fit does not find it: say contributions=, such "
            "as from_sql(db, query, contributions=20); db.profile() tells how many rows people have, once it is bought"
        )
    bound = 1 if unit is None else _contributions(declared)
    name = selected.names[-1] if target is None else target
    if name not in selected.names or len(selected.names) < 2:
        raise UnknownName(f"the query selects no column {name!r} beside features")
    features = tuple(each for each in selected.names if each != name)
    known = dict(zip(selected.names, selected.bounds, strict=True))
    ends = [known[each] for each in features]
    bounds = None if None in ends else (tuple(e[0] for e in ends if e), tuple(e[1] for e in ends if e))

    def load() -> WeightedRows:
        table = selected._read()
        counts = np.asarray(arrow_values(table.column(0).combine_chunks()), np.int64)
        columns = [numbers(arrow_values(table.column(each).combine_chunks())) for each in features]
        weight = shared_out(np.arange(len(counts)), counts, bound)
        matrix = np.column_stack(columns) if columns else np.zeros((len(counts), 0))
        return WeightedRows(matrix, arrow_values(table.column(name).combine_chunks()), weight, unit, float(bound))

    return TrainingData(load, features, unit, bound, session, bounds, selected.statement, known[name])


@named_arguments
def from_frame(
    frame: Any, *, target: str, unit: str, features: Sequence[str] | None = None, contributions: int = 1
) -> TrainingData:
    """The rows of a pandas, polars or Arrow table, for `fit`: private for whoever the column `unit` names.

    frame           a table with named columns
    target, unit    the columns that are learned, and that say whose row it is; a row of nobody counts as no row
    features        the others, if left out
    contributions   how many rows of a person count in full, together

    >>> import pandas
    >>> visits = pandas.DataFrame({"patient": [1, 1, 2], "age": [60, 61, 35], "bp": [150, 148, 120]})
    >>> from_frame(visits, target="bp", unit="patient", contributions=2).features
    ('age',)
    """
    names = list(getattr(frame, "column_names", getattr(frame, "columns", ())))
    wanted = [name for name in names if name not in (target, unit)] if features is None else list(features)
    for name in (target, unit, *wanted):
        if names.count(name) != 1:
            raise UnknownName(f"the frame has no one column {name!r}")
    if not wanted or unit in wanted or target in wanted or unit == target:
        raise InvalidParameter("features must be columns other than the target and the unit, at least one")
    bound, column = _contributions(contributions), _reader(frame)
    people, counts = numbered_people(column(unit))
    matrix: Matrix = np.column_stack([numbers(column(name)) for name in wanted])
    here = people >= 0
    weight = np.zeros(len(people))
    weight[here] = shared_out(people[here], counts, bound)
    rows = WeightedRows(matrix, column(target), weight, unit, float(bound), people)
    return TrainingData(lambda: rows, tuple(wanted), unit, bound)


def numbered_people(ids: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """(the number of each row's person, −1 for nobody; how many rows each person has).

    Two rows are one person's where their values are equal. NULL, NaN, what cannot be compared, and numbers of 2⁵³ and
    more name nobody: each row decides for itself.
    """
    if ids.dtype.kind in "fiu":
        values = ids.astype(np.float64)
        near = np.abs(values) < _FAR
        people = np.full(len(ids), -1, np.int64)
        _, people[near] = np.unique(values[near], return_inverse=True)
    else:
        known: dict[Any, int] = {}
        people = np.array([_person(value, known) for value in ids.tolist()], np.int64)
    return people, np.bincount(people[people >= 0])


def _person(value: Any, known: dict[Any, int]) -> int:
    try:
        far = isinstance(value, _NUMBERS) and abs(float(value)) >= _FAR
        return -1 if value is None or far or not bool(value == value) else known.setdefault(value, len(known))
    except Exception:  # unhashable, or a comparison that fails
        return -1


def _reader(frame: Any) -> Callable[[str], NDArray[Any]]:
    if hasattr(frame, "column_names") and hasattr(frame, "combine_chunks"):
        return lambda name: np.asarray(arrow_values(frame.column(name).combine_chunks()))
    return lambda name: np.asarray(frame[name])


def _contributions(given: Any) -> int:
    if isinstance(given, bool) or not isinstance(given, int | np.integer) or not 1 <= given <= 1 << 20:
        raise InvalidParameter(
            f"contributions must be a whole number from 1 to 2^20, how many rows of a person count, got {given!r}"
        )
    return int(given)
