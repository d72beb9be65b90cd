"""A table that can be asked in SQL."""

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Self

from dalenius.curator import Curator, Plan, Release
from dalenius.errors import InvalidParameter, UnknownName
from dalenius.escape import escaped, html_table
from dalenius.ledger import Amount, Ledger
from dalenius.neighbors import Unit
from dalenius.numerics import Number
from dalenius.sql.after.ask import AskTerms
from dalenius.sql.after.statements import Statements
from dalenius.sql.engine import Engine
from dalenius.sql.owned import Owned
from dalenius.sql.planner.selected_rows import SelectedRows, selected_rows
from dalenius.sql.plans.choose_plan import types_read
from dalenius.sql.plans.sums import QueryExplanation
from dalenius.sql.policy.policy import Policy
from dalenius.sql.prepared.table import Prepared, from_prepared, prepared_lines
from dalenius.sql.pricing.ask import Pricing, QuestionNotes
from dalenius.sql.pricing.request import PreparedCompiler, Request, unprepared
from dalenius.sql.pricing.target_error import WantedPrice
from dalenius.sql.rewrites import refusing_methods
from dalenius.sql.synthetic_copy import answer_of_copies, created_copy
from dalenius.sql.tables.population import clocks_of, formats_of, identities
from dalenius.sql.tables.table import QueryTable
from dalenius.sql.text.statement import Statement, read_statement
from dalenius.sql.text.synthetic import read_creation
from dalenius.sql.views.description import Description, asked_description, columns_of, tables_of
from dalenius.sql.views.private_views import Views
from dalenius.sql.views.synthetic_tables import SyntheticTables


@refusing_methods("sql", "known_answer", "explain", "plan", "rows")
class Session(Owned):
    """A curator that understands SQL: every answer is private for each unit and charged before the data is read."""

    def __init__(
        self,
        engine: Engine,
        policy: Policy,
        ledger: Ledger,
        analyst: str | None = None,
        others: Mapping[str, QueryTable] | None = None,
    ) -> None:
        policy.check()  # one that was not made by Policy.declare may leave a unit unbounded
        self.policy = policy
        self._others = others or {}
        engine.name_unit(policy.unit.column, {one.place: one.unit for one in self._others.values()})
        self._views = Views(policy, self._others)
        self._synthetic = SyntheticTables(self._named_already)
        ledger.own_tables(policy.population, *identities(engine, policy, self._others))
        self._engine = engine
        self._prepared: Prepared | None = None
        self._curator: Curator[Engine] = Curator(
            engine,
            unit=policy.unit,
            ledger=ledger,
            dataset=policy.population,
            analyst=analyst,
            table=None if policy.population == policy.table else policy.table,  # of one data set, not the same question
            version=policy.version,
        )
        self._curator.clocks, self._curator.formats = clocks_of(policy, self._others), formats_of(policy)
        self._curator.types_read = types_read
        self._asking = Pricing(policy, self._others, self._curator, engine.dialect)
        self._statements = Statements(self._asking, self._views)

    def sql(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        key: str | None = None,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
        purpose: str | None = None,
        fresh: bool = False,
        profile: Number | bool | None = None,
    ) -> Release:
        """The private answer; the very same question again gets the same answer, for nothing.

        `CREATE PRIVATE VIEW name AS SELECT …` keeps its answer: a SELECT from that name has no price, so `epsilon` is
        left out. `CREATE SYNTHETIC TABLE name AS SELECT column, … FROM table` makes a private copy, and any SELECT from
        it is ordinary SQL, for nothing; `SELECT *` works. `CREATE SYNTHETIC TABLES a, b AS SELECT … FROM parent JOIN
        child USING (unit)` copies two tables that join. `SHOW TABLES` and `DESCRIBE table` tell what was declared.

        Args:
            query: the question, one SELECT, or one of the statements above.
            epsilon: its price; it may stand in the text instead.
            delta: pays for finding keys that nobody declared, by default a hundredth of the budget's. Over several
                declared keys it buys Gaussian noise and a bound in ℓ2: more noise, fewer rows are cut off.
            groups: in how many keys that are found a unit counts; by default a histogram tells, see `profile`.
            min_units: a key of fewer units is never named.
            key: makes a retry safe; it never forces a new draw.
            prepared: after `prepare()`, True to answer from the prepared table also with WHERE, False never to.
            within: how far off the answer may be, in place of a price: 100, 0.05 with `of`, or "5%" of the answer,
                which is asked for twice as much, again and again, until what was released is close enough.
            of: the size that a relative `within` is a share of.
            confidence: the probability with which `within` holds.
            max_epsilon: the most that the answer may cost, with `within`.
            purpose: what the answer is for; it stands in the ledger's log, and the owner may require it.
            fresh: draw, and pay, again though the answer is known.
            profile: what it may pay besides, once for all questions, for facts that it needs and nobody has bought:
                how many rows or groups a unit has. A number, or True for what `explain` says. Without it nothing but
                the price is ever charged, and such a question is refused.

        An example: `db.sql("SELECT category, COUNT(*) AS n FROM purchases GROUP BY category", epsilon=0.1)`.
        """
        described = asked_description(query, self.policy, self._others, (*self.views, *self.synthetic_tables))
        free = described or self._synthetic_answer(query, epsilon, delta, key)
        if free is not None:
            return free
        said = read_statement(query)
        said.check_unit(self.policy.unit)
        self._views.check_name(said)
        terms = AskTerms(epsilon, delta, groups, min_units, within)
        notes = QuestionNotes(key, query, purpose, fresh, profile)
        if (statement := self._statements.read(said, terms, self._kept(prepared))) is not None:
            return self._views.keep(said, statement.release(notes))
        release: Release | None = self._views.answer(said)
        if release is None:
            wanted = WantedPrice.read(said, epsilon, within, of, confidence, max_epsilon)
            asked = self._asked(said, delta, groups, min_units, prepared)
            release = self._asking.release(asked, wanted, notes, lambda plan: self._views.check_plan(said, plan))
        return self._views.keep(said, release)

    def known_answer(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> Release | None:
        """The answer that this analyst has seen before, or that follows from such; None if asking would cost anything.

        Nothing is charged and no row is read, nor is a view made: a text that makes one has no known answer.
        """
        if read_creation(query, self.policy.table) is not None:
            return None
        if self._synthetic.asked(query) is not None:
            return self._synthetic_answer(query, epsilon, delta, None)
        described = asked_description(query, self.policy, self._others, (*self.views, *self.synthetic_tables))
        if described is not None:
            return described
        said = read_statement(query)
        if said.view is not None:
            return None
        terms = AskTerms(epsilon, delta, groups, min_units, within)
        if (statement := self._statements.read(said, terms, self._kept(None))) is not None:
            return statement.known_answer()
        if (view := self._views.answer(said)) is not None:
            return view
        wanted = WantedPrice.read(said, epsilon, within, of, confidence, max_epsilon)
        return self._asking.known_answer(self._asked(said, delta, groups, min_units, None), wanted)

    def acting(self, analyst: str | None, *, by: str | None = None, origin: str = "python") -> "Session":
        """The same tables, open for somebody else: views and synthetic tables are each asker's own.

        Args:
            analyst: whose share is charged; None is the owner.
            by: who asks, as the ledger's log says.
            origin: from where: "python", "command line", "http" or "wire".
        """
        other = Session(self._engine, self.policy, self.ledger.acting(by, origin), analyst, self._others)
        other._prepared = self._prepared
        return other

    def describe(self, table: str | None = None) -> Description:
        """What analysts may know of the tables, or of one: names, types, bounds and keys. Free, as DESCRIBE in SQL."""
        if table is not None:
            return columns_of(table, self.policy, self._others)
        return tables_of(self.policy, self._others, (*self.views, *self.synthetic_tables))

    def _synthetic_answer(
        self, query: str, epsilon: Number | None, delta: Number | None, key: str | None
    ) -> Release | None:
        """The copy that a statement creates, or the answer of copies; None if it is about none."""
        creation = read_creation(query, self.policy.table)
        asked = None if creation is not None else self._synthetic.asked(query)
        if asked is not None:
            return answer_of_copies(self._synthetic, asked, query, epsilon)
        if creation is None:
            return None
        return created_copy(self, self._synthetic, creation, {"epsilon": epsilon, "delta": delta, "key": key})

    def about_synthetic(self, query: str) -> bool:
        """Whether a statement makes a synthetic table or asks one; free."""
        return self.creates_synthetic(query) or self._synthetic.asked(query) is not None

    def creates_synthetic(self, query: str) -> bool:
        """Whether a statement makes a synthetic table; free."""
        return bool(self.synthetic_names(query))

    def synthetic_names(self, query: str) -> tuple[str, ...]:
        """The synthetic tables that a statement makes; none if it makes none. Free."""
        creation = read_creation(query, self.policy.table)
        return () if creation is None else creation.names

    def _named_already(self, name: str) -> bool:
        taken = {self.policy.table.lower(), *(other.lower() for other in self._others)}
        return name.lower() in taken | {view.lower() for view in self._views.names}

    def terms_of(self, table: str) -> Policy:
        """The owner's terms of a private table of this session, the first or one beside it."""
        if table.lower() == self.policy.table.lower():
            return self.policy
        joinable = self._others.get(table.lower())
        if joinable is None or not joinable.private:
            raise UnknownName(f"there is no private table {table!r} in this session")
        return joinable.terms(self.policy)

    @property
    def synthetic_tables(self) -> tuple[str, ...]:
        """The synthetic tables of this session."""
        return self._synthetic.names

    @property
    def views(self) -> tuple[str, ...]:
        """The private views of this session."""
        return self._views.names

    def explain(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        prepared: bool | None = None,
        within: Number | None = None,
        of: Number | None = None,
        confidence: Number = "0.95",
        max_epsilon: Number | None = None,
    ) -> QueryExplanation:
        """What the answer would cost and how far off it would be; free, from the policy and what was released before.

        Where it is not known yet how many rows of a unit count, it says what finding that will cost.

        Args:
            query: the question, one SELECT.
            epsilon: the price that it is explained for; it may stand in the text instead.
            delta: what may be spent on keys that nobody declared, or on Gaussian noise over several declared keys.
            groups: in how many of the keys that are found a unit counts.
            min_units: a key of fewer units is never named.
            prepared: True to answer from the prepared table also with WHERE, False never to.
            within: how far off the answer may be, in place of a price: 100, 0.05 with `of`, or "5%" of the answer.
            of: the size that a relative `within` is a share of.
            confidence: the probability with which `within` holds.
            max_epsilon: the most that the answer may cost, with `within`.

        An example: `print(db.explain("SELECT AVG(amount) FROM purchases", epsilon=0.1))`.
        """
        said = read_statement(query)
        terms = AskTerms(epsilon, delta, groups, min_units, within)
        if (statement := self._statements.read(said, terms, self._kept(prepared))) is not None:
            return statement.explain()
        wanted = WantedPrice.read(said, epsilon, within, of, confidence, max_epsilon)
        bound = self._asking.known(self._asked(said, delta, groups, min_units, prepared), wanted)
        explanation = self._asking.planned(bound.request, bound.compiled, wanted).explain()
        kept = prepared_lines(self._prepared, bound.compiled, said.select)
        notes = (*bound.lines(), *wanted.lines(), *kept, *self._asking.sample_lines)
        return replace(explanation, notes=notes, profile=bound.surcharge)

    def plan(
        self,
        query: str,
        *,
        epsilon: Number | None = None,
        delta: Number | None = None,
        groups: int | str | None = None,
        min_units: int = 1,
        prepared: bool | None = None,
    ) -> Plan[Engine]:
        """The query as a plan, or a refusal by name; ε and δ may stand in the text, as BigQuery writes them.

        Args:
            query: the question, one SELECT.
            epsilon: its price; it may stand in the text instead.
            delta: what may be spent on keys that nobody declared, or on Gaussian noise over several declared keys.
            groups: in how many of the keys that are found a unit counts.
            min_units: a key of fewer units is never named.
            prepared: True to answer from the prepared table also with WHERE, False never to.

        An example: `db.release(db.plan("SELECT COUNT(*) FROM purchases", epsilon=0.1))`.
        """
        said = read_statement(query)
        terms = AskTerms(epsilon, delta, groups, min_units)
        if (statement := self._statements.read(said, terms, self._kept(prepared))) is not None:
            return statement.plan()
        wanted = WantedPrice.read(said, epsilon)
        bound = self._asking.known(self._asked(said, delta, groups, min_units, prepared), wanted)
        bound.check()
        return self._asking.planned(bound.request, bound.compiled, wanted)

    def rows(self, query: str) -> SelectedRows:
        """The rows of a SELECT without aggregates, for a model to be fitted to: `dalenius.learning.from_sql`.

        Nothing is read, shown or charged here; a fit is charged before it reads them.
        """
        said = read_statement(query)
        said.check_unit(self.policy.unit)
        return selected_rows(said.select, self.policy, self._others, self._engine, self._engine.dialect)

    def _asked(
        self, said: Statement, delta: Number | None, groups: int | str | None, min_units: int, prepared: bool | None
    ) -> Request:
        """The SELECT on the owner's terms, from the prepared table where there is one that can answer it."""
        return self._asking.asked(said, delta, groups, min_units, self._kept(prepared))

    def _kept(self, prepared: bool | None) -> PreparedCompiler:
        """What compiles a SELECT over the prepared table, where there is one."""
        if self._prepared is None and not prepared:
            return unprepared
        return partial(from_prepared, self._prepared, prepared)

    def release(self, plan: Plan[Engine], key: str | None = None) -> Release:
        """Release any plan over this table."""
        return self._curator.release(plan, key)

    @property
    def ledger(self) -> Ledger:
        """Where every answer is charged."""
        return self._curator.ledger

    @property
    def dataset(self) -> str:
        """The name in the ledger of the population whose budget pays."""
        return self._curator.dataset

    @property
    def unit(self) -> Unit:
        """Who is protected."""
        return self._curator.unit

    @property
    def analyst(self) -> str | None:
        """Whose share is charged, if the ledger keeps shares."""
        return self._curator.analyst

    @property
    def budget(self) -> Amount:
        """What may still be spent, by this analyst."""
        return self._curator.budget

    def request(self, query: str, *, purpose: str | None = None, **terms: Any) -> str:
        """Ask the owner to let this question be run beside one's share; the name of the request.

        `terms` are those of `sql`: `epsilon`, `delta`, … The owner sees its text, price and error. Once it is approved,
        the same question with the same terms is answered once.
        """
        if self.analyst is None:
            raise InvalidParameter("the owner need not ask: connect with analyst= to request a question")
        return self._curator.request(
            self.plan(query, **terms), text=query, error=str(self.explain(query, **terms)), purpose=purpose
        )

    def _over(self, engine: Engine, ledger: Ledger) -> Self:
        return type(self)(engine, self.policy, ledger, None, self._others)

    def close(self) -> None:
        """Let go of the tables: nothing can be asked any more. The ledger stays open."""
        self._engine.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _repr_html_(self) -> str:
        return html_table(["table", "protects", "left"], [(self.policy.table, str(self.unit), str(self.budget))])

    @escaped
    def __repr__(self) -> str:
        is_found_privately = self.policy.unit.column is not None and self.policy.contributions is None
        terms = ", contributions found privately" if is_found_privately else ""
        if self._asking.profile().rows is None and is_found_privately:
            terms += " once a profile is bought"
        return f"Session({self.policy.table!r}, {self.policy.unit}{terms}, {self.budget} left)"
