"""Every command, option, aggregate, error class and public name occurs in the documentation."""

import inspect
import re
import zlib

import typer.main

from dalenius import errors, statistics
from dalenius.cli.app import app
from dalenius.sql import Session, connect
from tests.house.tree import ROOT
from tools.docs_site import from_root, unlisted
from tools.reference_pages import exporting, pages, path_of

REFERENCE = pages()
PAGES = "\n".join(path.read_text(encoding="utf-8") for path in (ROOT / "docs").rglob("*.md"))


def commands(words, command):
    below = getattr(command, "commands", {})
    return [(words, command)] + [each for name, sub in below.items() for each in commands((*words, name), sub)]


def test_every_command_and_option_is_in_the_reference():
    page = REFERENCE["command-line.md"]
    for words, command in commands(("dalenius",), typer.main.get_command(app)):
        section = page.split(f"## `{' '.join(words)}`\n")[1].split("\n## ")[0]
        options = [name for parameter in command.params for name in parameter.opts if name.startswith("--")]
        assert [name for name in options if f"`{name}" not in section and f"/ {name}" not in section] == []


def test_every_command_occurs_in_a_page_that_someone_wrote():
    top = typer.main.get_command(app).commands
    assert [name for name in top if not re.search(rf"dalenius {name}\b", PAGES)] == []


def test_every_error_class_is_in_the_reference():
    kinds = [name for name, kind in vars(errors).items() if isinstance(kind, type)]
    assert "BudgetExceeded" in kinds
    assert [name for name in kinds if f"| `{name}` |" not in REFERENCE["errors.md"]] == []


def test_every_public_name_is_in_the_reference():
    for package, (_, names) in exporting().items():
        page = REFERENCE[f"{package.removeprefix('dalenius.')}.md"]
        for name in names:
            path = path_of(package, name)
            assert (f"::: {path}\n" if path else f"## {name}\n") in page


def test_a_name_that_the_built_site_lacks_is_seen():
    listed = [path_of(package, name) for package, (_, names) in exporting().items() for name in names]
    inventory = b"1\n2\n3\n4\n" + zlib.compress("".join(f"{path} py:x 1 - -\n" for path in listed[1:] if path).encode())
    assert unlisted(inventory) == ([listed[0]] if listed[0] and listed[0] not in listed[1:] else [])
    assert "dalenius.noise.bits.Bits" in unlisted(b"1\n2\n3\n4\n" + zlib.compress(b"x py:x 1 - -\n"))


def test_links_of_the_readme_lead_to_the_pages_of_the_site():
    text = "[a](docs/sql.md) [b](SECURITY.md) [c](LICENSE) [d](https://example.com)"
    assert from_root(text) == "[a](sql.md) [b](security.md) c [d](https://example.com)"


def test_every_parameter_of_a_statistic_has_a_line_and_an_undocumented_one_is_seen():
    def lacking(function):
        documented = re.findall(r"^ {4}(\w+): ", (inspect.getdoc(function) or "").partition("Args:")[2], re.MULTILINE)
        return sorted(set(inspect.signature(function).parameters) - {"self", *documented})

    asked = [Session.sql, Session.explain, Session.plan, connect]
    plans = [getattr(statistics, name) for name in statistics.__all__ if name not in {"facts_of", "matrix_of"}]
    assert [
        (plan.__name__, lacking(plan)) for plan in [*plans, *asked] if inspect.isfunction(plan) and lacking(plan)
    ] == []
    assert lacking(lambda epsilon: None) == ["epsilon"]
