import pytest

from dalenius.errors import DaleniusError
from dalenius.sql.after import statements
from dalenius.sql.after.ask import AskTerms
from dalenius.sql.pricing.request import unprepared
from dalenius.sql.text.statement import read_statement
from tests.sql.after.world import session


def test_a_text_that_is_one_private_select_or_does_not_parse_is_left_to_the_language_for_tables(tmp_path):
    read = session(tmp_path)._statements.read
    for text in ("SELECT COUNT(*) FROM sales", "SELECT FROM (", "SELECT 1", "DELETE FROM sales", "SELECT * FROM sales"):
        assert read(read_statement(text), AskTerms(), unprepared) is None
    above = read(
        read_statement("SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM sales GROUP BY shop)"), AskTerms(), unprepared
    )
    assert len(above.split.parts) == 1


def test_a_statement_that_is_asked_again_is_split_once_and_after_a_new_view_anew(tmp_path, monkeypatch):
    db, calls = session(tmp_path), []
    split = statements.split
    monkeypatch.setattr(statements, "split", lambda *given: calls.append(given) or split(*given))
    text = "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM sales GROUP BY shop)"
    first = db.sql(text, epsilon=1)
    assert db.sql(text, epsilon=1).rows == first.rows
    db.sql(text, epsilon=2)
    assert len(calls) == 1
    db.sql("CREATE PRIVATE VIEW by_shop AS SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop", epsilon=1)
    db.sql(text, epsilon=1)
    assert len(calls) == 2


def test_what_is_remembered_of_a_view_goes_with_its_columns(tmp_path):
    db = session(tmp_path)
    above = "SELECT MAX(n) AS most FROM v"
    with pytest.raises(DaleniusError):
        db.sql(above)
    make = "VIEW v AS SELECT shop, COUNT(*) AS {} FROM sales GROUP BY shop"
    db.sql("CREATE PRIVATE " + make.format("n"), epsilon=1)
    largest = db.sql(above).rows
    assert largest == [(max(row[1] for row in db.sql("SELECT shop, n FROM v").rows),)]
    db.sql("CREATE OR REPLACE PRIVATE " + make.format("m"), epsilon=1)
    with pytest.raises(DaleniusError):
        db.sql(above)


def test_a_statement_is_split_anew_on_another_day(tmp_path, monkeypatch):
    db, calls = session(tmp_path), []
    split = statements.split
    monkeypatch.setattr(statements, "split", lambda *given: calls.append(given) or split(*given))
    text = "SELECT MAX(n) FROM (SELECT COUNT(*) AS n FROM sales GROUP BY shop)"
    for day in ("2024-01-01", "2024-01-02", "2024-01-02"):
        monkeypatch.setattr(type(db.policy), "today", property(lambda _, day=day: day))
        db._statements.read(read_statement(text), AskTerms(), unprepared)
    assert len(calls) == 2
