"""Keys, which owners make and revoke."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from dalenius.ledger import AS_BEFORE, Key, Role
from dalenius.server.refusals import named_in_path
from dalenius.server.who import Holder, Served

router = APIRouter(tags=["keys"])

Fingerprint = Annotated[str, Path(pattern="^[0-9a-f]{32}$", description="The name of a key in the log.")]


class NewKey(BaseModel):
    """Whose key is made, in which role, for which data sets."""

    model_config = ConfigDict(extra="forbid")

    name: Annotated[str, Field(min_length=1, max_length=200)]
    role: Role
    datasets: Annotated[list[str], Field(min_length=1, max_length=1000)]
    until: str | None = None


class KeyChange(BaseModel):
    """What a key becomes in data sets that it opens: its role, and when it ends; as before if that is left out."""

    model_config = ConfigDict(extra="forbid")

    role: Role
    datasets: Annotated[list[str], Field(min_length=1, max_length=1000)]
    until: str | None = None


class KeyFacts(BaseModel):
    """A key without what proves that somebody holds it."""

    name: str
    fingerprint: str
    roles: dict[str, Role]
    until: str | None
    used: str | None
    revoked: bool
    identity: str | None = None


class MadeKey(KeyFacts):
    """A new key; it is shown this once."""

    key: str


@router.get("/api/keys")
async def list_keys(key: Holder, served: Served) -> list[KeyFacts]:
    """The keys that open a data set whose owner asks."""
    owned = owned_by(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    return [shown_key(one, owned) for one in every if owned & set(one.roles)]


@router.post("/api/keys", status_code=201)
async def create_key(new: NewKey, key: Holder, served: Served) -> MadeKey:
    """Make a key for data sets whose owner asks."""
    if not set(new.datasets) <= owned_by(key):
        raise HTTPException(403, "only the owner of a data set makes keys for it")
    book = served.catalog.ledger.acting(key.name, "http")
    secret, made = await served.line.free(lambda: book.create_key(new.name, new.role, new.datasets, until=new.until))
    return MadeKey(key=secret, **shown_key(made, set(new.datasets)).model_dump())


@router.patch("/api/keys/{fingerprint}")
async def change_key(fingerprint: Fingerprint, new: KeyChange, key: Holder, served: Served) -> KeyFacts:
    """Give a key another role or end in data sets whose owner asks; it stays the same key, and its holder's cookies."""
    owned = owned_by(key)
    if not set(new.datasets) <= owned:
        raise HTTPException(403, "only the owner of a data set changes what keys open in it")
    book = served.catalog.ledger.acting(key.name, "http")
    with named_in_path():
        end = new.until if "until" in new.model_fields_set else AS_BEFORE
        changed = await served.line.free(lambda: book.change_key(fingerprint, new.role, new.datasets, until=end))
    return shown_key(changed, owned)


@router.delete("/api/keys/{fingerprint}", status_code=204)
async def revoke_key(fingerprint: Fingerprint, key: Holder, served: Served) -> None:
    """Let a key open nothing any more; the asker must own every data set that it opens."""
    owned = owned_by(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    named = [one for one in every if one.fingerprint == fingerprint and owned & set(one.roles)]
    if not named:
        raise HTTPException(404, "there is no such key, or it opens nothing that the asker owns")
    if not set(named[0].roles) <= owned:
        raise HTTPException(403, "the key opens data sets of other owners too")
    book = served.catalog.ledger.acting(key.name, "http")
    await served.line.free(lambda: book.revoke_key(fingerprint))


def owned_by(key: Key) -> set[str]:
    """The data sets of an owner; 403 for who owns none."""
    owned = {dataset for dataset, role in key.roles.items() if role is Role.OWNER}
    if not owned:
        raise HTTPException(403, "only an owner governs keys")
    return owned


def shown_key(key: Key, owned: set[str]) -> KeyFacts:
    """A key as an owner sees it: which data sets of others it opens, and until when, is not theirs to know."""
    return KeyFacts(
        name=key.name,
        fingerprint=key.fingerprint,
        roles={dataset: role for dataset, role in key.roles.items() if dataset in owned},
        until=key.ends_in(owned),
        used=key.used,
        revoked=key.revoked,
        identity=key.identity,
    )
