"""Tables that a key opens, and what is public of each: its columns, bounds and keys."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from pydantic import BaseModel

from dalenius.neighbors import Relation
from dalenius.server.answers import answer_json
from dalenius.server.who import Anyone, Holder, Served
from dalenius.sql import Policy, Session

router = APIRouter(tags=["data sets"])


class Column(BaseModel):
    """A column and what the owner declared of it."""

    name: str
    type: str
    bounds: list[str] | None
    keys: list[Any] | None
    description: str | None = None


class Dataset(BaseModel):
    """A served table: who is protected in it, and in which role the key opens it."""

    table: str
    dataset: str
    protects: str
    unit: str | None
    relation: Relation
    role: str
    contributions: int | None
    version: str | None
    columns: list[Column]
    joins: list[str]


@router.get("/api/datasets")
async def list_datasets(key: Holder, served: Served) -> list[Dataset]:
    """Every table that the key opens."""
    return [_dataset(session, str(key.role(session.dataset))) for session in served.catalog.tables(key)]


@router.get("/api/datasets/{table}")
async def show_dataset(session: Anyone, key: Holder) -> Dataset:
    """One table."""
    return _dataset(session, str(key.role(session.dataset)))


@router.get("/api/datasets/{table}/description")
async def describe(
    session: Anyone,
    served: Served,
    of: Annotated[str | None, Query(max_length=200, description="One of the tables; all of them if left out.")] = None,
) -> dict[str, Any]:
    """What may be known of the tables, or of one, for nothing: what DESCRIBE answers."""
    return await served.look(session, lambda: answer_json(session.describe(of)))


def _dataset(session: Session, role: str) -> Dataset:
    policy = session.policy
    return Dataset(
        table=policy.table,
        dataset=policy.population,
        protects=str(policy.unit),
        unit=policy.unit.column,
        relation=policy.unit.relation,
        role=role,
        contributions=policy.contributions,
        version=policy.version,
        columns=[_column(policy, name) for name in policy.columns],
        joins=sorted([*policy.beside.tables, *policy.beside.public]),
    )


def _column(policy: Policy, name: str) -> Column:
    bounds, keys, nulls = policy.bounds.get(name), policy.keys.get(name), [None] * (name in policy.null_keys)
    return Column(
        name=name,
        type=policy.columns[name],
        bounds=None if bounds is None else [str(end) for end in bounds],
        keys=None if keys is None and not nulls else [*(() if keys is None else keys.values), *nulls],
        description=policy.descriptions.get(name),
    )
