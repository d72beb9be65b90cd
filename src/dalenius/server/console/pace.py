"""How a budget was spent, by whom and where, and what the next year costs at this pace. All of it is in the ledger."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from itertools import accumulate

from dalenius import charts
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.ledger import Amount, Entry, Ledger, LogEntry, decimal

_DAYS = 30
_YEAR = 365
_UNIT = Fraction(1, 10**12)


@dataclass(frozen=True, slots=True)
class Pace:
    """What was spent in some days, what a year of such days costs, and until when it can go on like that."""

    days: int
    spent: Fraction
    year: Fraction
    ends: str | None

    def __str__(self) -> str:
        last = "In the last day" if self.days == 1 else f"In the last {self.days} days"
        if not self.spent:
            return f"{last} nothing was spent."
        end = "" if self.ends is None else f", and what is left lasts until about {self.ends}"
        spent, year = _short(self.spent), _short(self.year)
        return f"{last} ε = {spent} was spent; at this pace a year costs ε = {year}{end}."


def pace_now(book: Ledger, dataset: str) -> Pace:
    """How fast the budget of a data set is spent now."""
    return pace_of(book.entries(dataset), book.remaining(dataset), datetime.now(UTC))


def pace_of(entries: list[Entry], left: Amount, now: datetime) -> Pace:
    """The pace of the last thirty days, or of as many as there are charges for."""
    first = datetime.fromisoformat(entries[0].time) if entries else now
    first = first if first.tzinfo else first.replace(tzinfo=UTC)
    days = min(_DAYS, max(1, (now - first).days + 1))
    begin = (now - timedelta(days=days)).isoformat(timespec="seconds")
    spent = sum((one.charged.epsilon or Fraction(0) for one in entries if one.time >= begin), Fraction(0))
    if not spent:
        return Pace(days, spent, spent, None)
    lasting = left.epsilon / spent * days
    ends = (now + timedelta(days=int(lasting))).date().isoformat() if lasting < 100 * _YEAR else None
    return Pace(days, spent, spent / days * _YEAR, ends)


@dataclass(frozen=True, slots=True)
class Spending:
    """What was granted of ε, and each charge with its time, in order; None for a charge that has no plain ε."""

    granted: Fraction
    charges: tuple[tuple[str, Fraction | None], ...]

    def left(self) -> list[Fraction]:
        """What is left after each charge, at least nothing."""
        spent = accumulate(cost or Fraction(0) for _, cost in self.charges)
        return [max(Fraction(0), self.granted - one) for one in spent]


def burn_down(book: Ledger, dataset: str, analyst: str | None = None, block: str | None = None) -> str:
    """What is left of a budget, of an analyst's share or of a block after each charge, as a picture."""
    spending = spending_of(book, dataset, analyst, block)
    charges = [(time, float(cost or 0)) for time, cost in spending.charges]
    return charts.svg_text(charts.burn_down(charges, float(spending.granted)))


def spending_of(book: Ledger, dataset: str, analyst: str | None = None, block: str | None = None) -> Spending:
    """How a budget, an analyst's share or a block was spent; it begins with nothing, when the data set was made."""
    if analyst is not None and block is not None:
        raise InvalidParameter("a share is of all blocks: name an analyst or a block")
    begin = tuple((one.time, Fraction(0)) for one in book.log(dataset, kind="create"))
    if analyst is not None:
        share = book.all_shares(dataset).get(analyst)
        if share is None:
            raise UnknownName(f"analyst {analyst!r} has no share of {dataset!r}")
        log = book.log(dataset, analyst=analyst)
        drawn = tuple((one.time, _cost(one)) for one in log if one.kind in ("reserve", "view"))
        return Spending(share.limit.epsilon, begin + drawn)
    entries, times = book.entries(dataset), 1
    if block is not None:
        book.budget(dataset, block=block)  # refuses a block that nobody declared
        times = int(book.log(dataset, kind="partition")[0].words.get("per_unit", 1))
    taken = tuple((one.time, _of_block(one, block, times)) for one in entries)
    return Spending(book.limit(dataset).epsilon, begin + taken)


def _of_block(entry: Entry, block: str | None, times: int) -> Fraction | None:
    """What a charge took of a block: once if it read everyone, and so many times where a unit may be in several."""
    epsilon = entry.charged.epsilon
    if block is None or entry.blocks is None or epsilon is None:
        return epsilon
    return times * epsilon if block in entry.blocks.labels else Fraction(0)


def _cost(entry: LogEntry) -> Fraction | None:
    """What an entry took of a share: nothing where the owner approved the question beside it."""
    if entry.words.get("request"):
        return Fraction(0)
    units = (entry.words.get("cost") or {}).get("sum")
    return None if units is None else int(units[0]) * _UNIT


def _short(value: Fraction) -> str:
    """At most six digits after the point, rounded up: it is a cost."""
    return decimal(Fraction(-(-value * 10**6 // 1), 10**6))
