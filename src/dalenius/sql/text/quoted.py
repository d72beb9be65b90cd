"""A refusal quotes the analyst's own text: the line, the column and the words that it is about, underlined.

Parsing notes where the words of each part of a tree stand. A rule that refuses says nothing of it: whoever called it
with a part of the tree (`pointing`) notes which part that was, the innermost first. Where the road ends, the refusal
that comes out is completed by an excerpt of the query. Query and tree are the analyst's own, so nothing read from data
can get into it.
"""

import re
import unicodedata
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import wraps
from typing import ParamSpec, TypeVar

from sqlglot import Token, exp
from sqlglot.errors import SqlglotError

from dalenius.errors import DaleniusError, UnboundedQuery, UnsupportedQuery
from dalenius.escape import terminal
from dalenius.sql.engine import language

P = ParamSpec("P")
T = TypeVar("T")

_PLACE, _WORD = "dalenius words", "dalenius name"
_WIDEST = 100
"""Characters of a line that are shown."""
_WIDE = frozenset("WF")
_NAMED = re.compile(r"([A-Z_]{2,}[^;:]{0,60}?) (?:needs|has|takes|is|stands|counts|makes)\b")


@dataclass(frozen=True, slots=True)
class Words:
    """Some words of a query, and the number of their first character in it."""

    text: str
    start: int

    def __deepcopy__(self, memo: object) -> "Words":
        return self  # trees are copied often


def note_words(tree: exp.Expr, text: str) -> None:
    """Note beside each part of a tree which words of the text it was read from."""
    tokens = language.tokens(text)
    starts = {token.start: place for place, token in enumerate(tokens)}
    spans: dict[int, tuple[int, int]] = {}
    for node in reversed(list(tree.walk())):  # children come before their parents
        inside = [spans[id(child)] for child in node.iter_expressions() if id(child) in spans]
        own = node.meta.get("start"), node.meta.get("end")
        if own[0] is not None and own[1] is not None:
            inside.append((own[0], own[1] + 1))
            if isinstance(node, exp.Func):
                node.meta[_WORD] = text[own[0] : own[1] + 1].upper()
        if not inside:
            continue
        span = min(a for a, _ in inside), max(b for _, b in inside)
        if isinstance(node, exp.Func):
            span = _with_call(span, tokens, starts, own[0] is None)
            node.meta.setdefault(_WORD, _name_at(span[0], tokens, starts))
        elif isinstance(node, exp.Select):
            span = _from_select(span[0], tokens, starts), span[1]
        spans[id(node)] = a, b = span
        node.meta[_PLACE] = Words(text[a:b], a)


def _with_call(span: tuple[int, int], tokens: list[Token], starts: dict[int, int], unnamed: bool) -> tuple[int, int]:
    """The words of a function from its name to its closing parenthesis."""
    first = starts.get(span[0])
    if first is None:
        return span
    if unnamed and first >= 2 and tokens[first - 1].text == "(":
        first -= 2
    depth, end = 0, span[1]
    for token in tokens[first + 1 :]:
        depth += (token.text == "(") - (token.text == ")")
        if depth < 0 or (depth == 0 and token.text != ")"):
            break
        end = max(end, token.end + 1)
        if depth == 0:
            break
    return tokens[first].start, end


def _name_at(start: int, tokens: list[Token], starts: dict[int, int]) -> str | None:
    """The name of the function that is called there."""
    place = starts.get(start, len(tokens))
    called = [token.text for token in tokens[place : place + 2]]
    return called[0].upper() if called[1:] == ["("] and called[0].replace("_", "a").isalnum() else None


def _from_select(start: int, tokens: list[Token], starts: dict[int, int]) -> int:
    """Where the SELECT before these words stands."""
    place = starts.get(start, 0)
    before = [token for token in tokens[max(0, place - 3) : place] if token.text.upper() == "SELECT"]
    return before[-1].start if before else start


def name_of(node: exp.Expr) -> str | None:
    """What the analyst calls a function, where that is known; the parser may call it otherwise."""
    name = node.meta.get(_WORD)
    return name if isinstance(name, str) else None


def words_of(node: exp.Expr) -> Words | None:
    """The words that a part of the tree was read from, where they are known."""
    words = node.meta.get(_PLACE)
    return words if isinstance(words, Words) else None


def keep_words(new: exp.Expr, old: exp.Expr) -> exp.Expr:
    """A part that takes the place of another, with the words that the other was read from."""
    for name in (_PLACE, _WORD):
        if name in old.meta:
            new.meta[name] = old.meta[name]
    return new


def pointing(rule: Callable[P, T]) -> Callable[P, T]:
    """A rule that is given a part of the tree: what it refuses is about that part, unless it is about one inside."""

    @wraps(rule)
    def pointed(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return rule(*args, **kwargs)
        except DaleniusError as refusal:
            point_at(refusal, next((one for one in args if isinstance(one, exp.Expr)), None))
            raise

    return pointed


def point_at(refusal: DaleniusError, node: exp.Expr | None) -> None:
    """Note the part of the tree that a refusal is about, unless it is about one inside."""
    if refusal.about is None and node is not None:
        refusal.about = words_of(node)


def quoting(ask: Callable[P, T]) -> Callable[P, T]:
    """The end of the road: a call with a query, whose refusals quote the words of the query that they are about."""

    @wraps(ask)
    def asked(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return ask(*args, **kwargs)
        except DaleniusError as refusal:
            quote(refusal, next((one for one in (*args, *kwargs.values()) if isinstance(one, str)), ""))
            raise

    return asked


def quote(refusal: DaleniusError, query: str) -> None:
    """Complete a refusal by an excerpt of the query, once."""
    if refusal.about is False:
        return
    words = refusal.about or _first_words(refusal)
    if isinstance(words, Words) and (quoted := excerpt(query, words)):
        refusal.args = (f"{refusal.args[0]}\n{quoted}", *refusal.args[1:])
    refusal.about = False


def _first_words(refusal: DaleniusError) -> Words | None:
    """The construct that a message begins with, as `GROUP BY k` in "GROUP BY k needs public keys"."""
    about_text = isinstance(refusal, UnsupportedQuery | UnboundedQuery) and refusal.args
    match = _NAMED.match(str(refusal.args[0])) if about_text else None
    return Words(match[1], -1) if match else None


def excerpt(query: str, words: Words) -> str:
    """Line, column and the line itself with the words underlined; nothing if the query does not hold them."""
    span = _span_of(query, words)
    if span is None:
        return ""
    start, end = span
    line, first = query.count("\n", 0, start) + 1, query.rfind("\n", 0, start) + 1
    last = query.find("\n", start)
    last = len(query) if last < 0 else last
    end = min(end, last)
    left = max(first, start - _WIDEST // 2)
    right = min(last, max(left + _WIDEST, min(end, start + _WIDEST)))
    before, inside, after = query[left:start], query[start : min(end, right)], query[min(end, right) : right]
    shown = [terminal(piece.replace("\t", " ")) for piece in (before, inside, after)]
    dots = "…" if left > first else "", "…" if right < last else ""
    under = " " * _width(dots[0] + shown[0]) + "^" * max(1, _width(shown[1]))
    return f"line {line}, column {start - first + 1}:\n  {dots[0]}{''.join(shown)}{dots[1]}\n  {under}"


def _span_of(query: str, words: Words) -> tuple[int, int] | None:
    """Where the words stand in a query: where they were read, or first, however they are spaced and spelled."""
    if words.text and words.start >= 0 and query[words.start : words.start + len(words.text)] == words.text:
        return words.start, words.start + len(words.text)
    try:
        tokens, wanted = language.tokens(query), language.tokens(words.text)
    except SqlglotError:
        return None
    for size in dict.fromkeys((len(wanted), min(len(wanted), 1)) if words.start >= 0 else (len(wanted),)):
        for place in _places(tokens, wanted[:size]):
            span = tokens[place].start, tokens[place + size - 1].end + 1
            called = size == 1 and place + 1 < len(tokens) and tokens[place + 1].text == "("
            return _with_call(span, tokens, {span[0]: place}, unnamed=False) if called else span
    return None


def _places(tokens: list[Token], wanted: list[Token]) -> Iterator[int]:
    texts = [token.text.lower() for token in wanted]
    if not texts:
        return
    for place in range(len(tokens) - len(texts) + 1):
        if [token.text.lower() for token in tokens[place : place + len(texts)]] == texts:
            yield place


def _width(text: str) -> int:
    """The columns that a text takes on a terminal."""
    return sum(
        0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in _WIDE else 1
        for letter in text
    )
