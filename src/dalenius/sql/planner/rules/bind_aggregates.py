"""What is asked of the rows, and what is made of it afterwards."""

from collections.abc import Callable
from dataclasses import replace
from itertools import count

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula
from dalenius.errors import UnsupportedQuery
from dalenius.sql.planner.aggregate_calls import AggregateCall, aggregate_call, aggregate_calls, needs_own_scan
from dalenius.sql.planner.aggregates import AnsweredTerms, ValueCalls, answer, people, star
from dalenius.sql.planner.catalog import there_are
from dalenius.sql.planner.draft import Draft
from dalenius.sql.planner.formulas import FormulaReader
from dalenius.sql.planner.output import Output, OutputColumn, SortTerm
from dalenius.sql.planner.row_terms import WEIGHT_BITS
from dalenius.sql.planner.separate_scans import DISTINCT, SeparateScan
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.fixed_point import MOST_BITS
from dalenius.sql.text.words import word

_ALL_BITS = 62


def bind_aggregates(draft: Draft, policy: Policy) -> Draft:
    """Form a share for each aggregated expression, one more for COUNT(*) or people if none gives it, and formulas.

    SELECT, HAVING and ORDER BY are read alike: an aggregate that only sorts or sifts is released, and paid, too.
    """
    assert draft.rows is not None
    tree = draft.tree
    calls = aggregate_calls(tree, policy)
    if not calls and (other := tree.find(exp.AggFunc, exp.Anonymous)) is not None:
        raise UnsupportedQuery(f"{word(other)} has no sensitivity rule; {there_are()}")
    if not calls:
        raise UnsupportedQuery(f"SELECT takes an aggregate, such as COUNT(*) or AVG(x); {there_are()}")
    numbers = count()
    plain = [asked for asked in calls if not needs_own_scan(asked)]
    answers = _answers(plain, fixed_point_bits(policy), lambda: f"p{next(numbers)}")
    by_question = {asked: _formula(asked, answers) for asked in plain}
    apart = _apart(calls, lambda: f"p{next(numbers)}")
    by_question |= {asked: Cell(one.part) for asked, one in apart.items()}
    reader = FormulaReader(tree, lambda node: by_question[aggregate_call(node, policy)])
    columns = _columns(tree, reader)
    _check_bare(columns, {one.part for one in apart.values() if one.want != DISTINCT})
    output = Output(
        columns,
        None if tree.args.get("having") is None else reader.formula(tree.args["having"].this),
        _order(tree, reader),
        whole_number(tree, "limit"),
        whole_number(tree, "offset") or 0,
    )
    rows = draft.rows
    for place, (_, found_answer) in enumerate(answers):
        if found_answer.share.value is not None:
            rows = rows.select(exp.alias_(found_answer.share.value.tree, f"v{place}", quoted=True))
    for one in apart.values():
        rows = rows.select(exp.alias_(one.value.tree, one.column, quoted=True))
    shares = tuple(made.share for _, made in answers)
    return replace(draft, rows=rows, shares=shares, apart=tuple(apart.values()), output=output)


def _apart(calls: list[AggregateCall], name: Callable[[], str]) -> dict[AggregateCall, SeparateScan]:
    """Those questions that have statements of their own."""
    return {
        asked: SeparateScan(asked.word, asked.want, name(), asked.value)
        for asked in calls
        if needs_own_scan(asked) and asked.value is not None
    }


def fixed_point_bits(policy: Policy) -> int:
    """Digits of a fixed-point number, so that T rows of weight 2²⁰ stay below 2⁶³."""
    most = policy.contributions or 1
    return min(MOST_BITS, _ALL_BITS - WEIGHT_BITS - most.bit_length())


def _answers(calls: list[AggregateCall], bits: int, name: Callable[[], str]) -> list[tuple[str, AnsweredTerms]]:
    asked: dict[str, ValueCalls] = {}
    for one in calls:
        if one.value is not None:
            asked.setdefault(one.value.text, ValueCalls(one.value, one.word)).wants.add(one.want)
    rows = any(one.want == "rows" for one in calls)
    # the share that can tell numbers from gaps counts all rows at no further price
    first = next(iter(asked), None)
    answers = [(text, answer(each, bits, rows and text == first, name)) for text, each in asked.items()]
    if rows and first is None:
        answers.append(("", star(name)))
    if (distinct := next((one for one in calls if one.want == "people"), None)) is not None:
        answers.append(("", people(name, distinct.word)))
    return answers


def _formula(asked: AggregateCall, answers: list[tuple[str, AnsweredTerms]]) -> Formula:
    text = "" if asked.value is None else asked.value.text
    return next(
        made.formulas[asked.want]
        for value_text, made in answers
        if asked.want in made.formulas and (asked.value is None or value_text == text)
    )


def _columns(tree: exp.Expr, reader: FormulaReader) -> tuple[OutputColumn, ...]:
    columns = tuple(
        OutputColumn(term.alias or reader.default_name(term, place), reader.term(term.unalias()))
        for place, term in enumerate(tree.expressions, 1)
    )
    if len({column.name.lower() for column in columns}) != len(columns):
        raise UnsupportedQuery("the columns of an answer need names that differ; give one another name with AS")
    return columns


def _check_bare(columns: tuple[OutputColumn, ...], chosen: set[str]) -> None:
    """A choice is off by ranks or rows, and its error cannot be carried through arithmetic."""
    for column in columns:
        if not isinstance(column.of, int | Cell) and column.of.names & chosen:
            raise UnsupportedQuery(
                "a quantile or mode is shown as it is: compute with it once it is released, which is free"
            )


def _order(tree: exp.Expr, reader: FormulaReader) -> tuple[SortTerm, ...]:
    order = tree.args.get("order")
    return tuple(
        SortTerm(reader.term(term.this), bool(term.args.get("desc")), bool(term.args.get("nulls_first")))
        for term in (order.expressions if order is not None else ())
    )


def whole_number(tree: exp.Expr, clause: str) -> int | None:
    """The number of LIMIT or OFFSET."""
    node = tree.args.get(clause)
    if node is None:
        return None
    value = node.expression
    if not isinstance(value, exp.Literal) or value.is_string or not str(value.this).isdigit() or len(value.this) > 15:
        raise UnsupportedQuery(f"{clause.upper()} takes a whole number that is written out")
    return int(value.this)
