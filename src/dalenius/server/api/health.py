"""Whether the server runs, and what it counts; nothing of it depends on rows."""

from fastapi import APIRouter, HTTPException
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel

import dalenius
from dalenius.escape import terminal
from dalenius.ledger import Role
from dalenius.server.who import Holder, Served

router = APIRouter(tags=["health"])


class Health(BaseModel):
    """A sign of life."""

    state: str
    version: str


@router.get("/api/health")
async def health() -> Health:
    """Whether the server runs."""
    return Health(state="ok", version=dalenius.__version__)


@router.get("/metrics", responses={200: {"content": {"text/plain": {}}}})
async def metrics(key: Holder, served: Served) -> PlainTextResponse:
    """How many requests came, by route and status, and how many were charged and read rows, as Prometheus reads it.

    There are no durations of private work.

    It is for who owns every data set that is served: how many answers of others were late or failed is not for an
    analyst, and of another owner's tables not for an owner.
    """
    if any(key.role(dataset) is not Role.OWNER for dataset in served.catalog.datasets()):
        raise HTTPException(403, "only who owns every served data set sees what is counted")
    lines = ["# TYPE dalenius_requests counter"]
    lines += [f"dalenius_requests{{{labels}}} {count}" for labels, count in sorted(served.counts.items())]
    lines.append("# TYPE dalenius_charges counter")
    charged = served.line.charged
    lines += [f'dalenius_charges{{dataset="{_label(name)}"}} {charged[name]}' for name in served.catalog.datasets()]
    return PlainTextResponse("\n".join(lines) + "\n")


def _label(name: str) -> str:
    """A name as the value of a label, which it cannot end."""
    return terminal(name).replace("\\", "\\\\").replace('"', '\\"')
