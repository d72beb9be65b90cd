"""Audits in pytest: `@audit.private(claim=…, x=…, x2=…)` on a function makes a test of its promise.

`--dp-audit=fast` or `--dp-audit=deep` runs them, without it they are not collected. The whole run shares one level,
`--dp-alpha` (1e-3): each audit fails at its share of it, and at the end Holm's rule names those that fail together
[Hol79], so a suite of sound mechanisms fails with probability at most that level. Under pytest-xdist every worker
collects all audits, so the shares are those of the whole run, and Holm's rule is applied where the reports meet.
"""

from collections.abc import Iterator
from typing import Any

import pytest

DRAWS = {"fast": 5_000, "deep": 100_000}
_AUDITED = pytest.StashKey[list[tuple[str, float]]]()
_COUNT = pytest.StashKey[int]()
_PROPERTY = "dalenius_audit_p_value"


def pytest_addoption(parser: pytest.Parser) -> None:
    """The two options."""
    group = parser.getgroup("dalenius")
    group.addoption("--dp-audit", choices=["off", *DRAWS], default="off", help="audit what @audit.private promises")
    group.addoption("--dp-alpha", type=float, default=1e-3, help="chance of a false alarm, of the whole run")


def pytest_configure(config: pytest.Config) -> None:
    """No audit has been seen yet."""
    config.stash[_AUDITED] = []
    if not hasattr(config, "workerinput"):  # a worker of xdist sees its own part alone
        config.pluginmanager.register(_Seen(config))


def pytest_pycollect_makeitem(collector: Any, name: str, obj: object) -> Any:
    """One test for each pair of a promise."""
    from dalenius.audit.check import promise_of

    promise = promise_of(obj)
    if promise is None or collector.config.getoption("--dp-audit") == "off":
        return None
    return [
        Audit.from_parent(collector, name=f"{name}[audit {k}]", mechanism=obj, promise=promise, pair=pair)
        for k, pair in enumerate(promise.pairs)
    ]


def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Count the audits: the level is shared among them."""
    session.config.stash[_COUNT] = sum(isinstance(item, Audit) for item in items)


class Audit(pytest.Item):
    """The audit of one promise on one pair."""

    def __init__(self, *, mechanism: Any, promise: Any, pair: tuple[Any, Any], **rest: Any) -> None:
        super().__init__(**rest)
        self._mechanism, self._promise, self._pair = mechanism, promise, pair

    def runtest(self) -> None:
        """Fail at this audit's share of the run's level; keep the p-value for Holm."""
        from dalenius.audit.bound import draws_missing, lower_bound
        from dalenius.audit.check import failure
        from dalenius.errors import InvalidParameter

        x, x2 = self._pair
        alpha = self.config.getoption("--dp-alpha") / max(1, self.config.stash[_COUNT])
        draws = self._promise.draws or DRAWS[self.config.getoption("--dp-audit")]
        missing = draws_missing(self._promise.claim, draws, alpha)
        if missing is not None:
            raise InvalidParameter(missing)
        report = lower_bound(self._mechanism, x, x2, claim=self._promise.claim, draws=draws, alpha=alpha)
        self.user_properties.append((_PROPERTY, report.p_value))  # it travels with the report, from a worker too
        if report.rejects:
            raise AssertionError(failure(report, x, x2))

    def repr_failure(self, excinfo: Any, style: Any = None) -> Any:
        """The message alone: the frames of the audit say nothing of the mechanism."""
        return str(excinfo.value) if isinstance(excinfo.value, AssertionError) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Any, int | None, str]:
        """Where the promise stands."""
        return self.path, None, self.name


class _Seen:
    """Notes the p-values of reports; a plugin of its own, since only a configuration knows where they belong."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Once for each audit, in the process that ends the run."""
        if report.when == "call":
            values = [value for name, value in report.user_properties if name == _PROPERTY]
            self._config.stash[_AUDITED] += [(report.nodeid, float(str(value))) for value in values]


@pytest.hookimpl(wrapper=True)
def pytest_sessionfinish(session: pytest.Session) -> Iterator[None]:
    """Holm over the whole run: what it names beyond the single failures fails the run."""
    if late_rejections(session.config) and session.exitstatus == 0:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    yield


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name them."""
    for nodeid, p_value in late_rejections(config):
        terminalreporter.line(f"privacy claim refuted together with others (Holm): {nodeid}, p = {p_value:.3g}")


def late_rejections(config: pytest.Config) -> list[tuple[str, float]]:
    """Audits that Holm's rule rejects and their own share of the level does not."""
    from dalenius.audit.check import holm

    audited = config.stash.get(_AUDITED, [])
    if not audited:
        return []
    level = config.getoption("--dp-alpha")
    rejected = holm([p for _, p in audited], level)
    return [each for each, out in zip(audited, rejected, strict=True) if out and each[1] > level / len(audited)]
