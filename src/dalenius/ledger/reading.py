"""Where budgets stand and what was written: nothing here writes."""

import json
from datetime import datetime

from dalenius.errors import UnknownName
from dalenius.ledger import accounts, allowances, facts, kinds
from dalenius.ledger.accounts import Charge
from dalenius.ledger.amount import Amount
from dalenius.ledger.books import Books
from dalenius.ledger.cost import Cost
from dalenius.ledger.governance import members_of
from dalenius.ledger.moments import read_moment
from dalenius.ledger.receipt import Entry, LogEntry, entry_of, log_entry
from dalenius.ledger.secret_sample import SecretSample
from dalenius.ledger.standing import Standing, plain_left, standing, worst_of
from dalenius.ledger.store import Records
from dalenius.ledger.terms import AnalystShare, Terms
from dalenius.neighbors import Unit


class LedgerReading(Books):
    """What a ledger says of its budgets."""

    def datasets(self) -> list[str]:
        """The names of all data sets."""
        with self._store.reading() as records:
            return records.datasets()

    def entries(self, name: str) -> list[Entry]:
        """Every charge of a data set, in order."""
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            return [
                entry_of(link, terms.unit, accounts.charge_of(records, name, json.loads(link.body)).cost)
                for link in records.links(dataset=name, kind=kinds.RESERVE)
            ]

    def sample(self, name: str) -> SecretSample | None:
        """What the rows of a data set are of its population, where they are a secret sample; None if they are not."""
        with self._store.reading() as records:
            return accounts.terms_of(records, name).sample

    def remaining(self, name: str, analyst: str | None = None) -> Amount:
        """What may still be spent on everyone: ε and δ under plain sums, or the largest pure ε where none are kept.

        With an analyst, what *they* may still spend: the lesser of that and of what their share leaves.
        """
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            if _written_off(records, name):
                return Amount(0, 0)
            left = plain_left(accounts.budget_of(records, name).branches, _totals(records, name, terms))
            account = accounts.account_of(records, name, analyst)
            share = None if account is None else accounts.share_of(records, name, account)
            if account is None or (share is None and next(records.facts(name, facts.SHARE), None) is None):
                return left
            if share is None or not share.open_at(self._time(records, name)):
                return Amount(0, 0)
            spent = accounts.total_of(records, Charge(name, terms, terms.nothing), facts.ANALYST, account)
            left = left.least(plain_left(share.branches, [spent]))
            today = allowances.left_today(records, name, account, self._time(records, name))
            return left if today is None else Amount(min(left.epsilon_units, today), left.delta_units)

    def allowance(self, name: str, analyst: str) -> Amount | None:
        """What an analyst may draw a day; None if no day is capped."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            kept = records.fact(name, facts.ALLOWANCE, analyst)
        return Amount(int(kept), 0) if kept else None

    def spent(self, name: str) -> Cost:
        """What has been charged to the unit that was charged most, in each branch of the filter."""
        with self._store.reading() as records:
            return worst_of(_totals(records, name, accounts.terms_of(records, name)))

    def budget(self, name: str, *, analyst: str | None = None, block: str | None = None) -> Standing:
        """Where a data set stands, or one of its blocks, or an analyst's share of it."""
        with self._store.reading() as records:
            terms = accounts.terms_of(records, name)
            nothing = Charge(name, terms, terms.nothing)
            account = accounts.account_of(records, name, analyst)
            if account is not None:
                share = accounts.share_of(records, name, account)
                if share is None:
                    raise UnknownName(f"analyst {analyst!r} has no share of {name!r}")
                total = accounts.total_of(records, nothing, facts.ANALYST, account)
                closed = not share.open_at(self._time(records, name))
                return standing(share.limit, terms.filter, share.branches, [total], closed)
            totals = _totals(records, name, terms)
            if block is not None:
                partition = accounts.partition_of(records, name)
                if partition is None or block not in partition.labels:
                    raise UnknownName(f"{name!r} has no block {block!r}")
                everyone = accounts.total_of(records, nothing, facts.EVERYONE)
                totals = [everyone + accounts.total_of(records, nothing, facts.BLOCK, block)]
            budget = accounts.budget_of(records, name)
            return standing(budget.limit, terms.filter, budget.branches, totals, _written_off(records, name))

    def shares(self, name: str) -> dict[str, Amount]:
        """The analysts and teams who have a share, and how much; not those whose share was revoked."""
        return {analyst: share.limit for analyst, share in self.all_shares(name).items() if not share.revoked}

    def all_shares(self, name: str) -> dict[str, AnalystShare]:
        """Every share that was ever given, with its end and whether it was revoked."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            kept = list(records.facts(name, facts.SHARE))
        return {analyst: AnalystShare.from_dict(json.loads(share)) for analyst, share in kept}

    def teams(self, name: str) -> dict[str, list[str]]:
        """The teams of a data set and who draws with each."""
        members: dict[str, list[str]] = {}
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            for member, team in records.facts(name, facts.TEAM):
                if team:
                    members.setdefault(team, []).append(member)
        return members

    def population(self, name: str) -> list[str]:
        """The data sets that share one budget with this one, itself among them."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            return members_of(records, name)

    def log(
        self,
        name: str,
        *,
        kind: str | None = None,
        analyst: str | None = None,
        since: datetime | str | None = None,
        until: datetime | str | None = None,
        containing: str | None = None,
    ) -> list[LogEntry]:
        """All that was written about a data set, charges and decisions alike, in order.

        Args:
            name: the data set.
            kind: only entries of this kind, such as "reserve" or "share".
            analyst: only entries that name this analyst.
            since: only entries of this time or later, as "2026-03-01".
            until: only entries before this time.
            containing: only entries whose text, purpose, label or reason holds these words, whatever their case.
        """
        begin = None if since is None else read_moment(since, "since")
        end = None if until is None else read_moment(until, "until")
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            entries = [log_entry(link) for link in records.links(dataset=name, kind=kind)]
        return [
            entry
            for entry in entries
            if (analyst is None or entry.analyst == analyst)
            and (begin is None or _moment(entry) >= begin)
            and (end is None or _moment(entry) < end)
            and (containing is None or entry.holds(containing))
        ]

    def written_off(self, name: str) -> str | None:
        """Why a budget counts as spent; None if it does not."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            return records.fact(accounts.population_of(records, name), facts.WRITTEN_OFF)

    def limit(self, name: str) -> Amount:
        """What may be spent in all; for joined data sets, what they may spend together."""
        with self._store.reading() as records:
            accounts.terms_of(records, name)
            return accounts.budget_of(records, name).limit

    def unit(self, name: str) -> Unit:
        """Who is protected."""
        with self._store.reading() as records:
            return accounts.terms_of(records, name).unit


def _totals(records: Records, name: str, terms: Terms) -> list[Cost]:
    nothing = Charge(name, terms, terms.nothing)
    return list(accounts.standings(records, nothing, accounts.partition_of(records, name)))


def _written_off(records: Records, name: str) -> bool:
    return records.fact(accounts.population_of(records, name), facts.WRITTEN_OFF) is not None


def _moment(entry: LogEntry) -> str:
    """When an entry was written, in UTC: the first versions held the clock as it was shown."""
    return read_moment(entry.time, "time") if entry.time else ""
