"""The TOML file that keeps a policy: written to be read and mended by people."""

import re
import tomllib
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius.calls import shown
from dalenius.errors import InvalidParameter
from dalenius.escape import is_seen
from dalenius.sql.policy.forms import check_forms

TERMS = frozenset(
    {
        *("table", "dataset", "source", "version", "unit", "relation", "contributions", "infinity"),
        *("budget", "bounding_share", "columns", "bounds", "fill", "keys", "null_keys", "attributes", "descriptions"),
        *("tables", "references", "public", "rowwise_view", "units", "formats"),
        *("rows_per_unit", "candidates", "proposed", "as_of", "sample", "most_rows", "limits", "weight"),
    }
)
_BARE = re.compile(r"[A-Za-z0-9_-]+")
_ASKED = ("table", "unit", "columns")


def read(path: str | Path) -> dict[str, Any]:
    """The terms in a file."""
    if not isinstance(path, str | Path):
        raise InvalidParameter(
            f'a policy is a Policy or the path of its file, such as "policy.toml", got {shown(path)}'
        )
    try:
        written = Path(path).read_text(encoding="utf-8")
    except OSError:
        raise InvalidParameter(f"there is no policy to read at {str(path)!r}") from None
    except UnicodeDecodeError:
        raise InvalidParameter(f"{str(path)!r} is not a TOML file: it is not written in UTF-8") from None
    return parsed(written, repr(str(path)))


def parsed(written: str, what: str) -> dict[str, Any]:
    """The terms in a text; one that a policy does not have is refused, since it was meant to say something."""
    try:
        terms = tomllib.loads(written)
    except tomllib.TOMLDecodeError as wrong:
        raise InvalidParameter(f"{what} is not a TOML file: {wrong}") from None
    if unknown := sorted(set(terms) - TERMS):
        raise InvalidParameter(f"a policy has no {unknown[0]!r}; it has {', '.join(sorted(TERMS))}")
    if missing := [name for name in _ASKED if name not in terms]:
        raise InvalidParameter(f"a policy needs {missing[0]!r}: say who is protected and which columns there are")
    check_forms(terms)
    return terms


def write(terms: Mapping[str, Any], notes: Mapping[str, str] | None = None) -> str:
    """The terms as TOML, plain ones first; `notes` are comments above a term."""
    notes = notes or {}
    plain = [(name, value) for name, value in terms.items() if value is not None and not isinstance(value, Mapping)]
    tables = [(name, value) for name, value in terms.items() if isinstance(value, Mapping) and value]
    lines = []
    for name, value in plain:
        lines += [f"# {line}" for line in notes.get(name, "").splitlines()]
        lines.append(f"{name} = {literal(value)}")
    for name, table in tables:
        lines += ["", *(f"# {line}" for line in notes.get(name, "").splitlines()), f"[{name}]"]
        for inner, value in table.items():
            lines += [f"# {line}" for line in notes.get(f"{name}.{inner}", "").splitlines()]
            lines.append(f"{name_of(inner)} = {literal(value)}")
    return "\n".join(lines) + "\n"


def literal(value: Any) -> str:
    """One value."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, Fraction):
        return text(str(value))
    if isinstance(value, list | tuple):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name_of(name)} = {literal(inner)}" for name, inner in value.items()) + "}"
    return text(str(value))


def name_of(term: str) -> str:
    """A name, in quotes where TOML needs them."""
    return term if _BARE.fullmatch(term) else text(term)


def text(value: str) -> str:
    """A text, with codes for letters that are not seen."""
    escaped = value.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + "".join(c if is_seen(c) else _code(c) for c in escaped) + '"'


def _code(letter: str) -> str:
    """The escape that TOML has for a letter."""
    return f"\\u{ord(letter):04x}" if ord(letter) < 2**16 else f"\\U{ord(letter):08x}"
