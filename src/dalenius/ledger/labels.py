"""Charges of one label, found without reading a whole chain each time: a chain only grows, so what was read stays."""

import json
from dataclasses import dataclass, field
from typing import NamedTuple

from dalenius.ledger import accounts, kinds
from dalenius.ledger.charge import canonical
from dalenius.ledger.store import COMMON, Records


class LabelledCharge(NamedTuple):
    """A charge with a label: where it stands, when it was made, and its receipt."""

    chain: str
    number: int
    time: str
    receipt: str


@dataclass(frozen=True, slots=True)
class _Read:
    """How far chains were read, each to a link of this number and hash, and the charges that were met."""

    ends: dict[str, tuple[int, str]] = field(default_factory=dict)
    charges: tuple[LabelledCharge, ...] = ()


class LabelledCharges:
    """Remembers, for one opened ledger, which charges have which label.

    Every question asks for those of a table's profile. A link never changes and stands under its hash, so only links
    behind the last one that was read are looked at; if that one is not there any more, an older copy was put in the
    ledger's place, and all is read anew. What is stored under a receipt is not kept here.
    """

    def __init__(self) -> None:
        self._read: dict[tuple[str, str], _Read] = {}

    def of(self, records: Records, dataset: str, label: str) -> tuple[LabelledCharge, ...]:
        """The charges of a data set under a label, in the order of their chains."""
        before = self._read.get((dataset, label), _Read())
        if not all(_is_there(records, chain, *end) for chain, end in before.ends.items()):
            before = _Read()
        ends, charges = dict(before.ends), list(before.charges)
        for chain in {COMMON, dataset, accounts.population_of(records, dataset)}:
            last, reached = records.last_link(chain), ends.get(chain, (0, ""))
            if last[0] > reached[0]:
                charges += _behind(records, chain, dataset, label, reached[0])
                ends[chain] = last
        read = _Read(ends, tuple(sorted(charges)))
        self._read[dataset, label] = read
        return read.charges


def _is_there(records: Records, chain: str, number: int, digest: str) -> bool:
    link = records.link_of_hash(digest)
    return link is not None and (link.chain, link.number) == (chain, number)


def _behind(records: Records, chain: str, dataset: str, label: str, after: int) -> list[LabelledCharge]:
    words = canonical({"label": label}).decode()[1:-1]
    links = records.links(chain=chain, dataset=dataset, kind=kinds.RESERVE, containing=words, after=after)
    bodies = [(link, json.loads(link.body)) for link in links]
    return [
        LabelledCharge(link.chain, link.number, body["time"], link.hash)
        for link, body in bodies
        if body.get("label") == label
    ]
