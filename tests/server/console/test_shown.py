from fractions import Fraction

from dalenius.curator import Measured, Outcome
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys
from dalenius.server.console.asking import stored_answer
from dalenius.server.console.shown import answer_table
from tests.server.hospital import COUNT


def test_numbers_are_rounded_to_their_error_and_keys_have_none(app):
    session = app.state.served.catalog._tables["visits"]
    release = session.sql(COUNT, epsilon=1)
    told = answer_table(release)
    assert told.columns == ["ward", "n"]
    assert [row[0].text for row in told.rows] == ["a", "b"]
    assert all(row[0].error is None and row[1].error is not None for row in told.rows)
    assert told.is_chart
    assert not answer_table(session.sql("SELECT COUNT(*) AS n FROM visits", epsilon=1)).is_chart


def test_a_stored_answer_says_how_many_rows_of_a_person_are_in_it(app, ledger):
    session = app.state.served.catalog._tables["visits"]
    session.sql(COUNT, epsilon=1)
    stored = stored_answer(session, ledger.entries("visits")[-1].hash)
    assert answer_table(stored).notes == [
        "± is noise only: what lies beyond the declared bounds is not in it, nor what one patient has beyond 2 rows."
    ]


def test_a_null_key_reads_null_on_a_page():
    answer = released(
        Outcome((Measured("n", (1, 2), Lattice(0), Geometric(Fraction(1))),), Keys("ward", ["NULL", None])),
        Receipt("visits", PureDP(1), Unit("patient"), "ab" * 32, 3),
    )
    assert [row[0].text for row in answer_table(answer).rows] == ["'NULL'", "NULL"]
