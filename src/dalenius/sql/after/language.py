"""The SQL that may stand above the release: a closed list, in which nothing draws, tells the time or reads files."""

from collections.abc import Iterable

from sqlglot import exp

from dalenius.errors import UnknownName, UnsupportedQuery
from dalenius.sql.text.words import word

_CLAUSES: tuple[type[exp.Expr], ...] = (
    *(exp.Select, exp.Subquery, exp.Union, exp.Except, exp.Intersect, exp.With, exp.CTE, exp.TableAlias, exp.From),
    *(exp.Join, exp.Table, exp.Identifier, exp.Column, exp.Star, exp.Alias, exp.Where, exp.Group, exp.Having),
    *(exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.LimitOptions, exp.Distinct, exp.Qualify, exp.Tuple),
    *(exp.Window, exp.WindowSpec, exp.IgnoreNulls, exp.RespectNulls, exp.Filter, exp.WithinGroup, exp.Rollup, exp.Cube),
    *(exp.GroupingSets, exp.Grouping, exp.Values),
)
_VALUES: tuple[type[exp.Expr], ...] = (
    *(exp.Paren, exp.Literal, exp.Null, exp.Boolean, exp.Cast, exp.TryCast, exp.DataType, exp.DataTypeParam),
    *(exp.Case, exp.If, exp.In, exp.Between, exp.Is, exp.Not, exp.And, exp.Or, exp.Exists, exp.Like, exp.ILike),
    *(exp.EQ, exp.NEQ, exp.GT, exp.GTE, exp.LT, exp.LTE, exp.NullSafeEQ, exp.NullSafeNEQ, exp.All, exp.Any),
    *(exp.Add, exp.Sub, exp.Mul, exp.Div, exp.IntDiv, exp.Mod, exp.Neg, exp.Pow, exp.DPipe),
)
_FUNCTIONS: tuple[type[exp.Expr], ...] = (
    *(exp.Coalesce, exp.Nullif, exp.Round, exp.Floor, exp.Ceil, exp.Abs, exp.Sign, exp.Sqrt, exp.Exp, exp.Ln, exp.Log),
    *(exp.Greatest, exp.Least, exp.Concat, exp.Upper, exp.Lower, exp.Trim, exp.Substring, exp.Length, exp.Left),
    *(exp.Right, exp.Year, exp.Quarter, exp.Month, exp.Week, exp.Day, exp.Extract, exp.TimestampTrunc, exp.DateTrunc),
    *(exp.Var, exp.WeekStart, exp.DateDiff, exp.Interval, exp.IsNan, exp.IsInf, exp.TimeToStr, exp.LastDay),
    *(exp.SplitPart, exp.Replace, exp.Contains, exp.StartsWith, exp.StrPosition),
    *(exp.DateAdd, exp.DateSub, exp.DayOfWeek, exp.DayOfMonth, exp.DayOfYear, exp.Dayname, exp.Monthname, exp.Date),
)
_AGGREGATES: tuple[type[exp.Expr], ...] = (
    *(exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Count, exp.CountIf, exp.Median, exp.PercentileCont, exp.PercentileDisc),
    *(exp.Stddev, exp.StddevPop, exp.StddevSamp, exp.Variance, exp.VariancePop, exp.Corr, exp.CovarPop, exp.CovarSamp),
    *(exp.LogicalAnd, exp.LogicalOr, exp.ArgMax, exp.ArgMin, exp.AnyValue, exp.First, exp.Last, exp.Mode),
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist, exp.Ntile, exp.Lag, exp.Lead),
    *(exp.FirstValue, exp.LastValue, exp.NthValue, exp.RegrSlope, exp.RegrIntercept, exp.RegrR2, exp.RegrCount),
    exp.GroupConcat,
)
_KNOWN = frozenset({*_CLAUSES, *_VALUES, *_FUNCTIONS, *_AGGREGATES})
_TYPES = frozenset(
    {
        *("INT", "BIGINT", "SMALLINT", "TINYINT", "DOUBLE", "FLOAT", "DECIMAL", "VARCHAR", "TEXT", "BOOLEAN"),
        *("DATE", "TIMESTAMP", "TIMESTAMPNTZ", "INT128", "INTERVAL"),
    }
)


def check(outer: exp.Expr, tables: Iterable[str]) -> None:
    """Refuse, by name, what is not on the list, and every source that is neither released nor named by WITH."""
    known = {name.lower() for name in tables} | {cte.alias.lower() for cte in outer.find_all(exp.CTE)}
    for node in outer.walk():
        if type(node) not in _KNOWN:
            raise UnsupportedQuery(
                f"{word(node)} is not understood above a released table: take its rows with to_pandas(), and compute"
            )
        if isinstance(node, exp.DataType) and str(node.this).rpartition(".")[2].upper() not in _TYPES:
            raise UnsupportedQuery(f"a released number cannot be cast to {str(node.this).rpartition('.')[2]}")
        if isinstance(node, exp.Table):
            _check_table(node, known)
        if isinstance(node, exp.Limit | exp.Offset) and not isinstance(node.expression, exp.Literal):
            raise UnsupportedQuery("LIMIT takes a number that is written out")
        if isinstance(node, exp.With) and node.args.get("recursive"):
            raise UnsupportedQuery("WITH RECURSIVE has no rule")


def _check_table(node: exp.Table, known: set[str]) -> None:
    if not isinstance(node.this, exp.Identifier) or any(
        value for name, value in node.args.items() if name not in ("this", "alias")
    ):
        raise UnsupportedQuery("above the release FROM takes released tables by their names alone")
    if node.name.lower() not in known:
        raise UnknownName(f"there is no table {node.name!r}")
