"""A served table that can be asked in SQL, as an embedded one can."""

from collections.abc import Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any, ClassVar, Self
from urllib.parse import quote, urlencode

from dalenius.calls import Readable
from dalenius.curator import Release
from dalenius.errors import InvalidParameter
from dalenius.escape import escaped, html_table
from dalenius.ledger import Amount
from dalenius.neighbors import Relation, Unit
from dalenius.numerics import Number
from dalenius.remote.answers import RemoteExplanation, read_amount, read_release
from dalenius.remote.client import HttpClient
from dalenius.sql import Description, Session


class RemoteSession(Readable):
    """A table behind a server: what `Session` answers, this answers, with the same values, errors and words.

    The server holds rows, ledger and policy. What is computed from an answer (intervals, frames, charts) is computed
    here, from the release that was sent.
    """

    _INSTEAD: ClassVar[Mapping[str, str]] = {
        **Session._INSTEAD,
        "choose": (
            "ARG_MAX(candidate, utility) in sql(…) chooses, also here. A utility of your own is a program, which would "
            "run where the rows are: send it to their owner, who releases statistics.choose(…) there"
        ),
        **dict.fromkeys(
            ("release", "open", "earlier"),
            "a plan runs where the rows are, and a server answers SQL: ask by sql(…), or let the owner release it",
        ),
        **dict.fromkeys(
            ("prepare", "profile", "acting", "bounds"),
            "the owner of the table does this where its rows are, with the same call of an embedded session",
        ),
        **dict.fromkeys(
            ("ledger", "policy"), "the server keeps it: budget tells what is left, and describe() what is declared"
        ),
        "errors": "explain(…) tells the error of one question at one price",
    }

    def __init__(self, client: HttpClient, dataset: Mapping[str, Any], place: str) -> None:
        self._client, self._dataset, self._place = client, dataset, place
        self._path = f"/api/datasets/{quote(self.table, safe='')}"

    def sql(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        key: str | None = None,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
        purpose: str | None = None,
        fresh: bool = False,
        profile: Number | bool | None = None,
    ) -> Release:
        """The private answer, charged to the key's holder; the very same question again is free.

        It is sent under an idempotency key, and again under the same one if the line breaks or no answer left in time:
        it is one question and one draw, however often it is sent.

        The parameters are those of `Session.sql`, but for two. `key` makes a retry safe also after this program has
        ended. `prepared` is left out: who serves a table decides whether it is prepared.

        An example: `db.sql("SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward", epsilon=0.1)`.
        """
        _check_prepared(prepared)
        terms = _terms(epsilon, delta, groups, min_units, within, of, confidence, max_epsilon)
        body = {"sql": query, **terms, "purpose": purpose, "fresh": fresh}
        if profile is not None:
            body["profile"] = profile if isinstance(profile, bool) else str(profile)
        return read_release(self._client.pay(f"{self._path}/query", body, key))

    def explain(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> RemoteExplanation:
        """What the answer would cost and how far off it would be; free. The parameters are those of `sql`."""
        _check_prepared(prepared)
        terms = _terms(epsilon, delta, groups, min_units, within, of, confidence, max_epsilon)
        return RemoteExplanation.read(self._client.ask(f"{self._path}/explain", {"sql": query, **terms}))

    def describe(self, table: str | None = None) -> Description:
        """What analysts may know of the tables, or of one: names, types, bounds and keys. Free, as DESCRIBE in SQL."""
        of = "" if table is None else "?" + urlencode({"of": table})
        described = read_release(self._client.read(f"{self._path}/description{of}"))
        assert isinstance(described, Description)
        return described

    def request(self, query: str, *, purpose: str | None = None, **terms: Any) -> str:
        """Ask the owner to let this question be run beside one's share; the name of the request.

        `terms` are `epsilon`, `delta`, `groups` and `min_units`, as in `sql`. It is sent once: if no reply comes, look
        for it on the server before asking again.
        """
        body = {"sql": query, "purpose": purpose} | {name: _sendable(value) for name, value in terms.items()}
        return str(self._client.tell(f"{self._path}/requests", body)["id"])

    @property
    def budget(self) -> Amount:
        """What may still be spent, by who holds the key."""
        return read_amount(self._client.read(f"{self._path}/budget")["left"])

    @property
    def table(self) -> str:
        """The name of the table."""
        return str(self._dataset["table"])

    @property
    def dataset(self) -> str:
        """The name in the ledger of the population whose budget pays."""
        return str(self._dataset["dataset"])

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return Unit.stored(self._dataset["unit"], Relation(self._dataset["relation"]))

    def close(self) -> None:
        """Let go of the connection: the next question opens another."""
        self._client.transport.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return html_table(["table", "protects", "left"], [(self.table, str(self.unit), str(self.budget))])

    @escaped
    def __repr__(self) -> str:
        return f"RemoteSession({self.table!r} at {self._place}, {self.unit})"


def _check_prepared(prepared: bool | None) -> None:
    if prepared is not None:
        raise InvalidParameter("who serves a table decides whether it is prepared: leave prepared out")


def _terms(
    epsilon: Any, delta: Any, groups: Any, min_units: Any, within: Any, of: Any, confidence: Any, max_epsilon: Any
) -> dict[str, Any]:
    given = {
        **{"epsilon": epsilon, "delta": delta, "groups": groups, "min_units": min_units, "within": within},
        **{"of": of, "confidence": confidence, "max_epsilon": max_epsilon},
    }
    return {name: _sendable(value) for name, value in given.items()}


def _sendable(value: Any) -> Any:
    """A number as JSON holds it: exactly, as text, where JSON has no number for it."""
    if isinstance(value, Fraction | Decimal) or (isinstance(value, float) and value - value != 0):
        return str(value)
    return value
