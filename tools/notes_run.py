"""Run every test that docs/theory/notes.toml names, and keep which of the cited code each of them executes.

`python tools/notes_run.py` writes docs/theory/executed.json; `--missing` runs only the tests of items that changed
since it was written, `--missing 20` those of the first twenty. `--check` writes nothing and fails where a test executes
none of what its item cites, no named test executes cited code, or the list is older than the items. Cited functions are
wrapped, so that each call is noted under the test that is running.
"""

import functools
import json
import os
import signal
import sys
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from tools.notes_code import loaded, replaced  # noqa: E402
from tools.notes_page import Item, items  # noqa: E402

KEPT = ROOT / "docs" / "theory" / "executed.json"
_CASES, _SECONDS = 8, 3
_REMEMBERING = type(functools.lru_cache(lambda: None))
Executed = dict[str, dict[str, list[str]]]
"""Label -> test -> the cited code that it executes."""


def kept() -> Executed:
    """What was found when the tests last ran."""
    loaded: Executed = json.loads(KEPT.read_text(encoding="utf-8")) if KEPT.exists() else {}
    return loaded


def unknown(entries: list[Item], known: Executed) -> list[Item]:
    """Carried items of which a test, or its code, is newer than what is kept."""
    return [item for item in entries if item.get("test") and item.get("code") and not _same(item, known)]


def _same(item: Item, known: Executed) -> bool:
    mine = known.get(item["label"])
    told = {code for codes in (mine or {}).values() for code in codes}
    return mine is not None and set(mine) == set(filter(is_here, item["test"])) and told <= set(item["code"])


def loose(known: Executed) -> list[str]:
    """Tests that execute none of the code that their item cites."""
    return [f"{label}: {test}" for label, tests in known.items() for test, codes in tests.items() if not codes]


def unused(entries: list[Item], known: Executed) -> list[str]:
    """Cited code that none of the tests that its item names executes."""
    return [
        f"{item['label']}: {code}"
        for item in entries
        if item["label"] in known
        for code in item["code"]
        if is_here(code) and not any(code in codes for codes in known[item["label"]].values())
    ]


class Recorder:
    """Notes which code runs while which test does."""

    def __init__(self, codes: set[str]) -> None:
        self.codes = codes
        self.seen: defaultdict[str, set[str]] = defaultdict(set)

    def pytest_collection_modifyitems(self, items: list[pytest.Item]) -> None:
        """Of a test with many parameters a few are enough: the first, the last and some between."""
        cases: defaultdict[str, list[pytest.Item]] = defaultdict(list)
        for item in items:
            cases[item.nodeid.split("[")[0]].append(item)
        items[:] = [item for each in cases.values() for item in each[:: max(1, len(each) // _CASES)]]

    def pytest_collection_finish(self, session: pytest.Session) -> None:
        """Wrap when all modules are loaded, so that no name is left to the unwrapped function."""
        for code in sorted(self.codes):
            replaced(code, functools.partial(self._noting, code))

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_call(self, item: pytest.Item) -> Any:
        """A test that goes on for seconds has shown by then what it executes."""
        _forget()
        signal.signal(signal.SIGPROF, _enough)
        signal.setitimer(signal.ITIMER_PROF, _SECONDS, 1)
        try:
            return (yield)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)

    def _noting(self, code: str, function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def noted(*args: Any, **options: Any) -> Any:
            running = os.environ.get("PYTEST_CURRENT_TEST", "").split(" ")[0].split("[")[0]
            self.seen[running].add(code)
            return function(*args, **options)

        return noted


def _forget() -> None:
    """Empty what functions remember: a test executes a function also where an earlier test has asked the same of it."""
    for module in loaded():
        for value in list(vars(module).values()):
            if isinstance(value, _REMEMBERING):
                value.cache_clear()


def _enough(number: int, frame: Any) -> None:
    pytest.skip("seen enough")


def executed(entries: list[Item]) -> Executed:
    """Run the tests of these items in this process."""
    tests = sorted({test for item in entries for test in item["test"] if is_here(test)})
    recorder = Recorder({code for item in entries for code in item["code"]})
    status = pytest.main(["-q", "-n", "0", "-m", "not torch", "-p", "no:randomly", *tests], plugins=[recorder])
    if status not in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        raise SystemExit(f"the tests could not be run: {status!r}")
    if status != pytest.ExitCode.OK:
        print("some tests failed; what they executed is kept all the same")
    return {
        item["label"]: {test: sorted(recorder.seen[test] & set(item["code"])) for test in item["test"] if is_here(test)}
        for item in entries
    }


def is_here(name: str) -> bool:
    """Whether a test or code can run in this environment: PyTorch has one of its own, and what needs it is left out."""
    return not name.startswith(("tests/learning/torch/", "dalenius.learning.torch"))


def main() -> int:
    """Write what the tests execute."""
    entries = [item for item in items() if item.get("test") and item.get("code")]
    words = sys.argv[1:]
    if words == ["--check"]:
        now = executed(entries)
        faults = [f"executes nothing that is cited: {line}" for line in loose(now)]
        faults += [f"no named test executes {line}" for line in unused(entries, now)]
        faults += [f"the list is older than {item['label']}" for item in unknown(entries, kept())]
        print(*faults, sep="\n")
        return int(bool(faults))
    known = kept() if words[:1] == ["--missing"] else {}
    todo = unknown(entries, known)[: int(words[1]) if len(words) > 1 else None]
    told = known | (executed(todo) if todo else {})
    labels = [item["label"] for item in entries if item["label"] in told]
    KEPT.write_text(json.dumps({label: told[label] for label in labels}, indent=1, ensure_ascii=False) + "\n", "utf-8")
    for line in loose(told):
        print("executes nothing that is cited:", line)
    return 0


if __name__ == "__main__":
    os.chdir(ROOT)
    raise SystemExit(main())
