"""Break each function that docs/theory/notes.toml cites, and see whether a test that the item names fails.

`python tools/mutate_notes.py` goes on where it stopped and writes docs/theory/mutants.json; `--label "A Thm 3.3"` does
one item; `--survived` tries those again that no test has caught; `--seconds 600` stops after that long.

A broken function gives numbers that are off by a quarter, counts off by one, the opposite of a truth value, and
guarantees with such numbers inside. One that gives nothing, such as a check, does nothing; one that only refuses gives
back what it was asked about; a record without methods holds such numbers. Tests of an item are collected once; each
mutant is a fork from there, in which those tests run that execute the code by docs/theory/executed.json.
"""

import ast
import copy
import functools
import inspect
import json
import os
import signal
import sys
import textwrap
import time
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from flint import arb
from hypothesis import Phase, settings

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools import notes_run  # noqa: E402
from tools.notes_code import found, replaced  # noqa: E402
from tools.notes_page import items  # noqa: E402

KEPT = ROOT / "docs" / "theory" / "mutants.json"
LONGEST = 90
"""Seconds that the tests of one mutant may take: beyond, it has hung them, which is a failure too."""
_NOTHING = 77
"""How a child ends that found nothing to break."""
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
    if isinstance(value, tuple | list) and any(map(_has_numbers, value)):
        return type(value)(*map(_if_can, value)) if hasattr(value, "_fields") else type(value)(map(_if_can, value))
    if isinstance(value, dict) and any(map(_has_numbers, value.values())):
        return {key: _if_can(part) for key, part in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _broken_parts(value)
    if callable(value) and not isinstance(value, type):
        return breaking(value)
    raise Unbreakable


def _has_numbers(value: Any) -> bool:
    try:
        broken(value)
    except Unbreakable:
        return False
    return True


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


def put(code: str) -> int:
    """Put the broken thing in place of the cited one; how many functions were broken."""
    _, _, thing = found(code)
    if is_dataclass(thing) and isinstance(thing, type) and not _methods(thing):
        type.__setattr__(thing, "__init__", _misremembering(thing.__init__))
        return 1
    if getattr(thing, "__annotations__", {}).get("return", "") is None:
        return replaced(code, _idle)
    if _only_refuses(thing):
        return replaced(code, _lenient)
    return replaced(code, breaking, inherited=True)


def _methods(record: type) -> list[str]:
    """What of a record runs, beside what it is made and compared with."""
    named = [name for base in record.__mro__ if base.__module__.startswith("dalenius") for name in vars(base)]
    return [name for name in named if not name.startswith("__") and _runs(inspect.getattr_static(record, name))]


def _runs(thing: Any) -> bool:
    return callable(thing) or isinstance(thing, property | classmethod | staticmethod | functools.cached_property)


def _idle(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that does nothing: a check that lets everything pass."""
    return functools.wraps(function)(lambda *args, **options: None)


def _only_refuses(function: Any) -> bool:
    """Whether it does nothing but raise."""
    if not inspect.isfunction(function):
        return False
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    return isinstance(node, ast.FunctionDef) and all(isinstance(line, ast.Expr | ast.Raise) for line in node.body)


def _lenient(function: Callable[..., Any]) -> Callable[..., Any]:
    """A method that gives the thing back as it was, where it should refuse."""
    return functools.wraps(function)(lambda self, *args, **options: self)


def _misremembering(made: Callable[..., None]) -> Callable[..., None]:
    """A record that holds broken numbers."""

    @functools.wraps(made)
    def mutant(record: Any, *args: Any, **options: Any) -> None:
        made(record, *args, **options)
        for field in fields(record):
            object.__setattr__(record, field.name, _if_can(getattr(record, field.name)))

    return mutant


class Mutants:
    """Collects tests once, then runs them in a fork for each mutant, and before any with nothing broken."""

    def __init__(self, tests_of: dict[str, list[str]], report: int) -> None:
        self.tests_of, self.report = tests_of, report

    def pytest_sessionstart(self) -> None:
        """That a test fails is enough: its example need not be the smallest."""
        phases = (Phase.explicit, Phase.generate)
        settings.register_profile("mutants", settings.default, phases=phases, database=None)
        settings.load_profile("mutants")

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """All modules are loaded by now, so that no name is left to the sound function."""
        sound = _fork()
        if sound == 0:
            return
        words = {}
        if _status(sound) == 0:
            for code, tests in self.tests_of.items():
                mutant = _fork()
                if mutant == 0:
                    if not put(code):
                        os._exit(_NOTHING)
                    session.items = [item for item in session.items if item.nodeid.split("[")[0] in tests]
                    return
                words[code] = {0: "survived", _NOTHING: "nothing to break"}.get(_status(mutant), "killed")
        os.write(self.report, json.dumps(words).encode())
        os._exit(0)


def verdicts(tests_of: dict[str, list[str]]) -> dict[str, str]:
    """Whether one of its tests fails with each code broken; nothing if one fails with nothing broken."""
    here, there = os.pipe()
    child = _fork()
    if child == 0:
        silent = os.open(os.devnull, os.O_WRONLY)
        os.dup2(silent, 1)
        os.dup2(silent, 2)
        tests = sorted({test for tests in tests_of.values() for test in tests})
        os._exit(int(pytest.main([*_OPTIONS, *tests], plugins=[Mutants(tests_of, there)])))
    os.close(there)
    with os.fdopen(here, "rb") as answer:
        text = answer.read()
    os.waitpid(child, 0)
    words: dict[str, str] = json.loads(text) if text else {}
    return words


def _fork() -> int:
    sys.stdout.flush()
    return os.fork()


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


def _tests_of(item: dict[str, Any], codes: list[str]) -> dict[str, list[str]]:
    """The named tests that execute each code, all of them where that was not recorded."""
    executed = notes_run.kept().get(item["label"], {})
    here = [test for test in item["test"] if notes_run.is_here(test)]
    recorded = {code: [test for test in here if code in executed.get(test, ())] for code in codes}
    return {code: tests or here for code, tests in recorded.items()}


def _is_due(verdict: str | None, words: list[str], only: str | None, label: str) -> bool:
    if "--survived" in words:
        return verdict == "survived" and only in (None, label)
    return verdict is None if only is None else label == only


def main() -> int:
    """Go on where the last run stopped."""
    words = sys.argv[1:]
    only = words[words.index("--label") + 1] if "--label" in words else None
    until = time.monotonic() + (float(words[words.index("--seconds") + 1]) if "--seconds" in words else 1e9)
    told, entries = kept(), [item for item in items() if item.get("test") and item.get("code")]
    for item in entries:
        label = item["label"]
        mine: dict[str, str] = {code: word for code, word in told.get(label, {}).items() if code in item["code"]}
        due = [code for code in item["code"] if notes_run.is_here(code) and _is_due(mine.get(code), words, only, label)]
        if due and time.monotonic() < until:
            found_now = verdicts(_tests_of(item, due))
            for code, word in found_now.items():
                print(label, code, word, flush=True)
            if not found_now:
                print(label, "has a test that fails with nothing broken", flush=True)
            mine = mine | found_now
        told[label] = mine
        labels = [entry["label"] for entry in entries if told.get(entry["label"])]
        text = json.dumps({label: told[label] for label in labels}, indent=1, ensure_ascii=False)
        KEPT.write_text(text + "\n", "utf-8")
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    raise SystemExit(main())
