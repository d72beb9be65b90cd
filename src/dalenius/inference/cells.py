"""The noisy counts of every public key, of which one is asked about."""

from dataclasses import dataclass
from typing import Any

from dalenius.curator import Measured, NumberRelease, Release
from dalenius.curator.formula import Ratio
from dalenius.errors import InvalidParameter, UnknownName, UnprovenClaim
from dalenius.inference.arguments import NoisyNumber, check_not_picked, noisy_numbers
from dalenius.inference.noise import ReleaseNoise
from dalenius.inference.sampling import check_one_draw
from dalenius.mechanisms import AdditiveMechanism


@dataclass(frozen=True, slots=True)
class ReleasedCells:
    """One noisy count and all the others; together they count every person once."""

    one: NoisyNumber
    others: tuple[NoisyNumber, ...]
    name: Any = None

    @property
    def total(self) -> float:
        """The noisy number of people."""
        return self.one.value + self.rest

    @property
    def rest(self) -> float:
        """The noisy number of people in the other cells."""
        return sum(other.value for other in self.others)

    @property
    def share(self) -> float:
        """The share of the first, held in [0, 1]; a half where nobody seems to be there."""
        return min(1.0, max(0.0, self.one.value / self.total)) if self.total > 0 else 0.5


def cells_of(
    release: Any, mechanism: AdditiveMechanism | None, key: Any = None, alone: bool = False, column: str | None = None
) -> ReleasedCells:
    """The cells of a release over keys, of a ratio of two counts, or of numbers with their mechanism.

    `alone` lets one count stand for itself, its number of rows being public; `column` is which of several counts.
    """
    if isinstance(release, Release):
        if mechanism is not None:
            raise InvalidParameter("a release knows its mechanism: leave mechanism= out")
        check_one_draw(release)
        if (parts := _ratio_parts(release)) is not None:
            return ReleasedCells(parts[1], (parts[0],))
        return _of_table(release, key, alone, column)
    numbers = noisy_numbers(release, mechanism, "a proportion")
    if len(numbers) < 2 and not alone:
        raise InvalidParameter("a proportion needs rows=, the public number of rows, or the counts of all keys")
    if key is not None:
        raise InvalidParameter("numbers have no keys: put the one asked about first and leave key= out")
    return ReleasedCells(numbers[0], tuple(numbers[1:]))


def _of_table(release: Release, key: Any, alone: bool, column: str | None) -> ReleasedCells:
    numbers = noisy_numbers(release, None, "a proportion", column)
    if release.outcome.keys is None:
        if not alone:
            raise UnprovenClaim(
                "the release has one count and no number of rows: pass rows= if that is public, or ask for the counts "
                "of every key in one GROUP BY"
            )
        return ReleasedCells(numbers[0], ())
    rows = [release.outcome.keys.rows[row] for row in release.outcome.rows().tolist()]
    if len(rows) != len(release.outcome.keys.rows):
        raise UnprovenClaim("the answer does not show every key, so its counts do not add up to all people")
    place = 0 if key is None else _place(rows, key)
    others = (*numbers[:place], *numbers[place + 1 :])
    return ReleasedCells(numbers[place], others, rows[place][0] if len(rows[place]) == 1 else rows[place])


def _place(rows: list[tuple[Any, ...]], key: Any) -> int:
    wanted = key if isinstance(key, tuple) else (key,)
    for place, row in enumerate(rows):
        if row == wanted:
            return place
    raise UnknownName(f"there is no key {key!r} in the answer")


def _ratio_parts(release: Release) -> tuple[NoisyNumber, NoisyNumber] | None:
    """The two noisy sums of a mean of numbers in [0, 1]: of 1 − x and of x."""
    if not isinstance(release, NumberRelease):
        return None
    (item,) = release.outcome.numbers
    formula = item.formula
    if not isinstance(formula, Ratio):
        return None
    check_not_picked(release)
    measured = [c for c in release.outcome.columns if isinstance(c, Measured) and c.name in formula.names]
    if formula.low != 0 or formula.high != 1 or len(measured) != 2:
        raise UnprovenClaim(
            "a proportion needs the mean of a column of 0 and 1, with bounds (0, 1); see inference.mean"
        )
    rest, part = measured
    return tuple(  # type: ignore[return-value]
        NoisyNumber(float(c.values[0]), ReleaseNoise.of(c.mechanism, c.lattice.step)) for c in (rest, part)
    )
