"""What a text says around its SELECT: the name of a private view, and BigQuery's options."""

from dataclasses import dataclass
from functools import lru_cache
from typing import NoReturn

from sqlglot import Token, TokenType
from sqlglot.errors import SqlglotError

from dalenius.errors import InvalidParameter, InvalidSyntax, MixedRelations
from dalenius.neighbors import Unit
from dalenius.numerics import Number, positive, probability
from dalenius.sql.engine import language
from dalenius.sql.text.parse import LONGEST, REMEMBERED, SHORT

VIEW = "CREATE [OR REPLACE] PRIVATE VIEW name AS SELECT …"
OPTIONS = "SELECT WITH DIFFERENTIAL_PRIVACY OPTIONS(epsilon = …, delta = …, privacy_unit_column = …) …"
_TAKEN = ("epsilon", "delta", "privacy_unit_column")
_NAMES = (TokenType.VAR, TokenType.IDENTIFIER)


@dataclass(frozen=True, slots=True)
class Statement:
    """A SELECT, the view that is to keep its answer, and what the text itself says of its price.

    `delta` is the most that may be spent: a purely private answer spends none of it.
    """

    select: str
    view: str | None = None
    replaces: bool = False
    epsilon: str | None = None
    delta: str | None = None
    unit: str | None = None

    def price(self, epsilon: Number | None) -> Number:
        """The ε to pay: the caller's or the text's; if both are given they must be one number."""
        if epsilon is None and self.epsilon is None:
            raise InvalidParameter(
                "an answer has a price: give epsilon, or within, how far off it may be; or write OPTIONS(epsilon = …)"
            )
        if self.epsilon is None:
            assert epsilon is not None
            return epsilon
        written = positive(self.epsilon, "epsilon")
        if epsilon is not None and positive(epsilon, "epsilon") != written:
            raise InvalidParameter(f"epsilon is {epsilon} in the call and {self.epsilon} in OPTIONS: give one of them")
        return written

    def check_delta(self) -> None:
        """The δ that the text allows must be a probability; answers over public keys need, and spend, none of it."""
        if self.delta is not None:
            probability(self.delta, "delta")

    def check_unit(self, unit: Unit) -> None:
        """The column that the text protects must be the policy's: an analyst cannot choose another."""
        if self.unit is not None and (unit.column is None or self.unit.lower() != unit.column.lower()):
            raise MixedRelations(f"this data protects {unit}; privacy_unit_column = {self.unit} protects another")


def read_statement(text: str) -> Statement:
    """The text without its prefixes; a text that has none, or that is none, is left for the parser to judge."""
    return _remembered(text) if isinstance(text, str) and len(text) <= SHORT else _read(text)


def _read(text: str) -> Statement:
    tokens = _tokens(text)
    view, replaces, start = _view(text, tokens)
    words = tokens[start:]
    asked = _asked(words)
    if asked is None:
        select = text if view is None else text[words[0].start :] if words else ""
        return Statement(select, view, replaces)
    given, end = _options(words[asked:])
    before = text[words[0].start : words[asked].start]
    return Statement(
        f"{before}SELECT {text[words[asked + end].end + 1 :]}",
        view,
        replaces,
        given.get("epsilon"),
        given.get("delta"),
        given.get("privacy_unit_column"),
    )


_remembered = lru_cache(maxsize=REMEMBERED)(_read)


def _asked(words: list[Token]) -> int | None:
    """The place of SELECT WITH DIFFERENTIAL_PRIVACY: at the start, or after the subqueries that WITH names."""
    texts, depth = [token.text.upper() for token in words], 0
    for place, token in enumerate(words):
        depth += (token.token_type is TokenType.L_PAREN) - (token.token_type is TokenType.R_PAREN)
        if depth == 0 and texts[place : place + 3] == ["SELECT", "WITH", "DIFFERENTIAL_PRIVACY"]:
            return place if place == 0 or texts[0] == "WITH" else None
    return None


def _tokens(text: str) -> list[Token]:
    if not isinstance(text, str) or len(text) > LONGEST or any("\ud800" <= letter <= "\udfff" for letter in text):
        return []
    try:
        return language.tokens(text)
    except SqlglotError:
        return []


def _view(text: str, tokens: list[Token]) -> tuple[str | None, bool, int]:
    """The view's name, whether it replaces another, and where the SELECT starts."""
    words = [token.text.upper() for token in tokens[:7]]
    replaces = words[:3] == ["CREATE", "OR", "REPLACE"]
    start = 3 if replaces else 1
    if words[:1] != ["CREATE"] or words[start : start + 2] != ["PRIVATE", "VIEW"]:
        return None, False, 0
    name = tokens[start + 2 : start + 3]
    if not name or name[0].token_type not in _NAMES or words[start + 3 : start + 4] != ["AS"]:
        raise InvalidSyntax(f"a private view is made by {VIEW}")
    return name[0].text, replaces, start + 4


def _options(words: list[Token]) -> tuple[dict[str, str], int]:
    """What OPTIONS(…) says, and the number of its closing parenthesis."""
    if len(words) < 5 or words[3].text.upper() != "OPTIONS" or words[4].token_type is not TokenType.L_PAREN:
        _refuse()
    given: dict[str, str] = {}
    place = 5
    while True:
        name, value, place = _option(words, place)
        if name not in _TAKEN:
            raise InvalidParameter(f"OPTIONS takes {', '.join(_TAKEN)}, got {name[:40]!r}: the owner declares the rest")
        if name in given:
            raise InvalidParameter(f"OPTIONS gives {name} twice")
        given[name] = value
        if place < len(words) and words[place].token_type is TokenType.R_PAREN:
            return given, place
        if place >= len(words) or words[place].token_type is not TokenType.COMMA:
            _refuse()
        place += 1


def _option(words: list[Token], place: int) -> tuple[str, str, int]:
    """`name = number` or `name = column`, perhaps `table.column`; and where it ends."""
    if len(words) < place + 3 or words[place + 1].token_type is not TokenType.EQ:
        _refuse()
    name, value = words[place].text.lower(), words[place + 2]
    end = place + 3
    if name != "privacy_unit_column":
        if name in _TAKEN and value.token_type is not TokenType.NUMBER:
            _refuse()
        return name, value.text, end
    if len(words) > end + 1 and words[end].token_type is TokenType.DOT:
        value, end = words[end + 1], end + 2
    if value.token_type not in _NAMES:
        _refuse()
    return name, value.text, end


def _refuse() -> NoReturn:
    raise InvalidSyntax(f"options are written {OPTIONS}")
