"""Logins of people whom a provider of identities, or a trusted proxy, vouches for; owners govern them."""

from typing import Annotated

from fastapi import APIRouter, HTTPException
from pydantic import BaseModel, ConfigDict, Field

from dalenius.ledger import Role
from dalenius.server.api.keys import Fingerprint, KeyFacts, owned_by, shown_key
from dalenius.server.who import Holder, Served

router = APIRouter(tags=["keys"])


class NewLogin(BaseModel):
    """Who is let in, under which name, in which role, to which data sets; one that is there is changed."""

    model_config = ConfigDict(extra="forbid")

    identity: Annotated[
        str,
        Field(min_length=1, max_length=1000, description="As the console shows it to who signs in and is not let in."),
    ]
    name: Annotated[str, Field(min_length=1, max_length=200)]
    role: Role
    datasets: Annotated[list[str], Field(min_length=1, max_length=1000)]
    until: str | None = None


@router.get("/api/logins")
async def list_logins(key: Holder, served: Served) -> list[KeyFacts]:
    """The logins that open a data set whose owner asks."""
    owned = owned_by(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    return [shown_key(one, owned) for one in every if one.identity is not None and owned & set(one.roles)]


@router.post("/api/logins", status_code=201)
async def grant_login(new: NewLogin, key: Holder, served: Served) -> KeyFacts:
    """Let in whom somebody else knows by an identity, or change their role or end; data sets of others stay."""
    owned = owned_by(key)
    if not set(new.datasets) <= owned:
        raise HTTPException(403, "only the owner of a data set lets people in to it")
    book = served.catalog.ledger.acting(key.name, "http")
    made = await served.line.free(
        lambda: book.grant_login(new.identity, new.name, new.role, new.datasets, until=new.until)
    )
    return shown_key(made, owned)


@router.delete("/api/logins/{fingerprint}", status_code=204)
async def revoke_login(fingerprint: Fingerprint, key: Holder, served: Served) -> None:
    """Let a login open none of the asker's data sets; what other owners have given the person is theirs to take."""
    owned = owned_by(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    named = [one for one in every if one.fingerprint == fingerprint and one.identity is not None]
    mine = sorted(owned & set(named[0].roles)) if named else []
    if not mine:
        raise HTTPException(404, "there is no such login, or it opens nothing that the asker owns")
    book = served.catalog.ledger.acting(key.name, "http")
    await served.line.free(lambda: book.revoke_key(fingerprint, mine))
