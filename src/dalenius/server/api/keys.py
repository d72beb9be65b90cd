"""Keys, which owners make and revoke."""

from typing import Annotated

from fastapi import APIRouter, HTTPException, Path
from pydantic import BaseModel, ConfigDict, Field

from dalenius.ledger import Key, Role
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


class KeyFacts(BaseModel):
    """A key without what proves that somebody holds it."""

    name: str
    fingerprint: str
    roles: dict[str, Role]
    until: str | None
    used: str | None
    revoked: bool


class MadeKey(KeyFacts):
    """A new key; it is shown this once."""

    key: str


@router.get("/api/keys")
async def list_keys(key: Holder, served: Served) -> list[KeyFacts]:
    """The keys that open a data set whose owner asks."""
    owned = _owned(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    return [_shown(one, owned) for one in every if owned & set(one.roles)]


@router.post("/api/keys", status_code=201)
async def create_key(new: NewKey, key: Holder, served: Served) -> MadeKey:
    """Make a key for data sets whose owner asks."""
    if not set(new.datasets) <= _owned(key):
        raise HTTPException(403, "only the owner of a data set makes keys for it")
    book = served.catalog.ledger.acting(key.name, "http")
    secret, made = await served.line.free(lambda: book.create_key(new.name, new.role, new.datasets, until=new.until))
    return MadeKey(key=secret, **_shown(made, set(new.datasets)).model_dump())


@router.delete("/api/keys/{fingerprint}", status_code=204)
async def revoke_key(fingerprint: Fingerprint, key: Holder, served: Served) -> None:
    """Let a key open nothing any more; the asker must own every data set that it opens."""
    owned = _owned(key)
    every = await served.line.free(served.catalog.ledger.all_keys)
    named = [one for one in every if one.fingerprint == fingerprint and owned & set(one.roles)]
    if not named:
        raise HTTPException(404, "there is no such key, or it opens nothing that the asker owns")
    if not set(named[0].roles) <= owned:
        raise HTTPException(403, "the key opens data sets of other owners too")
    book = served.catalog.ledger.acting(key.name, "http")
    await served.line.free(lambda: book.revoke_key(fingerprint))


def _owned(key: Key) -> set[str]:
    owned = {dataset for dataset, role in key.roles.items() if role is Role.OWNER}
    if not owned:
        raise HTTPException(403, "only an owner governs keys")
    return owned


def _shown(key: Key, owned: set[str]) -> KeyFacts:
    """A key as an owner sees it: which data sets of others it opens is not theirs to know."""
    return KeyFacts(
        name=key.name,
        fingerprint=key.fingerprint,
        roles={dataset: role for dataset, role in key.roles.items() if dataset in owned},
        until=key.until,
        used=key.used,
        revoked=key.revoked,
    )
