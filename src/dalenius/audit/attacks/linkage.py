"""Linkage: two releases without names that share a few columns, joined back into one with names."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dalenius.audit.parts import canonical
from dalenius.errors import UnknownName


@dataclass(frozen=True, slots=True)
class Linked:
    """Rows that belong together for certain within the two releases: (place in the first, place in the second)."""

    pairs: tuple[tuple[int, int], ...]
    rate: float
    """The share of the first release that was linked."""


def link(first: Sequence[Mapping[str, Any]], second: Sequence[Mapping[str, Any]], on: Sequence[str]) -> Linked:
    """Join rows whose values in the columns `on` occur once in each release.

    A few ordinary columns single most people out [Swe00]: removing the names protects nobody  [A §1.1].

    >>> medical = [{"zip": 10, "sex": "f", "trait": True}, {"zip": 11, "sex": "f", "trait": False}]
    >>> voters = [{"zip": 11, "sex": "f", "name": "Ann"}, {"zip": 12, "sex": "m", "name": "Bob"}]
    >>> link(medical, voters, on=["zip", "sex"])
    Linked(pairs=((1, 0),), rate=0.5)
    """
    here, there = (_places(rows, on) for rows in (first, second))
    pairs = tuple(
        (places[0], there[values][0])
        for values, places in here.items()
        if len(places) == 1 and len(there.get(values, ())) == 1
    )
    return Linked(pairs, len(pairs) / len(first) if first else 0.0)


def _places(rows: Sequence[Mapping[str, Any]], on: Sequence[str]) -> dict[Any, list[int]]:
    places: defaultdict[Any, list[int]] = defaultdict(list)
    for place, row in enumerate(rows):
        for column in on:
            if column not in row:
                raise UnknownName(f"no column {column!r} in one of the releases")
        places[tuple(canonical(row[column]) for column in on)].append(place)
    return dict(places)
