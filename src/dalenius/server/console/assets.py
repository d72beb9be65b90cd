"""The style sheet, the one script and the icon of the console."""

from importlib import resources

from fastapi import APIRouter, HTTPException, Response

router = APIRouter()

FILES = {"console.css": "text/css", "console.js": "text/javascript", "icon.svg": "image/svg+xml"}


@router.get("/static/{name}")
async def static(name: str) -> Response:
    """One of the files that pages name; there are no others."""
    if name not in FILES:
        raise HTTPException(404, "there is no such file")
    text = resources.files("dalenius.server.console").joinpath("static", name).read_text(encoding="utf-8")
    return Response(text, media_type=FILES[name])
