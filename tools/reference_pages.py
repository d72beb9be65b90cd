"""The reference of the documentation site: a page for each package that exports names, one for the command line."""

import importlib
import types
from pathlib import Path
from typing import Any

LONGEST = 200
PACKAGES = Path(__file__).resolve().parent.parent / "src" / "dalenius"

HEAD = """# Reference

Every name that a package exports, by package, and [the command line](command-line.md). What is not listed here is
plumbing and may change without notice; what is listed keeps the promise of [compatibility](../compatibility.md).

"""


def exporting() -> dict[str, tuple[str, list[str]]]:
    """Packages that export names: the first line of each, and the names."""
    packages = {}
    for init in sorted(PACKAGES.rglob("__init__.py")):
        name = ".".join(init.parent.relative_to(PACKAGES.parent).parts)
        package = importlib.import_module(name)
        if package.__all__:
            packages[name] = ((package.__doc__ or "").splitlines()[0], sorted(package.__all__))
    return packages


def pages() -> dict[str, str]:
    """The text of every page by the name of its file."""
    lines = ["- [`dalenius.errors`](errors.md): every refusal, and what to do about it\n"]
    texts = {"errors.md": refusals(), "command-line.md": command_line()}
    for name, (what, names) in exporting().items():
        file = f"{name.removeprefix('dalenius.')}.md"
        texts[file] = f"# {name}\n\n{what}\n\n" + "\n".join(entry(name, each) for each in names)
        lines.append(f"- [`{name}`]({file}): {what}\n\n    {', '.join(f'`{each}`' for each in names)}\n")
    return {"index.md": HEAD + "\n".join(lines)} | texts


def refusals() -> str:
    """Every error class, what it means, and the tree that they form."""
    from dalenius import errors

    kinds = [
        kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, errors.DaleniusError)
    ]
    rows = "".join(f"| `{kind.__name__}` | {(kind.__doc__ or '').splitlines()[0]} |\n" for kind in kinds)
    return f"# dalenius.errors\n\n| error | when |\n|---|---|\n{rows}\n::: dalenius.errors\n"


def entry(package: str, name: str) -> str:
    """What the page says of a name: its docstring, or of a constant its value."""
    path = path_of(package, name)
    if path is not None:
        return f"::: {path}\n"
    value = repr(getattr(importlib.import_module(package), name)).replace("dalenius.", "")
    shown = value if len(value) < LONGEST and " at 0x" not in value else "a constant"
    return f"## {name}\n\n`{shown}`\n"


def path_of(package: str, name: str) -> str | None:
    """Where an exported module, class or function is defined, as a module may share its name; None for a value."""
    value = getattr(importlib.import_module(package), name)
    if isinstance(value, types.ModuleType):
        return value.__name__
    if isinstance(value, type | types.FunctionType) and value.__module__.startswith("dalenius"):
        return f"{value.__module__}.{value.__qualname__}"
    return None


def command_line() -> str:
    """Every command with its arguments and options, as `--help` states them."""
    import typer.main

    from dalenius.cli.app import app

    parts = ["# The command line\n"]
    for words, command in _commands(("dalenius",), typer.main.get_command(app)):
        parts.append(f"## `{' '.join(words)}`\n\n{_text(command.help)}\n")
        rows = [(_spelled(parameter), _text(getattr(parameter, "help", ""))) for parameter in command.params]
        if rows:
            parts.append("| argument or option | what it says |\n|---|---|\n")
            parts[-1] += "".join(f"| `{name}` | {text.replace('|', '/')} |\n" for name, text in rows)
    return "\n".join(parts)


def _commands(words: tuple[str, ...], command: Any) -> list[tuple[tuple[str, ...], Any]]:
    below = getattr(command, "commands", {})
    return [(words, command)] + [each for name, sub in below.items() for each in _commands((*words, name), sub)]


def _spelled(parameter: Any) -> str:
    options = [*parameter.opts, *parameter.secondary_opts]
    return " / ".join(options) if options[0].startswith("-") else parameter.name.upper()


def _text(text: str | None) -> str:
    return " ".join((text or "").split())
