"""What is asked of the rows, and what is made of it afterwards."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import count

from sqlglot import exp

from dalenius.curator.formula import Cell, Formula
from dalenius.errors import UnsupportedQuery
from dalenius.sql.catalog import MeasuredBy, there_are
from dalenius.sql.planner.aggregate_calls import AggregateCall, calls_by_node, needs_own_scan
from dalenius.sql.planner.aggregates import AnsweredTerms, ValueCalls, answer, people, star
from dalenius.sql.planner.formulas import FormulaReader
from dalenius.sql.planner.output import Output, OutputColumn, SortTerm
from dalenius.sql.planner.pair_terms import PairCalls, answer_pair
from dalenius.sql.planner.row_terms import WEIGHT_BITS
from dalenius.sql.planner.separate_scans import SeparateScan
from dalenius.sql.planner.stages import Aggregated, FinalRows
from dalenius.sql.planner.weighted_terms import RowWeight
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows import columns as row_columns
from dalenius.sql.rows.fixed_point import MOST_BITS
from dalenius.sql.rows.read import function_names
from dalenius.sql.text.quoted import words_of
from dalenius.sql.text.words import word
from dalenius.sql.types.similar_names import did_you_mean

_ALL_BITS = 62


def bind_aggregates(final: FinalRows, policy: Policy) -> Aggregated:
    """Form row terms for each aggregated expression, one more for COUNT(*) or people if none gives it, and formulas.

    SELECT, HAVING and ORDER BY are read alike: an aggregate that only sorts or sifts is released, and paid, too.
    """
    tree = final.question.tree
    by_node = calls_by_node(tree, policy)
    calls = list(dict.fromkeys(by_node.values()))
    if not calls and (other := tree.find(exp.AggFunc, exp.Anonymous)) is not None:
        refused = UnsupportedQuery(f"{word(other)} has no sensitivity rule{_meant(other)}; {there_are()}")
        refused.about = words_of(other)
        raise refused
    if not calls:
        raise UnsupportedQuery(f"SELECT takes an aggregate, such as COUNT(*) or AVG(x); {there_are()}")
    numbers = count()
    plain = [asked for asked in calls if not needs_own_scan(asked)]
    answers, by_call = _answers(plain, policy, lambda: f"p{next(numbers)}")
    scans = _separate_scans(calls, lambda: f"p{next(numbers)}")
    by_call |= {asked: Cell(one.part) for asked, one in scans.items()}
    reader = FormulaReader(tree, lambda node: by_call[by_node[id(node)]])
    columns = _columns(tree, reader)
    _check_bare(columns, {one.part for one in scans.values() if one.measured is not MeasuredBy.DISTINCT})
    output = Output(
        columns,
        None if tree.args.get("having") is None else reader.formula(tree.args["having"].this),
        _order(tree, reader),
        whole_number(tree, "limit"),
        whole_number(tree, "offset") or 0,
    )
    rows = final.rows
    for place, answered in enumerate(answers):
        for name, value in answered.terms.values.items():
            rows = rows.select(exp.alias_(value.tree, f"{name}{place}", quoted=True))
    for one in scans.values():
        rows = rows.select(exp.alias_(one.value.tree, one.column, quoted=True))
    return Aggregated(final, rows, tuple(made.terms for made in answers), tuple(scans.values()), output)


def _meant(node: exp.Expr) -> str:
    return did_you_mean(node.name, function_names()) if isinstance(node, exp.Anonymous) else ""


def _separate_scans(calls: list[AggregateCall], name: Callable[[], str]) -> dict[AggregateCall, SeparateScan]:
    """Those aggregates that have statements of their own."""
    return {
        asked: SeparateScan(asked.word, asked.measured, name(), asked.value, asked.level)
        for asked in calls
        if needs_own_scan(asked) and asked.value is not None
    }


def fixed_point_bits(policy: Policy) -> int:
    """Digits of a fixed-point number, so that T rows of weight 2²⁰ stay below 2⁶³."""
    most = policy.contributions or 1
    return min(MOST_BITS, _ALL_BITS - WEIGHT_BITS - most.bit_length())


def _answers(
    calls: list[AggregateCall], policy: Policy, name: Callable[[], str]
) -> tuple[list[AnsweredTerms], dict[AggregateCall, Formula]]:
    """The terms that answer all calls, and the formula of each call."""
    asked: dict[str, ValueCalls] = {}
    bits, sums = fixed_point_bits(policy), _sum_bounds(policy)
    pairs: dict[tuple[str, str], PairCalls] = {}
    for one in calls:
        if one.value is not None and one.other is not None:
            first, second = sorted((one.value, one.other), key=lambda value: value.text)
            together = pairs.setdefault((first.text, second.text), PairCalls(first, second, one.word))
            together.wants.add((one.want, first is not one.value))
        elif one.value is not None:
            most, finds = sums.get(one.value.text, (None, ""))
            value = ValueCalls(one.value, one.word, most_of_person=most, finds=finds)
            asked.setdefault(one.value.text, value).wants.add(one.want)
    rows = any(one.want == "rows" for one in calls)
    # the terms that can tell numbers from gaps counts all rows at no further price
    first_text = next(iter(asked), None)
    weight = RowWeight.of(policy, bits)

    def answer_one(each: ValueCalls, with_rows: bool) -> AnsweredTerms:
        return answer(each, bits, with_rows, name) if weight is None else weight.answer(each, with_rows, name)

    answers = {text: answer_one(each, rows and text == first_text) for text, each in asked.items()}
    answered = list(answers.values())
    of_pairs = {}
    for texts, each in pairs.items():
        with_rows = rows and not answered and weight is None  # pairs count rows without their weights
        made, of_pairs[texts] = answer_pair(each, bits, with_rows, name)
        answered.append(made)
    if rows and not any("rows" in made.formulas for made in answered):
        answered.append(star(name) if weight is None else weight.star(name))
    if (distinct := next((one for one in calls if one.want == "people"), None)) is not None:
        answered.append(people(name, distinct.word))
    return answered, {one: _formula(one, answers, of_pairs, answered) for one in calls}


def _sum_bounds(policy: Policy) -> dict[str, tuple[Fraction, str]]:
    """The most that one unit's sum of a column may be, and whose bound is to be found, by what the engine reads.

    While a bound is not found yet, it is that of one row.
    """
    bounds = {}
    for name, bound in policy.sum_bounds.items():
        value = row_columns.column(name, policy)
        reach = Fraction(1) if value.bounds is None else max(map(abs, value.bounds)) or Fraction(1)
        bounds[value.text] = reach if bound.most is None else bound.most, bound.column if bound.is_found else ""
    return bounds


def _formula(
    asked: AggregateCall,
    by_text: Mapping[str, AnsweredTerms],
    by_pair: Mapping[tuple[str, str], Mapping[tuple[str, bool], Formula]],
    every: list[AnsweredTerms],
) -> Formula:
    if asked.value is None:
        return next(made.formulas[asked.want] for made in every if asked.want in made.formulas)
    if asked.other is None:
        return by_text[asked.value.text].formulas[asked.want]
    first, second = sorted((asked.value, asked.other), key=lambda value: value.text)
    return by_pair[first.text, second.text][asked.want, first is not asked.value]


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
