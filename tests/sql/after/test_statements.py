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
