"""The gate: the only place where data, noise and ledger meet."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from inspect import getattr_static
from pathlib import Path
from typing import Any, Generic, TypeVar

from dalenius.calls import shown
from dalenius.curator.answer.error_parts import SAMPLE
from dalenius.curator.answer.outcome import Outcome
from dalenius.curator.facts import Facts
from dalenius.curator.interactive import Interactive, Opens
from dalenius.curator.plans.earlier_noise import with_earlier_noise
from dalenius.curator.plans.fingerprint import fingerprint_of
from dalenius.curator.plans.plan import Plan, check_view
from dalenius.curator.release import Release, released
from dalenius.errors import ExecutionFailed, InvalidParameter, MixedRelations, UnprovenClaim
from dalenius.escape import escaped
from dalenius.ledger import Amount, Ledger, Receipt, SecretSample, to_form
from dalenius.neighbors import Unit
from dalenius.noise import Bits
from dalenius.progress import working
from dalenius.queries import Key, Table, View
from dalenius.queries.bounds import Ends

V = TypeVar("V", bound=View)
R = TypeVar("R")

_reader: ContextVar[Callable[[], None] | None] = ContextVar("reader", default=None)


@contextmanager
def when_rows_are_read(tell: Callable[[], None]) -> Iterator[None]:
    """Call `tell` each time that rows are about to be read, inside of this block and this thread.

    Up to the first call everything, also how long it takes, is a function of public facts; after it nothing is. A
    server holds back what it says from then on.
    """
    token = _reader.set(tell)
    try:
        yield
    finally:
        _reader.reset(token)


class Curator(Generic[V]):
    """Holds private data, and lets nothing out that the ledger has not been paid for.

    A data set in the ledger may hold several tables, told apart by `table`; `version` names the state of the data,
    publicly: the owner gives a new one when rows change, so that an answer about the old rows is not taken for one
    about the new. It gives no new budget. `clocks`, which a session sets, are the declared zones of columns of times,
    on whose clocks instants are read: on another clock the same text is another question. So it is over
    columns of other types: `types_read`, which a session sets too, tells those that a plan reads. `facts` are what a
    plan may know: the unit, declared bounds, keys and contributions, and the number of rows where that is public. Its
    `repr` names the data set and no more.
    """

    def __init__(
        self,
        data: Any,
        *,
        unit: Unit | str,
        ledger: Ledger,
        dataset: str,
        analyst: str | None = None,
        bits: Bits | None = None,
        table: str | None = None,
        version: str | int | None = None,
        bounds: Mapping[str, Ends] | None = None,
        keys: Mapping[str, Iterable[Key]] | None = None,
        contributions: int | None = None,
        rows: int | None = None,
    ) -> None:
        if isinstance(version, bool) or not isinstance(version, str | int | None):
            raise InvalidParameter(f"version must be a text or a whole number, got {version!r}")
        if isinstance(ledger, str | Path):
            raise InvalidParameter("a curator takes a ledger that is open: Ledger.open(path)")
        self.facts = Facts.declare(unit=unit, bounds=bounds, keys=keys, contributions=contributions, rows=rows)
        self.ledger = ledger
        self.dataset = dataset
        self.analyst = analyst
        self.table = table
        self.version = version
        self.clocks: Mapping[str, str] = {}
        self.formats: Mapping[str, Mapping[str, Any]] = {}
        self.types_read: Callable[[Any], Mapping[str, str]] = lambda plan: {}
        self._view = data if isinstance(data, View) else Table.of(data)
        self._bits = bits or Bits()
        self._sample: tuple[SecretSample | None] | None = None
        self._interrupted: dict[str, Receipt] = {}

    def release(
        self,
        plan: Plan[V],
        key: str | None = None,
        *,
        fresh: bool = False,
        text: str | None = None,
        purpose: str | None = None,
        label: str | None = None,
    ) -> Release:
        """Charge, then read, then store, then hand out what is stored.

        A crash after the charge burns it; a question that was interrupted (Ctrl-C) is answered for its charge if this
        curator is asked it again. A question that was answered before, of the same data version, gets the same
        answer for nothing.

        Args:
            plan: the release.
            key: makes a retry safe: it never draws twice, the first committed release is the answer.
            fresh: draw again, and pay again, though the question was answered before.
            text: the question as it was asked, for the ledger's log.
            purpose: what the answer is for; the owner may require it.
            label: what kind of surcharge this is, if it is one.
        """
        if isinstance(plan, Interactive):
            raise InvalidParameter("an interactive plan is not released but opened: curator.open(plan)")
        if not _is_plan(plan):
            raise InvalidParameter(
                f"what is released is a plan, such as statistics.mean('age', (0, 120), epsilon=1); got {shown(plan)}: "
                "a question in SQL is asked by session.sql(…)"
            )
        _ = self.sample  # refuses a version of what does not change
        self._check_unit(plan.unit)
        check_view(plan, self._view)
        plan = plan if fresh else self._as_answered(plan)
        asked = self._asked(plan)
        question = f"{asked} {to_form(plan.guarantee)}"
        waiting = None if fresh or key is not None else self._interrupted.pop(question, None)
        receipt = waiting or self.ledger.reserve(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            key=key,
            fingerprint=asked,
            fresh=fresh,
            text=text,
            purpose=purpose,
            label=label,
        )
        stored = receipt.release
        if stored is None:
            with self._keeping(question, receipt):
                _tell_reader()
                self.ledger.commit(receipt, self._run(plan))
            stored = self.ledger.release_of(receipt)
        return released(self._with_sample(Outcome.from_dict(stored)), receipt)

    @contextmanager
    def _keeping(self, question: str, receipt: Receipt) -> Iterator[None]:
        """Keep the charge of a question that its asker interrupts: asked again, it is answered for that charge.

        A charge is the right to one release, and none has left: what is drawn next is the first that anybody sees. That
        it took longer than the asker's patience is a matter of time, which is not protected.
        """
        try:
            yield
        except KeyboardInterrupt:
            self._interrupted[question] = receipt
            raise

    def _with_sample(self, outcome: Outcome) -> Outcome:
        """An outcome that says of whom the rows are a secret sample, where they are one."""
        sample = self.sample
        if sample is None:
            return outcome
        tables = tuple(map(self._with_sample, outcome.tables))
        return replace(outcome, notes=outcome.notes | {SAMPLE: str(sample)}, tables=tables)

    @property
    def sample(self) -> SecretSample | None:
        """What the rows are of a population, where they are a secret sample of it: it never changes."""
        if self._sample is None:
            drawn = self.ledger.sample(self.dataset)
            if drawn is not None and self.version is not None:
                raise UnprovenClaim("a secret sample does not change: leave version out")
            self._sample = (drawn,)
        return self._sample[0]

    def request(
        self, plan: Plan[V], *, text: str | None = None, error: str | None = None, purpose: str | None = None
    ) -> str:
        """Ask the owner to let this release happen beside the analyst's share; the name of the request."""
        self._check_unit(plan.unit)
        if self.analyst is None:
            raise InvalidParameter("the owner need not ask: only an analyst requests")
        return self.ledger.request_question(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            fingerprint=self._asked(plan),
            text=text,
            error=error,
            purpose=purpose,
        )

    def earlier(self, plan: Plan[V]) -> Outcome | None:
        """What `release` would hand out for nothing; None if it would charge anyone. Nothing is read."""
        return self._seen(self._as_answered(plan))

    def _as_answered(self, plan: Plan[V]) -> Plan[V]:
        """The plan with the noise of an earlier version where that has answered the question, and today's has not."""
        before: Plan[V] | None = with_earlier_noise(plan)
        if before is None or self._seen(plan) is not None or self._seen(before) is None:
            return plan
        return before

    def _seen(self, plan: Plan[V]) -> Outcome | None:
        self._check_unit(plan.unit)
        stored = self.ledger.earlier(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            fingerprint=self._asked(plan),
        )
        return None if stored is None else Outcome.from_dict(stored)

    def open(self, plan: Opens[R]) -> R:
        """Charge an interactive mechanism for its whole life, then give the handle to ask.

        There is no key: a second opening is another run, with noise of its own, and is charged again.
        """
        _ = self.sample  # refuses a version of what does not change
        self._check_unit(plan.unit)
        receipt = self.ledger.reserve(
            plan.guarantee,
            dataset=self.dataset,
            unit=plan.unit,
            analyst=self.analyst,
            blocks=plan.blocks,
            fingerprint=plan.fingerprint,
            fresh=True,  # a run's transcript is no answer for another run
            interactive=True,  # its questions may be interleaved with others
        )
        _tell_reader()
        return plan.opened(receipt, self._view, self.ledger, self._bits)

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self.facts.unit

    @property
    def budget(self) -> Amount:
        """What may still be spent on this data set, by this analyst."""
        return self.ledger.remaining(self.dataset, self.analyst)

    @escaped
    def __repr__(self) -> str:
        return f"Curator({self.dataset!r}, {self.unit})"

    def _asked(self, plan: Plan[V]) -> str:
        facts: dict[str, Any] = {"table": self.table, "version": self.version, "part": plan.fingerprint}
        declared = {"clocks": self.clocks, "formats": self.formats}
        facts |= {name: terms for name, terms in declared.items() if terms}
        untyped, types = fingerprint_of("asked", facts), self.types_read(plan)
        if not types or self._is_stored(plan, untyped):
            return untyped
        return fingerprint_of("asked", facts | {"types": types})

    def _is_stored(self, plan: Plan[V], fingerprint: str) -> bool:
        """Whether a question has an answer from before types were told: it stays answered, whoever asks."""
        stored = self.ledger.earlier(
            plan.guarantee, dataset=self.dataset, unit=plan.unit, blocks=plan.blocks, fingerprint=fingerprint
        )
        return stored is not None

    def _check_unit(self, unit: Unit) -> None:
        if unit != self.unit:
            raise MixedRelations(f"this data protects {self.unit}; the plan protects {unit}")

    def _run(self, plan: Plan[V]) -> Outcome:
        try:
            with working(f"reading {self.table or self.dataset}"):
                return plan.run(self._view, self._bits)  # type: ignore[arg-type]
        except Exception:
            # whatever went wrong may be the doing of a row, so neither its kind nor its words may leave
            failed = ExecutionFailed("the release failed after it was charged; the reason stays with the data")
        raise failed


def _is_plan(plan: object) -> bool:
    """By its names alone: to ask for the guarantee may already refuse."""
    names = ("unit", "guarantee", "run")
    return not isinstance(plan, type) and all(getattr_static(plan, name, None) is not None for name in names)


def _tell_reader() -> None:
    tell = _reader.get()
    if tell is not None:
        tell()
