"""What the owner decides: shares, teams, purposes, which data sets hold the same people, and what counts as spent."""

from collections.abc import Iterable
from datetime import datetime

from dalenius.errors import InvalidParameter, LedgerMismatch, UnknownName
from dalenius.ledger import accounts, facts, governance, kinds
from dalenius.ledger.amount import Amount
from dalenius.ledger.books import Books, check_texts
from dalenius.ledger.keys import EVERYBODY
from dalenius.ledger.moments import read_moment
from dalenius.ledger.store import Records
from dalenius.numerics import Number

PROFILE = "profile"
"""The label of a charge that tells how a table is shaped, and is no answer."""


class Governing(Books):
    """Decisions, each an entry of its own."""

    def share(
        self, dataset: str, analyst: str, epsilon: Number, delta: Number = 0, *, until: datetime | str | None = None
    ) -> None:
        """Let an analyst draw so much of a data set; the same call with another amount raises or lowers it.

        Once there are shares, only the owner and those who have one may draw. The share is kept by the data set's
        filter, sized to it, over all that the analyst has ever been charged: one that is revoked and given again does
        not start anew, and one below what is spent admits nothing. What is promised of an analyst is the largest share
        that they ever had. Shares may add up to more than the data set has: its own cap holds anyway.

        Args:
            dataset: the data set.
            analyst: whose share it is: an analyst's, or a team's; that of everybody is given by `open_to_everybody`.
            epsilon: the ε that they may draw in all.
            delta: the δ that they may draw in all.
            until: when it ends: a datetime or a text such as "2027-01-01"; judged by the later of the clock and the
                last entry, so that an end that has passed stays passed.
        """
        check_texts(analyst=analyst)
        if analyst == EVERYBODY:  # a door that was closed keeps its allowance: a share alone would open it again
            raise InvalidParameter(
                f"{EVERYBODY!r} is the name of everybody who asks without a key: give them a share together with its "
                "allowance a day, by open_to_everybody or on the owner's page"
            )
        limit = Amount.limit(epsilon, delta)
        end = None if until is None else read_moment(until, "until")
        with self._store.transaction(dataset) as records:
            self._give_share(records, dataset, analyst, limit, end)

    def allow_daily(self, dataset: str, analyst: str, epsilon: Number | None) -> None:
        """Let an analyst draw at most so much ε of their share in a day (UTC); None lifts it. δ is the share's alone.

        Args:
            dataset: the data set.
            analyst: whose days are capped: who has a share, or a team.
            epsilon: the ε that all charges of one day may add up to.
        """
        check_texts(analyst=analyst)
        units = _units_a_day(epsilon)
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            self._give_allowance(records, dataset, analyst, units)

    def open_to_everybody(
        self,
        dataset: str,
        epsilon: Number,
        daily: Number,
        delta: Number = 0,
        *,
        until: datetime | str | None = None,
    ) -> None:
        """Let everybody draw on one share without a key, so much a day: both are given, or neither is.

        A share without its allowance could be drained in an hour.

        Args:
            dataset: the data set.
            epsilon: the ε that all strangers may draw in all.
            daily: the ε that they may draw in a day (UTC).
            delta: the δ that they may draw in all.
            until: when it ends, as for `share`.
        """
        limit, units = Amount.limit(epsilon, delta), _units_a_day(daily)
        end = None if until is None else read_moment(until, "until")
        with self._store.transaction(dataset) as records:
            self._give_share(records, dataset, EVERYBODY, limit, end)
            self._give_allowance(records, dataset, EVERYBODY, units)

    def _give_share(self, records: Records, dataset: str, analyst: str, limit: Amount, end: str | None) -> None:
        terms = accounts.terms_of(records, dataset)
        most = accounts.budget_of(records, dataset).limit
        if not limit.within(most):
            raise InvalidParameter(f"a share of {limit} is more than {dataset!r} has: {most}")
        if end is not None and end <= self._time(records, dataset):
            raise InvalidParameter(f"a share must end in the future, got until={end}")
        if records.fact(dataset, facts.TEAM, analyst):
            raise InvalidParameter(f"{analyst!r} draws on the share of a team; take them out of it first")
        given = terms.share(limit, end)
        if accounts.share_of(records, dataset, analyst) != given:
            self._append(records, kinds.SHARE, dataset, given.to_dict() | {"analyst": analyst})

    def _give_allowance(self, records: Records, dataset: str, analyst: str, units: str) -> None:
        if accounts.share_of(records, dataset, analyst) is None:
            raise UnknownName(f"{analyst!r} has no share of {dataset!r} to cap the days of; give one first")
        if units and (team := records.fact(dataset, facts.TEAM, analyst)):
            raise InvalidParameter(f"{analyst!r} draws on the share of the team {team!r}: cap the days of the team")
        if (records.fact(dataset, facts.ALLOWANCE, analyst) or "") != units:
            self._append(records, kinds.ALLOW, dataset, {"analyst": analyst, "epsilon_units_a_day": units})

    def revoke(self, dataset: str, analyst: str) -> None:
        """End a share now. What was spent stays with the name; another share may be given later."""
        check_texts(analyst=analyst)
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            share = accounts.share_of(records, dataset, analyst)
            if team := records.fact(dataset, facts.TEAM, analyst):
                raise InvalidParameter(
                    f"{analyst!r} draws on the share of the team {team!r} and would go on: take them out of it, "
                    "or revoke the share of the team"
                )
            if share is None:
                raise UnknownName(f"analyst {analyst!r} has no share of {dataset!r}")
            if not share.revoked:
                self._append(records, kinds.REVOKE, dataset, {"analyst": analyst})

    def team(self, dataset: str, name: str, members: Iterable[str]) -> None:
        """Let analysts draw on one share together: what one of them has seen, all have. The list replaces the last.

        The team takes over what its members have spent; one who leaves it has spent what the team has.
        """
        listed = [members] if isinstance(members, str) else list(members)
        check_texts(name=name)
        for member in listed:
            check_texts(analyst=member)
        if None in listed:
            raise InvalidParameter("the owner draws on no share, and is in no team")
        if EVERYBODY in (name, *listed):
            raise InvalidParameter(f"{EVERYBODY!r} is the name of everybody who asks without a key: they are no team")
        people = sorted(set(listed))
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            if accounts.share_of(records, dataset, name) is None:
                raise UnknownName(f"{name!r} has no share of {dataset!r} for a team to draw on; give it one first")
            teams = dict(records.facts(dataset, facts.TEAM))
            if teams.get(name) or name in people or any(member in teams.values() for member in people):
                raise InvalidParameter("a team is made of analysts, not of teams")
            for member in people:
                if records.fact(dataset, facts.ALLOWANCE, member):
                    raise InvalidParameter(
                        f"{member!r} has an allowance a day, which a team would not keep: lift it, and cap the team"
                    )
                if teams.get(member) not in (None, "", name):
                    raise LedgerMismatch(f"{member!r} draws with the team {teams[member]!r} of {dataset!r} already")
            if sorted(member for member, team in teams.items() if team == name) != people:
                self._append(records, kinds.TEAM, dataset, {"team": name, "members": people})

    def require_purpose(self, dataset: str, required: bool = True) -> None:
        """Refuse charges that do not say what they are for, or no longer."""
        word = "required" if required else "optional"
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            if (records.fact(dataset, facts.RULE, "purpose") or "optional") != word:
                self._append(records, kinds.RULE, dataset, {"purpose": word})

    def join(self, *datasets: str) -> None:
        """Put data sets of the same people under one budget, for ever: the least ε and δ of theirs.

        It must be done before the first charge other than a profile; charges for profiles are taken over.
        """
        names = sorted(set(datasets))
        if len(names) < 2:
            raise InvalidParameter("join takes the names of two data sets or more")
        with self._store.transaction(*names) as records:
            if governance.members_of(records, names[0]) == names:
                return
            _check_join(records, names)
            *others, lead = names
            budget = governance.least_of(records, [lead, *others])
            time = max(self._time(records, name) for name in names)
            for name in others:
                self._append(records, kinds.JOINED, name, {"population": lead}, not_before=time)
            body = budget.to_dict() | {"datasets": names}
            self._append(records, kinds.JOIN, lead, body, not_before=time)

    def write_off(self, dataset: str, reason: str) -> None:
        """Count all that is left of a budget as spent, for ever: for a ledger that was lost or put back from a copy."""
        check_texts(reason=reason)
        with self._store.transaction(dataset) as records:
            accounts.terms_of(records, dataset)
            if records.fact(accounts.population_of(records, dataset), facts.WRITTEN_OFF) is None:
                self._append(records, kinds.WRITE_OFF, dataset, {"reason": reason})


def _units_a_day(epsilon: Number | None) -> str:
    """An allowance a day as an entry holds it; empty for none."""
    if epsilon is None:
        return ""
    daily = Amount.limit(epsilon, 0)
    if not daily.epsilon_units:
        raise InvalidParameter(f"an allowance a day must be > 0, got {epsilon}: revoke the share to stop it")
    return str(daily.epsilon_units)


def _check_join(records: Records, names: list[str]) -> None:
    terms = {name: accounts.terms_of(records, name) for name in names}
    first = terms[names[-1]]
    for name, each in terms.items():
        if accounts.population_of(records, name) != name or records.fact(name, facts.JOINT) is not None:
            raise LedgerMismatch(f"{name!r} is joined already; data sets are joined all at once")
        if each.sample is not None:
            raise LedgerMismatch(f"{name!r} is a secret sample, and the others were not drawn by the same coins")
        if accounts.partition_of(records, name) is not None:
            raise LedgerMismatch(f"{name!r} is partitioned, and the others know nothing of its blocks: it stays alone")
        if records.fact(name, facts.WRITTEN_OFF) is not None:
            raise LedgerMismatch(f"the budget of {name!r} counts as spent")
        orders = [[branch.order for branch in one.branches] for one in (each, first)]
        if each.unit.relation is not first.unit.relation or each.kinds != first.kinds or orders[0] != orders[1]:
            raise LedgerMismatch(f"{name!r} has another relation or filter than {names[-1]!r}: they cannot be joined")
        for link in records.links(dataset=name, kind=kinds.RESERVE):
            if not governance.is_profile(link, PROFILE):
                raise LedgerMismatch(f"{name!r} has been charged already; data sets are joined before the first charge")
    least = governance.least_of(records, names[::-1])
    if tuple(branch.kind.name for branch in least.branches) != first.kinds:
        raise LedgerMismatch("one of the data sets was granted a δ and another none: they cannot be joined")
