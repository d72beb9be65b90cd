"""Write docs/mechanisms from the catalog: a page for each type of mechanism, its charts, and an index."""

import inspect
import math
import re
import sys
from collections.abc import Iterable
from dataclasses import fields
from enum import Enum
from fractions import Fraction
from pathlib import Path
from typing import Any

from dalenius import mechanisms
from dalenius.charts import save, trade_off
from dalenius.charts.theme import PALETTE, altair, finished
from dalenius.cli.mechanisms import MechanismLine, first_of_each
from dalenius.guarantees import Polyline
from dalenius.mechanisms import AdditiveMechanism, Entry, Mechanism, Selection
from dalenius.noise import Lattice

ROOT = Path(__file__).resolve().parent.parent
PAGES = ROOT / "docs" / "mechanisms"
IMAGES = ROOT / "docs" / "images" / "mechanisms"

HEAD = """# Mechanisms

Generated from the catalog by `make docs`; do not edit. Privacy and error are those at the typical parameters of each
page, rounded up: at most one answer in 20 errs by more than the error, "of n" says for how many candidates or
coordinates. `dalenius mechanisms` prints the same table.
"""

POINTS = 240
WIDEST = 100


def slug(mechanism: Mechanism) -> str:
    """The name as a file has it."""
    return re.sub(r"[^a-z0-9]+", "-", mechanism.name.lower())


def pages() -> dict[str, str]:
    """The text of every page by the name of its file."""
    entries = first_of_each()
    rows = (_row(entry.mechanism, MechanismLine.of(entry)) for entry in entries)
    index = HEAD + "\n" + _table(("mechanism", "privacy", "error", "theorem"), rows)
    return {"index.md": index} | {f"{slug(entry.mechanism)}.md": page(entry) for entry in entries}


def page(entry: Entry) -> str:
    """The page of one mechanism."""
    mechanism, line, name = entry.mechanism, MechanismLine.of(entry), slug(entry.mechanism)
    distance = f"sensitivity {entry.sensitivity.value} in {entry.sensitivity.metric.value}"
    parts = [
        f"# {type(mechanism).__name__}",
        "Generated from the catalog by `make docs`; do not edit. [All mechanisms](index.md)",
        "## Definition",
        _first_paragraph(type(mechanism)),
        *([f"![The law of its noise](../images/mechanisms/{name}-law.svg)"] if _is_additive(mechanism) else []),
        "## Guarantee",
        _first_paragraph(type(mechanism).guarantee),
        f"With the parameters of the example, {distance} and {entry.relation.value} neighbors: {line.privacy}. "
        f"Theorem: {entry.theorem}.",
        f"![Its trade-off curve](../images/mechanisms/{name}.svg)",
        "## Accuracy",
        _accuracy(mechanism, line),
        "## Example",
        f"```python\n{example(entry)}```",
    ]
    return "\n\n".join(parts) + "\n"


def example(entry: Entry) -> str:
    """A script that builds the mechanism, prints what it guarantees and releases an answer."""
    mechanism, sensitivity = entry.mechanism, entry.sensitivity
    built = source(mechanism)
    if len(built) > WIDEST:
        built = f"{type(mechanism).__name__}(\n" + "".join(f"    {given},\n" for given in _given(mechanism)) + ")"
    relation = ", Relation.CHANGE_ONE" if entry.relation.name == "CHANGE_ONE" else ""
    body = [
        f"mechanism = {built}",
        f"sensitivity = Sensitivity({source(sensitivity.value)}, {source(sensitivity.metric)})",
        f"print(mechanism.guarantee(sensitivity{relation}))",
        entry.example,
    ]
    return "\n".join([*_imports("\n".join(body)), "", *body]) + "\n"


def source(value: Any) -> str:
    """An expression with this value."""
    if isinstance(value, Fraction):
        return f"Fraction({value.numerator})" if value.denominator == 1 else f'Fraction("{value}")'
    if isinstance(value, Enum):
        return f"{type(value).__name__}.{value.name}"
    if isinstance(value, Lattice):
        return f"Lattice({value.exponent})"
    if isinstance(value, Polyline):
        points = ", ".join(f'("{x}", "{y}")' for x, y in value.vertices)
        return f"Polyline([{points}])"
    if isinstance(value, tuple):
        return f"({', '.join(map(source, value))}{',' if len(value) == 1 else ''})"
    if isinstance(value, Mechanism):
        return f"{type(value).__name__}({', '.join(_given(value))})"
    return repr(value)


def law_chart(mechanism: AdditiveMechanism) -> Any:
    """Mass of each integer, or density, about zero."""
    noise, step = mechanism.noise, mechanism.lattice.step
    reach = math.ceil(2 * mechanism.accuracy("0.05") / step)
    stride = max(1, math.ceil(Fraction(2 * reach, POINTS)))
    rows = [
        {"z": float(at * step), "p": math.exp(noise.log_mass(at * step)) / float(step)}
        for at in range(-(reach // stride) * stride, reach + 1, stride)
    ]
    alt = altair()
    whole = step == 1
    drawn = alt.Chart(alt.Data(values=rows)).mark_line(color=PALETTE[0], strokeWidth=2, point=whole)
    title = "probability" if whole else "probability density"
    encoded = drawn.encode(x=alt.X("z:Q", title="noise"), y=alt.Y("p:Q", title=title))
    return finished(encoded, "The law of the noise")


def draw() -> None:
    """Write every chart."""
    IMAGES.mkdir(parents=True, exist_ok=True)
    for entry in first_of_each():
        mechanism, name = entry.mechanism, slug(entry.mechanism)
        guarantee = mechanism.guarantee(entry.sensitivity, entry.relation)
        save(trade_off({mechanism.name: guarantee}), IMAGES / f"{name}.svg")
        if isinstance(mechanism, AdditiveMechanism):
            save(law_chart(mechanism), IMAGES / f"{name}-law.svg")


def _given(mechanism: Mechanism) -> list[str]:
    """Its parameters, by name."""
    return [f"{field.name}={source(getattr(mechanism, field.name))}" for field in fields(mechanism)]  # type: ignore[arg-type]


def _is_additive(mechanism: Mechanism) -> bool:
    return isinstance(mechanism, AdditiveMechanism)


def _first_paragraph(thing: Any) -> str:
    return (inspect.getdoc(thing) or "").split("\n\n")[0]


def _accuracy(mechanism: Mechanism, line: MechanismLine) -> str:
    if line.error is None:
        return f"`{type(mechanism).__name__}` states none: it has no `accuracy`."
    many = "candidates" if isinstance(mechanism, Selection) else "coordinates"
    call, over = ("0.05", "") if line.cells == 1 else (f"0.05, {line.cells}", f", over {line.cells} {many}")
    stated = _first_paragraph(mechanism.accuracy)  # type: ignore[attr-defined]
    return f"{stated}\n\nWith the parameters of the example, `accuracy({call})` is {line.error}{over}."


def _imports(body: str) -> list[str]:
    """What the body names."""
    names = set(re.findall(r"\b[A-Z]\w+", body))
    blocks = [
        [f"from fractions import {n}" for n in ("Fraction",) if n in names],
        ["import numpy as np"] if "np." in body else [],
        [
            *(f"from dalenius.guarantees import {n}" for n in ("Polyline",) if n in names),
            *_mechanism_imports(names),
            f"from dalenius.neighbors import {', '.join(sorted(names & {'Metric', 'Relation', 'Sensitivity'}))}",
            f"from dalenius.noise import {', '.join(sorted(names & {'Bits', 'Lattice'}))}",
        ],
    ]
    lines: list[str] = []
    for block in filter(None, blocks):
        lines += ["", *block] if lines else block
    return lines


def _mechanism_imports(names: set[str]) -> list[str]:
    """From the front where it exports a name, else from the mechanism's own module."""
    modules = {type(entry.mechanism).__name__: type(entry.mechanism).__module__ for entry in first_of_each()}
    front = sorted(names & set(mechanisms.__all__))
    own = sorted(names & modules.keys() - set(front))
    lines = [f"from dalenius.mechanisms import {', '.join(front)}"] if front else []
    return lines + [f"from {modules[name]} import {name}" for name in own]


def _row(mechanism: Mechanism, line: MechanismLine) -> tuple[str, ...]:
    return f"[{line.name}]({slug(mechanism)}.md)", line.privacy, line.radius, line.theorem


def _table(head: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> str:
    lines = [head, ("---",) * len(head), *rows]
    return "\n".join("| " + " | ".join(cells) + " |" for cells in lines) + "\n"


def main() -> int:
    """Write pages and charts; with --check, only say whether the pages are up to date."""
    texts = pages()
    if "--check" in sys.argv[1:]:
        there = {path.name: path.read_text(encoding="utf-8") for path in PAGES.glob("*.md")}
        return int(there != texts)
    PAGES.mkdir(parents=True, exist_ok=True)
    for name, text in texts.items():
        (PAGES / name).write_text(text, encoding="utf-8")
    draw()
    print(f"wrote {PAGES.relative_to(ROOT)} and {IMAGES.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
