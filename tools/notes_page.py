"""Write docs/theory/coverage.md from docs/theory/notes.toml: what of the notes is carried, and by which test."""

import sys
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
NOTES = ROOT / "docs" / "theory" / "notes.toml"
PAGE = ROOT / "docs" / "theory" / "coverage.md"

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
            parts.append(_table(("item", "", "code", "test"), (_row(i) for i in mine if i["section"] == section)))
    return "\n".join(parts)


def covered(item: Item) -> bool:
    """Whether code and a test carry the item, or the part of it that is named."""
    return bool(item.get("code")) and bool(item.get("test"))


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
            str(sum(covered(item) and "part" not in item for item in group)),
            str(sum(covered(item) and "part" in item for item in group)),
        )
        for title, group in groups
    )
    return _table(("source", "items", "to be tested", "covered", "in part"), rows)


def _row(item: Item) -> tuple[str, ...]:
    mark = " †" if "erratum" in item else ""
    return item["label"] + mark, _state(item), _code(item.get("code", [])), _code(item.get("test", []))


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
