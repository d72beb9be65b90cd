"""Break each function that docs/theory/notes.toml cites, and see whether a test that the item names fails.

`python tools/mutate_notes.py` goes on where it stopped and writes docs/theory/mutants.json; `--label "A Thm 3.3"` does
one item; `--seconds 600` stops after that long. A broken function gives numbers that are off by a quarter, counts off
by one, the opposite of a truth value, and guarantees with such numbers inside. Each mutant lives in a child process, so
that modules are loaded once.
"""

import copy
import functools
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.notes_code import found, replaced  # noqa: E402
from tools.notes_page import items  # noqa: E402

KEPT = ROOT / "docs" / "theory" / "mutants.json"
LONGEST = 90
"""Seconds that the tests of one mutant may take: beyond, it has hung them, which is a failure too."""
_SMALL = 1000
"""Up to here a whole number is off by one, beyond by a quarter."""
_LATE = "ignore::pytest.PytestAssertRewriteWarning"  # the project's own plugin is in memory before pytest is
_OPTIONS = ["-q", "-x", "-n", "0", "-p", "no:cacheprovider", "--hypothesis-seed=0", "-W", _LATE]
Verdicts = dict[str, dict[str, str]]
"""Label -> code -> "killed", "survived" or "nothing to break"."""


def kept() -> Verdicts:
    """What was found so far."""
    loaded: Verdicts = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return loaded


class Unbreakable(Exception):
    """A value that has no number in it."""


def broken(value: Any) -> Any:
    """The value, off by a quarter or by one."""
    if isinstance(value, bool | np.bool_):
        return not value
    if isinstance(value, int | np.integer):
        return value + 1 if abs(value) < _SMALL else type(value)(value * 3 // 4)
    if isinstance(value, Fraction):
        return value * Fraction(3, 4) if value else Fraction(1, 4)
    if isinstance(value, float | np.floating | arb):
        return value * 0.75 if value != 0 else type(value)(0.25)
    if isinstance(value, np.ndarray) and value.dtype.kind in "iufb" and value.size:
        return ~value if value.dtype.kind == "b" else value + 1 if value.dtype.kind in "iu" else value * 0.75
    if isinstance(value, tuple | list) and value:
        return type(value)(*map(_if_can, value)) if hasattr(value, "_fields") else type(value)(map(_if_can, value))
    if isinstance(value, dict) and value:
        return {key: _if_can(part) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _broken_parts(value)
    if callable(value) and not isinstance(value, type):
        return breaking(value)
    raise Unbreakable


def _if_can(value: Any) -> Any:
    try:
        return broken(value)
    except Unbreakable:
        return value


def _broken_parts(value: Any) -> Any:
    """A copy whose fields are broken where they can be."""
    again = copy.copy(value)
    changed = 0
    for field in fields(value):
        try:
            object.__setattr__(again, field.name, broken(getattr(value, field.name)))
            changed += 1
        except (Unbreakable, AttributeError):
            continue
    if not changed:
        raise Unbreakable
    return again


def breaking(function: Callable[..., Any]) -> Callable[..., Any]:
    """The function with a broken result; where there is nothing in it to break, it fails."""

    @functools.wraps(function)
    def mutant(*args: Any, **options: Any) -> Any:
        value = function(*args, **options)
        if value is None or value is NotImplemented:
            return value
        try:
            return broken(value)
        except Unbreakable:
            raise AssertionError("mutant") from None

    return mutant


class Mutation:
    """Breaks the code once all tests are collected."""

    def __init__(self, code: str) -> None:
        self.code = code

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """All modules are loaded by now, so that no name is left to the sound function."""
        replaced(self.code, breaking)


def verdict(code: str, tests: list[str]) -> str:
    """Whether one of the tests fails with the code broken."""
    _, last, thing = found(code)
    if not (callable(thing) or isinstance(thing, property | classmethod | staticmethod)) or last.startswith("__init"):
        return "nothing to break"
    return "survived" if passed(tests, [Mutation(code)]) else "killed"


def passed(tests: list[str], plugins: list[Any]) -> bool:
    """Whether the tests pass in a child process."""
    child = os.fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        os._exit(int(pytest.main([*_OPTIONS, *tests], plugins=plugins)))
    return _status(child) == 0


def _status(child: int) -> int:
    """How the child ended; one that hangs is ended."""
    begun = time.monotonic()
    while time.monotonic() - begun < LONGEST:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        time.sleep(0.02)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -1


def _due(label: str, mine: dict[str, str | None], only: str | None, until: float) -> bool:
    """Whether anything of an item is to be done now."""
    return time.monotonic() < until and (label == only if only is not None else None in mine.values())


def main() -> int:
    """Go on where the last run stopped."""
    words = sys.argv[1:]
    only = words[words.index("--label") + 1] if "--label" in words else None
    until = time.monotonic() + (float(words[words.index("--seconds") + 1]) if "--seconds" in words else 1e9)
    told, entries = kept(), [item for item in items() if item.get("test") and item.get("code")]
    for item in entries:
        mine = {code: told.get(item["label"], {}).get(code) for code in item["code"]}
        if _due(item["label"], mine, only, until) and not passed(item["test"], []):
            print(item["label"], "has a test that fails with nothing broken", flush=True)
            continue
        for code in item["code"]:
            if time.monotonic() > until or (only is not None and item["label"] != only):
                break
            if mine[code] is None or only is not None:
                mine[code] = verdict(code, item["test"])
                print(item["label"], code, mine[code], flush=True)
        told[item["label"]] = {code: word for code, word in mine.items() if word is not None}
        labels = [entry["label"] for entry in entries if told.get(entry["label"])]
        text = json.dumps({label: told[label] for label in labels}, indent=1, ensure_ascii=False)
        KEPT.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    raise SystemExit(main())
