"""The session of who is signed in, for roles that a page allows."""

from typing import Annotated

from fastapi import Depends

from dalenius.ledger import Role
from dalenius.server.console.cookie import SignedIn
from dalenius.server.who import Served, TableName, session_of
from dalenius.sql import Session


async def _asker(table: TableName, signed: SignedIn, served: Served) -> Session:
    return await session_of(served, table, signed.key, Role.OWNER, Role.ANALYST)


async def _owner(table: TableName, signed: SignedIn, served: Served) -> Session:
    return await session_of(served, table, signed.key, Role.OWNER)


Asker = Annotated[Session, Depends(_asker)]
Owner = Annotated[Session, Depends(_owner)]
