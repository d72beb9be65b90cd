"""Write docs/theory/coverage.md from docs/theory/notes.toml: what of the notes is carried, and by which test."""

import functools
import json
import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTES = ROOT / "docs" / "theory" / "notes.toml"
PAGE = ROOT / "docs" / "theory" / "coverage.md"
MUTANTS = ROOT / "docs" / "theory" / "mutants.json"

TITLES = {
    "A": "Awan, Lecture Notes on Differential Privacy",
    "D": "Differential privacy, the Laplace and the geometric mechanism",
    "L": "Lecture 1: Introduction to Differential Privacy and the Laplace Mechanism",
    "S": "Hu and Zhou, Differential Privacy: A Survey",
    "G": "Global differential privacy (slides)",
}

HEAD = """# What of the notes is carried

Generated from [notes.toml](notes.toml) by `make docs`; do not edit. An item is *covered* when code carries it and a
test would fail if its statement were false. Some items are history or definitions and need no test; they stay in the
list, uncounted in *to be tested*. [errata.md](errata.md) says where the notes are wrong: an item marked † is carried,
or will be, in the corrected form.

`tools/notes_run.py` runs the named tests and keeps which of the cited code each of them executes
([executed.json](executed.json)). A test that executes none of it (it shows that a printed form fails, or the
mathematics alone) stands *beside* the item and does not carry it. `tools/mutate_notes.py` breaks each cited function
(numbers off by a quarter, small counts by one, truth values turned) and runs the named tests: *caught* says how many
of the broken functions made one of them fail, of how many that were tried so far ([mutants.json](mutants.json)). One
that is not caught may be guarded by other tests of the suite, or be broken in a way that keeps the statement true.
"""

Item = dict[str, Any]


def items() -> list[Item]:
    """All items of the notes, in reading order."""
    loaded: list[Item] = tomllib.loads(NOTES.read_text(encoding="utf-8"))["item"]
    return loaded


def page(entries: list[Item]) -> str:
    """The whole page."""
    parts = [HEAD, _totals(entries)]
    for letter, title in TITLES.items():
        parts.append(f"## {letter}: {title}\n")
        mine = [item for item in entries if _letter(item) == letter]
        for section in dict.fromkeys(item["section"] for item in mine):
            name = section if section.startswith("slide") else f"§{section}"
            parts.append(f"### {letter} {name}\n")
            parts.append(
                _table(("item", "", "caught", "code", "test"), (_row(i) for i in mine if i["section"] == section))
            )
    return "\n".join(parts)


def covered(item: Item) -> bool:
    """Whether code and a test carry the item, or the part of it that is named."""
    return bool(item.get("code")) and bool(item.get("test"))


@functools.cache
def mutants() -> dict[str, dict[str, str]]:
    """What `tools/mutate_notes.py` found."""
    loaded: dict[str, dict[str, str]] = json.loads(MUTANTS.read_text(encoding="utf-8")) if MUTANTS.exists() else {}
    return loaded


def _verdicts(item: Item) -> list[str]:
    told = mutants().get(item["label"], {})
    return [told[code] for code in item.get("code", []) if told.get(code) in ("killed", "survived")]


def caught(item: Item) -> str:
    """How many of the broken functions a named test catches, of how many that were tried."""
    words = _verdicts(item)
    return f"{words.count('killed')} of {len(words)}" if words else ""


def _letter(item: Item) -> str:
    return str(item["label"]).split(" ", 1)[0]


def _totals(entries: list[Item]) -> str:
    groups = [(f"{letter}: {title}", [i for i in entries if _letter(i) == letter]) for letter, title in TITLES.items()]
    groups.append(("all", entries))
    rows = (
        (
            title,
            str(len(group)),
            str(sum(not item["check"].startswith("none") for item in group)),
            str(sum(_counted(item) and "part" not in item for item in group)),
            str(sum(_counted(item) and "part" in item for item in group)),
        )
        for title, group in groups
    )
    tried = [word for item in entries for word in _verdicts(item)]
    told = f"Of {len(tried)} broken functions {tried.count('killed')} are caught by a test that their item names.\n"
    return _table(("source", "items", "to be tested", "covered", "in part"), rows) + "\n" + told


def _counted(item: Item) -> bool:
    """Covered, and among those that are to be tested: a definition may have a test, and is not counted."""
    return covered(item) and not item["check"].startswith("none")


def _row(item: Item) -> tuple[str, ...]:
    mark = " †" if "erratum" in item else ""
    code, test = _code(item.get("code", [])), _code(item.get("test", []))
    if item.get("beside"):
        test += f"; beside it {_code(item['beside'])}"
    return item["label"] + mark, _state(item), caught(item), code, test


def _state(item: Item) -> str:
    if covered(item):
        return f"in part: {item['part']}" if "part" in item else "covered"
    return "no test: " + item["check"][6:-1] if item["check"].startswith("none") else "not yet"


def _code(names: Iterable[str]) -> str:
    return ", ".join(f"`{name.removeprefix('dalenius.').removeprefix('tests/')}`" for name in names)


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def main() -> int:
    """Write the page; with --check, only say whether it is up to date."""
    text = page(items())
    if "--check" in sys.argv[1:]:
        return int(PAGE.read_text(encoding="utf-8") != text)
    PAGE.write_text(text, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
