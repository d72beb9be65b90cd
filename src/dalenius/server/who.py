"""Who asks: the key in a request, and what its role allows."""

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Annotated

from fastapi import Depends, HTTPException, Path, Request
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer

from dalenius.ledger import EVERYBODY, Key, Role
from dalenius.server.address import address_of
from dalenius.server.state import State, state_of
from dalenius.sql import Session

_bearer = HTTPBearer(auto_error=False, description="A key: dk_…")
_UNKNOWN = "the key opens nothing: it is missing, wrong, revoked or has ended"

TableName = Annotated[str, Path(description="The name of a served table.", max_length=200)]
Served = Annotated[State, Depends(state_of)]


def may_be_wrong(request: Request, served: State) -> bool:
    """Count a wrong key of an address, and say whether it has tried fewer than allowed.

    A right key is never refused for its address: whole hospitals and proxies come from one, and anybody there could
    lock all others out. A key is 256 random bits, which no number of tries finds.
    """
    return served.wrong_keys.allows(address_of(request))


async def holder(
    request: Request, served: Served, given: Annotated[HTTPAuthorizationCredentials | None, Depends(_bearer)]
) -> Key:
    """The key of a request; 401 in the same words whatever is wrong with it."""
    secret = "" if given is None else given.credentials
    key = await served.line.free(lambda: served.catalog.ledger.holder(secret))
    if key is None:
        if not may_be_wrong(request, served):
            raise HTTPException(429, "too many wrong keys came from this address; try again in a minute")
        raise HTTPException(401, _UNKNOWN, {"WWW-Authenticate": "Bearer"})
    if not served.requests.allows(key.fingerprint):
        raise HTTPException(429, "too many requests came with this key; try again in a second", {"Retry-After": "1"})
    served.seen[key.fingerprint] = datetime.now(UTC).isoformat(timespec="seconds")
    return key


Holder = Annotated[Key, Depends(holder)]


async def session_of(served: State, table: str, key: Key, *roles: Role) -> Session:
    """The session of who holds a key, if their role in the table's data set is one of these.

    A table that is not there and one that the key does not open are the same 404. What is done with the session and
    may see stored answers is done by `State.look`, or asked: not while a question of its asker's is worked on.
    """
    role = served.catalog.role(table, key)
    if role is None:
        raise HTTPException(404, "there is no such table, or the key does not open it")
    if role not in roles:
        raise HTTPException(403, f"the role {role} does not allow this")
    if key.name == EVERYBODY != key.fingerprint and role is not Role.OWNER:  # of a ledger from before the name was kept
        raise HTTPException(
            403, "the key has the name of everybody who asks without one: ask for a key of another name"
        )
    session = served.catalog.kept_session(table, key)
    if session is None:
        session = await served.line.free(lambda: served.catalog.session(table, key))
    return session


def check_still_open(served: State, session: Session, key: Key) -> None:
    """Refuse a question that waited for its slot while its key was revoked, or given another role."""
    now = served.catalog.ledger.key_named(key.fingerprint)
    role = None if now is None else now.role(session.dataset)
    if role is not (Role.OWNER if session.analyst is None else Role.ANALYST):
        raise HTTPException(401, _UNKNOWN, {"WWW-Authenticate": "Bearer"})


def opened(*roles: Role) -> Callable[..., Awaitable[Session]]:
    """The session of who asks, for roles that a route allows."""

    async def session(table: TableName, key: Holder, served: Served) -> Session:
        return await session_of(served, table, key, *roles)

    return session


Anyone = Annotated[Session, Depends(opened(*Role))]
Asker = Annotated[Session, Depends(opened(Role.OWNER, Role.ANALYST))]
Owner = Annotated[Session, Depends(opened(Role.OWNER))]
