"""What the functions of this package accept: a release, or a number with the mechanism that made it."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dalenius.curator import Measured, Release
from dalenius.curator.formula import Cell
from dalenius.errors import InvalidParameter, MixedRelations, UnknownName, UnprovenClaim
from dalenius.guarantees import Guarantee
from dalenius.inference.noise import ReleaseNoise
from dalenius.mechanisms import AdditiveMechanism, Geometric, Laplace, Tulap
from dalenius.neighbors import Metric, Sensitivity


def key_label(key: Any, labels: Sequence[Any], what: str) -> Any:
    """The label of the group that key= names; a refusal where it names none of them.

    None says that no group is named, so the group whose key is NULL is named by (None,).
    """
    label = None if key == (None,) else key
    if key is None or label not in labels:
        listed = ", ".join("(None,)" if one is None else repr(one) for one in labels)
        raise UnknownName(f"say which key's {what} with key=: one of {listed}")
    return label


def key_words(label: Any) -> str:
    """A key as a sentence names it."""
    return "NULL" if label is None else repr(label)


@dataclass(frozen=True, slots=True)
class NoisyNumber:
    """A released number, and the law of its noise."""

    value: float
    noise: ReleaseNoise


def privacy_of(release: Any, *mechanisms: AdditiveMechanism) -> str:
    """What an interval says of the privacy of its data."""
    if isinstance(release, Release):
        return short_guarantee(release.guarantee)
    return ", ".join(dict.fromkeys(_privacy_of_count(one) for one in mechanisms))


def _privacy_of_count(mechanism: AdditiveMechanism) -> str:
    """The ε of a count with this noise, if one person moves it by 1 and there is one."""
    if not isinstance(mechanism, Geometric | Laplace | Tulap):
        return f"{mechanism.name} noise"
    form = mechanism.guarantee(Sensitivity(1, Metric.L1)).sum_form
    assert form is not None
    return f"{_guarantee_text(*form)} differential privacy ({mechanism.name} noise on a count)"


def short_guarantee(guarantee: Guarantee) -> str:
    """A guarantee as a paper names it."""
    form = guarantee.sum_form
    if form is not None:
        return f"{_guarantee_text(*form)} differential privacy ({guarantee.relation.value} neighbors)"
    return str(guarantee)


def _guarantee_text(epsilon: Fraction, delta: Fraction) -> str:
    return f"ε = {float(epsilon):.4g}" + ("" if delta == 0 else f", δ = {float(delta):.4g}")


def noisy_number(given: Any, mechanism: AdditiveMechanism | None, what: str) -> NoisyNumber:
    """One released number with its noise: a release that shows one, or a number and its mechanism."""
    numbers = noisy_numbers(given, mechanism, what)
    if len(numbers) != 1:
        raise InvalidParameter(f"{what} needs one released number, got {len(numbers)}")
    return numbers[0]


def noisy_numbers(
    given: Any, mechanism: AdditiveMechanism | None, what: str, part: str | None = None, counts: bool = True
) -> list[NoisyNumber]:
    """The released numbers of one column, each with its noise; only counts of rows or people, unless told otherwise."""
    if isinstance(given, Release):
        if mechanism is not None:
            raise InvalidParameter("a release knows its mechanism: leave mechanism= out")
        column = shown_column(given, what, part, counts)
        noise = ReleaseNoise.of(column.mechanism, column.lattice.step)
        values = column.values
        return [NoisyNumber(float(values[row]), noise) for row in given.outcome.rows().tolist()]
    if mechanism is None:
        raise InvalidParameter(f"{what} needs a release, or a number and mechanism=, the mechanism that made it")
    values = tuple(given) if isinstance(given, Sequence) and not isinstance(given, str) else (given,)
    noise = ReleaseNoise.of(mechanism, rounded=False)
    return [NoisyNumber(checked_number(value), noise) for value in values]


def checked_number(value: Any) -> float:
    """A released number as a float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        try:
            return float(value)
        except (TypeError, ValueError):
            raise InvalidParameter(f"a released number must be a number, got {value!r}") from None
    if value != value or abs(value) == float("inf"):
        raise InvalidParameter(f"a released number must be finite, got {value!r}")
    return float(value)


def shown_column(release: Release, what: str, part: str | None = None, counts: bool = True) -> Measured:
    """The one noisy column that a release shows as it was released, or the one of that name; a sum is no count."""
    check_not_picked(release)
    measured = {c.name: c for c in release.outcome.columns if isinstance(c, Measured)}
    bare = [
        measured[item.formula.name]
        for item in release.outcome.numbers
        if isinstance(item.formula, Cell) and item.formula.name in measured and part in (None, item.formula.name)
    ]
    if len(bare) != 1 or (counts and not bare[0].counts):
        raise UnprovenClaim(
            f"{what} needs a release that shows one noisy count; ask for COUNT(*) and nothing beside it"
        )
    return bare[0]


def check_not_picked(release: Release) -> None:
    """Refuse an answer whose rows were picked by what they show: its intervals would not hold what they claim."""
    arranged = release.outcome.arrangement
    cut = arranged.limit is not None or arranged.offset > 0
    if arranged.having is not None or (arranged.order and cut) or release.outcome.looks > 1:
        raise UnprovenClaim(
            "these rows were picked by their noisy values (HAVING, ORDER BY … LIMIT, or within= a share): an interval "
            "made after the choice would not hold at its level; ask for every key and look at the ones you need"
        )
    if release.outcome.shown_by_threshold:
        raise UnprovenClaim(
            "these counts are shown because they are large, noise included: they enter no combination and no "
            "inference; declare the keys and ask for every one of them"
        )


def check_same_people(*releases: Release) -> None:
    """Refuse releases under different relations or units."""
    if len({(release.unit.column, release.unit.relation) for release in releases}) > 1:
        raise MixedRelations("the releases protect different units or use different neighbors: ask both the same way")
