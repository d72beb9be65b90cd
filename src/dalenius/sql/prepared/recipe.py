"""A table from which no unit can be told by more than T rows, made once and asked many times.

Of each unit it keeps at most T rows: all of them, or the first T in the order of a keyed hash of each row's content and
of how many equal rows of the unit came before it. So which rows are kept depends on the unit's own rows and the key
alone: never on where a row lies, nor on anybody else. Hence a unit that comes or goes brings or takes at most T rows of
the kept table and changes no other, and any sum over it to which a row adds at most R in ℓ1 moves by at most T·R
[A Ex 3.4, G complaints count]; so too over a part of it, such as the rows that a WHERE leaves.

*The key may be renewed.* All this holds for every key, and a key is drawn without a look at the data. So each answer is
as private as it was charged for, whichever key chose its rows, and answers under two keys add up like any others: no
promise says that a unit's rows are the same from one answer to the next. One answer reads one sealed table.
Renewing reopens no budget: what a question is in the ledger does not hang on the key, so one that was answered stays
answered, for nothing, and `fresh=True` pays as before. What must never change is in which *block* of a partition a unit
is, since blocks do not add up (`ledger.blocks`): that salt is the partition's name, which the chain keeps for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import exp

from dalenius.errors import InvalidParameter
from dalenius.queries import Key
from dalenius.sql.engine import DIALECT, Dialect, language
from dalenius.sql.planner.bounding_view import whole_text
from dalenius.sql.planner.rules.bind_aggregates import fixed_point_bits
from dalenius.sql.planner.rules.bind_keys import key_join
from dalenius.sql.policy.policy import Policy
from dalenius.sql.rows.columns import column
from dalenius.sql.rows.fixed_point import scale_around, scale_between
from dalenius.sql.types.column_types import kind_of
from dalenius.sql.types.engine_names import SOURCE
from dalenius.sql.types.kinds import Kind

_NUMBER, _WHOLE = "prepared number {}", "prepared whole {}"


@dataclass(frozen=True, slots=True)
class Preparation:
    """What is made of a table under a policy: its columns, numbers of keys and fixed-point values.

    `numbers` and `wholes` are found by the text of what each stands for, so that a query that would compute the same
    reads the column instead. A number stands for a condition that joins a column to all of its keys: under a WHERE a
    query may have fewer of them, and so other numbers.
    """

    policy: Policy
    numbers: Mapping[str, str]
    wholes: Mapping[str, str]
    dialect: Dialect = DIALECT

    @classmethod
    def of(cls, policy: Policy, dialect: Dialect = DIALECT) -> "Preparation":
        """All that can be made beforehand for queries under this policy."""
        if policy.unit.column is None:
            raise InvalidParameter("each row is a unit here, and needs no bound: there is nothing to prepare")
        if policy.contributions is None:
            raise InvalidParameter("to prepare a table declare contributions=, how many rows of each unit are kept")
        preparation = cls(
            policy,
            {
                joined_text(join.args["on"].this, join.this.this): _NUMBER.format(place)
                for place, join in enumerate(_joins(policy, dialect))
            },
            {text: _WHOLE.format(place) for place, text in enumerate(_wholes(policy))},
            dialect,
        )
        made = {name.lower() for name in (*preparation.numbers.values(), *preparation.wholes.values())}
        if taken := [name for name in policy.columns if name.lower() in made]:
            raise InvalidParameter(f"a prepared table has columns of its own: {taken[0]!r} must have another name")
        return preparation

    def statement(self, key: str) -> str:
        """The SELECT that makes the kept table from the source; `key` is secret, and written in hexadecimal."""
        policy, dialect = self.policy, self.dialect
        assert policy.unit.column is not None
        assert policy.contributions is not None
        stored = {name: policy.columns[name] for name in self._stored()}
        rows = dialect.kept_rows(stored, policy.unit.column, policy.contributions, key)
        kept = exp.alias_(rows.subquery(), SOURCE, table=True, quoted=True)
        made = exp.select(*(exp.column(name, table=SOURCE, quoted=True) for name in self._stored())).from_(kept)
        for place, join in enumerate(_joins(policy, dialect)):
            made = made.join(join, join_type="LEFT")
            number = exp.cast(exp.column("cell", table=join.alias_or_name, quoted=True), "INTEGER")
            made = made.select(exp.alias_(number, _NUMBER.format(place), quoted=True))
        for place, text in enumerate(_wholes(self.policy)):
            # a fixed-point number has 30 digits at most
            whole = exp.cast(language.read(text), "INTEGER")
            made = made.select(exp.alias_(whole, _WHOLE.format(place), quoted=True))
        return dialect.text(made)

    def _stored(self) -> list[str]:
        """The columns that queries can read, and the unit."""
        policy = self.policy
        return [name for name, kind in policy.columns.items() if name == policy.unit.column or kind_of(kind)]


def joined_text(value: exp.Expr, frame: exp.Expr) -> str:
    """What tells the numbers of keys: the expression that is joined, and the frame of its keys."""
    return f"{language.written(value)} IN {language.written(frame)}"


def _joins(policy: Policy, dialect: Dialect) -> list[exp.Join]:
    """The columns with declared keys, joined to the frames of these as queries join them."""
    joins: list[exp.Join] = []
    for name in policy.keys:
        one = column(name, policy)
        values: tuple[Key, ...] = (*(one.values or ()), *((None,) if name in policy.null_keys else ()))
        if one.values:
            joins.append(key_join(f"public{len(joins)}", one.tree.copy(), values, one.kind, dialect))
    return joins


def _wholes(policy: Policy) -> list[str]:
    """The fixed-point expressions of bounded numbers, for a sum alone and for what else is asked of them."""
    bits = fixed_point_bits(policy)
    texts: dict[str, None] = {}
    for name in policy.bounds:
        one = column(name, policy)
        if one.kind is Kind.NUMBER and one.bounds is not None:
            for scale in (scale_around(*one.bounds, bits), scale_between(*one.bounds, bits)):
                texts[whole_text(scale.whole(), {"v": one})] = None
    return list(texts)
