"""Regular expressions over a row's text: a closed language of patterns, each checked before anything is charged.

The engine matches by automata, in time that is linear in the text, and remembers nothing from row to row. What is left
to see to is the pattern, which is the analyst's: it must be valid, and small enough that no text can exhaust the
automaton's memory, for the engine says so in its log. So a pattern is written out, has at most 100 characters, counts
up to 50 and counts no groups: its automaton has some 10,000 steps at most. Back references and looking around do not
exist there.
"""

import re

from sqlglot import exp

from dalenius.errors import UnsupportedQuery
from dalenius.sql.engine import is_understood
from dalenius.sql.rows.literals import number_of, text_of
from dalenius.sql.rows.typed import RowReader, Typed, expect, typed
from dalenius.sql.text.words import word
from dalenius.sql.types.kinds import Kind

_LONGEST, _MOST = 100, 50
_CLASS = r"\[\^?\]?(?:\\[dDwWsS]|\\[^\w\s]|\[:[a-z]+:\]|[^\]\\\[])*\]"
_ONE = rf"(?:\\[dDwWsS]|\\[^\w\s]|{_CLASS}|\.|[^\\\[\](){{}}|^$.*+?])"
_TIMES = r"(?:[*+?]\??|\{\d{1,2}(?:,\d{0,2})?\}\??)?"
_PATTERN = re.compile(rf"(?:{_ONE}{_TIMES}|\((?:\?:)?|\)[*+?]?|[|^$]|\\[bB])*")
_GROUP = re.compile(rf"\\.|{_CLASS}|(\((?!\?))")


def matches(node: exp.Expr, read: RowReader) -> Typed:
    """REGEXP_MATCHES(text, pattern), where a part of the text fits, and REGEXP_FULL_MATCH, where all of it does."""
    part, pattern = _parts(node, read)
    name = "REGEXP_FULL_MATCH" if isinstance(node, exp.RegexpFullMatch) else "REGEXP_MATCHES"
    tree = exp.Anonymous(this=name, expressions=[part.tree, pattern])
    return typed(Kind.BOOLEAN, tree, part, values=(False, True))


def extracted(node: exp.Expr, read: RowReader) -> Typed:
    """REGEXP_EXTRACT(text, pattern, group): the first part that fits, or one of its groups; '' if none does."""
    part, pattern = _parts(node, read)
    given = node.args.get("group")
    group = None if given is None else number_of(read(exp.Literal.number(str(given.this))))
    most = sum(1 for one in _GROUP.findall(str(pattern.this)) if one)
    if group is None or group.denominator != 1 or not 0 <= group <= min(most, 9):
        raise UnsupportedQuery(f"{word(node)} takes the number of a group of the pattern, written out: it has {most}")
    parts = [part.tree, pattern, exp.Literal.number(int(group))]
    return typed(Kind.TEXT, exp.Anonymous(this="REGEXP_EXTRACT", expressions=parts), part)


def _parts(node: exp.Expr, read: RowReader) -> tuple[Typed, exp.Literal]:
    """The text, and the pattern as the engine reads it."""
    name = word(node)
    part, written = expect(read(node.this), Kind.TEXT, name), text_of(read(node.expression))
    if written is None:
        raise UnsupportedQuery(f"{name} takes a pattern that is written out, such as '^a[0-9]+$'")
    flag = node.args.get("flag") or node.args.get("parameters")
    options = None if flag is None else text_of(read(flag))
    if flag is not None and options not in ("i", "c"):
        raise UnsupportedQuery(f"{name} takes the option 'i', for letters of either case, or 'c'")
    _check(name, written)
    pattern = exp.Literal.string(f"(?i){written}" if options == "i" else written)
    probe = exp.Anonymous(this="REGEXP_MATCHES", expressions=[exp.Literal.string(""), pattern.copy()])
    if not is_understood(probe):
        raise UnsupportedQuery(f"{name} has a pattern that is no regular expression")
    return part, pattern


def _check(name: str, written: str) -> None:
    counts = [int(number) for number in re.findall(r"\d+", " ".join(re.findall(r"\{[\d,]*\}", written)))]
    if len(written) > _LONGEST or max(counts, default=0) > _MOST or _PATTERN.fullmatch(written) is None:
        raise UnsupportedQuery(
            f"{name} takes a pattern of at most {_LONGEST} characters: letters, ., [a-z], \\d, \\w, \\s, ^, $, |, (…) "
            f"and *, +, ?, and {{m,n}} up to {_MOST} of what is no group"
        )
