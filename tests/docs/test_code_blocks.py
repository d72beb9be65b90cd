"""Every code block in the docs works as printed."""

import re
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import typer.main

from dalenius.cli.app import app
from tests.house.tree import ROOT

PAGES = sorted([ROOT / "README.md", *(ROOT / "docs").rglob("*.md")])
NEEDS_TORCH = {ROOT / "docs" / "how-to" / "train-a-network.md"}
RUN = [pytest.param(page, marks=pytest.mark.torch) if page in NEEDS_TORCH else page for page in PAGES]
FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<body>.*?)^```\s*$", re.MULTILINE | re.DOTALL)
LANGUAGES = {"python", "console", "text", "toml", "sql", "bibtex", "javascript", "r"}  # see test_ask_over_http.py


@dataclass(frozen=True)
class Block:
    info: str
    body: str
    line: int


def blocks(text: str) -> list[Block]:
    return [Block(m["info"].strip(), m["body"], text[: m.start()].count("\n") + 2) for m in FENCE.finditer(text)]


def badly_marked(text: str) -> list[str]:
    """Blocks of an unknown language, and blocks that try to stay unrun."""
    return [block.info for block in blocks(text) if block.info not in LANGUAGES]


def run(page: Path, text: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The Python blocks of a page as one script, in order, in an empty folder; line numbers are the page's."""
    monkeypatch.chdir(folder)
    namespace: dict[str, object] = {"__name__": "__main__"}
    for block in blocks(text):
        if block.info == "python":
            exec(compile("\n" * (block.line - 1) + block.body, str(page), "exec"), namespace)


def unknown_commands(text: str) -> list[str]:
    """Lines `$ dalenius …` with a subcommand or an option that does not exist."""
    lines = [line for block in blocks(text) if block.info == "console" for line in block.body.splitlines()]
    return [
        line for line in lines if line.startswith("$ dalenius") and not _exists(shlex.split(line, comments=True)[2:])
    ]


def _exists(words: list[str]) -> bool:
    command: Any = typer.main.get_command(app)
    while words and hasattr(command, "commands") and not words[0].startswith("-"):
        command = command.commands.get(words[0])
        words = words[1:]
    if command is None:
        return False
    options = {name for parameter in command.params for name in parameter.opts} | {"--help"}
    return {word.split("=")[0] for word in words if word.startswith("--")} <= options


@pytest.mark.parametrize("page", RUN, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_python_blocks_run_in_order(page, tmp_path, monkeypatch, capsys):
    text = page.read_text(encoding="utf-8")
    assert badly_marked(text) == []
    run(page, text, tmp_path, monkeypatch)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_commands_exist(page):
    assert unknown_commands(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_inside_the_repository_lead_somewhere(page):
    links = re.findall(r"\]\(([^)#\s]+)", page.read_text(encoding="utf-8"))
    dead = [link for link in links if "://" not in link and not (page.parent / link).exists()]
    assert dead == []


def test_a_broken_block_is_seen(tmp_path, monkeypatch):
    with pytest.raises(NameError):
        run(Path("page.md"), "```python\nx = 1\n```\n\n```python\nassert x == 1\ny\n```\n", tmp_path, monkeypatch)
    assert badly_marked("```python no-run\nx\n```\n") == ["python no-run"]
    assert badly_marked("```\nx\n```\n") == [""]
    assert unknown_commands("```console\n$ dalenius no-such-command\n```\n") == ["$ dalenius no-such-command"]
    assert unknown_commands("```console\n$ dalenius budget nothing\n```\n") == ["$ dalenius budget nothing"]
    assert unknown_commands("```console\n$ dalenius --no-such-option\n```\n") == ["$ dalenius --no-such-option"]
