"""What people keep on their desk: saved questions, and dashboards of them, in a file beside the ledger.

Nothing here is a charge, an answer or a decision: those are the ledger's, and its chain is the truth of them. A tile
names the receipt under which its last answer is stored; whether somebody may see that is asked of the ledger each time.
So who loses this file has lost titles and texts, and who changes it changes no budget.

It also keeps which logins of the console were ended by their owners, until the cookies of them would end by themselves:
all servers of one ledger share the file, so a cookie that was signed out on one is refused on every other.
"""

import json
import os
import secrets
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from dalenius.errors import InvalidParameter, LedgerUnavailable, UnknownName
from dalenius.sql import LONGEST

MOST_SAVED, MOST_BOARDS, MOST_TILES, LONGEST_TITLE = 200, 50, 20, 200
_BUSY_SECONDS = 10
_TABLE = """CREATE TABLE IF NOT EXISTS kept
(kind TEXT, place TEXT, who TEXT, id TEXT, body TEXT NOT NULL, PRIMARY KEY (kind, place, who, id)) STRICT"""
_QUESTION, _BOARD, _ENDED = "question", "dashboard", "ended login"


@dataclass(frozen=True, slots=True)
class SavedQuestion:
    """A question with its terms as they were typed; a tile also has the receipt of its last answer, if there is one."""

    id: str
    title: str
    sql: str
    epsilon: str
    delta: str
    receipt: str | None = None

    @classmethod
    def of(cls, title: str, sql: str, epsilon: str, delta: str) -> "SavedQuestion":
        """A new one, or a refusal of what is too long or empty."""
        named = title.strip() or " ".join(sql.split())[:60]
        if not sql.strip():
            raise InvalidParameter("write a question before it is saved")
        if len(named) > LONGEST_TITLE or len(sql) > LONGEST or max(len(epsilon), len(delta)) > 100:
            raise InvalidParameter(f"a title may have {LONGEST_TITLE} characters, and a question {LONGEST}")
        return cls(secrets.token_hex(16), named, sql, epsilon.strip(), delta.strip())


@dataclass(frozen=True, slots=True)
class Dashboard:
    """Questions under one title."""

    id: str
    title: str
    tiles: tuple[SavedQuestion, ...] = ()

    def tile(self, id_: str) -> SavedQuestion:
        """One of its questions."""
        wanted = next((tile for tile in self.tiles if tile.id == id_), None)
        if wanted is None:
            raise UnknownName("there is no such question on this dashboard")
        return wanted


class Desk:
    """The desks of all people, each by the table that is asked and the name of who asks."""

    def __init__(self, file: Path) -> None:
        self._file = file

    def questions(self, table: str, who: str) -> list[SavedQuestion]:
        """What somebody has saved, by title."""
        every = [SavedQuestion(**json.loads(body)) for body in self._bodies(_QUESTION, table, who)]
        return sorted(every, key=lambda one: (one.title, one.id))

    def save(self, table: str, who: str, question: SavedQuestion) -> None:
        """Keep a question."""
        with self._writing() as rows:
            _check_room(rows, _QUESTION, table, who, MOST_SAVED)
            _put(rows, _QUESTION, table, who, question.id, asdict(question))

    def forget(self, table: str, who: str, id_: str) -> None:
        """Keep a question no more."""
        self._delete(_QUESTION, table, who, id_)

    def dashboards(self, table: str, who: str) -> list[Dashboard]:
        """The dashboards that somebody has made, by title."""
        every = [_board(body) for body in self._bodies(_BOARD, table, who)]
        return sorted(every, key=lambda one: (one.title, one.id))

    def dashboard(self, table: str, who: str, id_: str) -> Dashboard:
        """One of somebody's dashboards."""
        wanted = next((one for one in self.dashboards(table, who) if one.id == id_), None)
        if wanted is None:
            raise UnknownName("there is no such dashboard")
        return wanted

    def make(self, table: str, who: str, title: str) -> Dashboard:
        """A new dashboard, without questions."""
        if not 1 <= len(title.strip()) <= LONGEST_TITLE:
            raise InvalidParameter(f"a dashboard needs a title of at most {LONGEST_TITLE} characters")
        made = Dashboard(secrets.token_hex(16), title.strip())
        with self._writing() as rows:
            _check_room(rows, _BOARD, table, who, MOST_BOARDS)
            _put(rows, _BOARD, table, who, made.id, asdict(made))
        return made

    def remove(self, table: str, who: str, id_: str) -> None:
        """Throw a dashboard away; answers and pages that were published of it stay."""
        self._delete(_BOARD, table, who, id_)

    def add_tile(self, table: str, who: str, id_: str, question: SavedQuestion) -> None:
        """Put a question on a dashboard, as a copy with a name of its own."""
        copy = replace(question, id=secrets.token_hex(16))

        def added(board: Dashboard) -> Dashboard:
            if len(board.tiles) >= MOST_TILES:
                raise InvalidParameter(f"a dashboard has at most {MOST_TILES} questions")
            return replace(board, tiles=(*board.tiles, copy))

        self._change(table, who, id_, added)

    def drop_tile(self, table: str, who: str, id_: str, tile: str) -> None:
        """Take a question off a dashboard."""
        self._change(
            table, who, id_, lambda board: replace(board, tiles=tuple(one for one in board.tiles if one.id != tile))
        )

    def note_answer(self, table: str, who: str, id_: str, tile: str, receipt: str) -> None:
        """Remember under which receipt the last answer of a question is stored."""
        self._change(
            table,
            who,
            id_,
            lambda board: replace(
                board, tiles=tuple(replace(one, receipt=receipt) if one.id == tile else one for one in board.tiles)
            ),
        )

    def end_login(self, fingerprint: str, number: str, end: int, now: float) -> None:
        """Let a login open nothing any more; one whose cookie has ended by itself is forgotten."""
        with self._writing() as rows:
            rows.execute("DELETE FROM kept WHERE kind = ? AND CAST(body AS INTEGER) <= ?", (_ENDED, int(now)))
            rows.execute(
                "INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", (_ENDED, "", fingerprint, number, str(end))
            )

    def has_ended(self, fingerprint: str, number: str) -> bool:
        """Whether somebody has signed out of a login."""
        if not self._file.exists():
            return False
        with self._faults(), closing(self._opened()) as rows:
            asked = "SELECT 1 FROM kept WHERE kind = ? AND place = '' AND who = ? AND id = ?"
            return rows.execute(asked, (_ENDED, fingerprint, number)).fetchone() is not None

    def _change(self, table: str, who: str, id_: str, change: Callable[[Dashboard], Dashboard]) -> None:
        with self._writing() as rows:
            asked = "SELECT body FROM kept WHERE kind = ? AND place = ? AND who = ? AND id = ?"
            row = rows.execute(asked, (_BOARD, table, who, id_)).fetchone()
            if row is None:
                raise UnknownName("there is no such dashboard")
            _put(rows, _BOARD, table, who, id_, asdict(change(_board(row[0]))))

    def _delete(self, kind: str, table: str, who: str, id_: str) -> None:
        with self._writing() as rows:
            rows.execute(
                "DELETE FROM kept WHERE kind = ? AND place = ? AND who = ? AND id = ?", (kind, table, who, id_)
            )

    def _bodies(self, kind: str, table: str, who: str) -> list[str]:
        if not self._file.exists():
            return []
        with self._faults(), closing(self._opened()) as rows:
            asked = "SELECT body FROM kept WHERE kind = ? AND place = ? AND who = ?"
            return [row[0] for row in rows.execute(asked, (kind, table, who))]

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with self._faults(), closing(self._opened()) as rows:
            rows.execute("BEGIN IMMEDIATE")
            yield rows
            rows.execute("COMMIT")

    def _opened(self) -> sqlite3.Connection:
        if not self._file.exists():  # for its owner alone: questions and names stand in it
            os.close(os.open(self._file, os.O_CREAT | os.O_RDWR, 0o600))
        rows = sqlite3.connect(self._file, timeout=_BUSY_SECONDS, isolation_level=None)
        rows.execute(_TABLE)
        return rows

    @contextmanager
    def _faults(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.DatabaseError, OSError, json.JSONDecodeError, TypeError):
            raise LedgerUnavailable("saved questions cannot be read or written now; no budget is touched") from None


def _board(body: str) -> Dashboard:
    words = json.loads(body)
    return Dashboard(words["id"], words["title"], tuple(SavedQuestion(**tile) for tile in words["tiles"]))


def _check_room(rows: sqlite3.Connection, kind: str, table: str, who: str, most: int) -> None:
    asked = "SELECT COUNT(*) FROM kept WHERE kind = ? AND place = ? AND who = ?"
    if rows.execute(asked, (kind, table, who)).fetchone()[0] >= most:
        raise InvalidParameter(f"at most {most} are kept for each table: delete one first")


def _put(rows: sqlite3.Connection, kind: str, table: str, who: str, id_: str, body: dict[str, object]) -> None:
    rows.execute("INSERT OR REPLACE INTO kept VALUES (?, ?, ?, ?, ?)", (kind, table, who, id_, json.dumps(body)))
