import pytest

from dalenius import dbapi
from tests.dbapi.shop import QUERY, opened


def test_the_exceptions_are_attributes_of_a_connection(tmp_path):
    connection = opened(tmp_path)
    for name in ("Warning", "Error", "InterfaceError", "DatabaseError", "DataError", "OperationalError"):
        assert getattr(connection, name) is getattr(dbapi, name)
    for name in ("IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"):
        assert getattr(connection, name) is getattr(dbapi, name)


def test_neither_rollback_nor_close_refunds_a_charge(tmp_path):
    connection = opened(tmp_path, budget={"epsilon": 1500})
    connection.cursor().execute(QUERY)
    connection.commit()
    connection.rollback()
    assert connection.session.budget.epsilon == 500
    connection.close()
    assert opened(tmp_path, budget={"epsilon": 1500}).session.budget.epsilon == 500


def test_a_closed_connection_takes_no_more_questions(tmp_path):
    with opened(tmp_path) as connection:
        cursor = connection.cursor()
    for call in (connection.cursor, connection.commit, connection.rollback, lambda: cursor.execute(QUERY)):
        with pytest.raises(dbapi.InterfaceError, match="closed"):
            call()


@pytest.mark.parametrize("epsilon", [0, -1, "much"])
def test_a_bad_price_is_refused_at_once(tmp_path, epsilon):
    with pytest.raises(dbapi.ProgrammingError, match="epsilon"):
        opened(tmp_path, epsilon=epsilon)


def test_bad_terms_are_refused_as_pep_249_has_it(tmp_path):
    with pytest.raises(dbapi.ProgrammingError, match="contributions"):
        opened(tmp_path, unit="user_id", contributions=0)
    opened(tmp_path)
    with pytest.raises(dbapi.IntegrityError):
        opened(tmp_path, budget={"epsilon": 3})


def test_an_error_may_be_said_in_place_of_a_price(tmp_path):
    connection = opened(tmp_path, epsilon=None, within=0.5, of=10)
    cursor = connection.cursor().execute("SELECT COUNT(*) AS n FROM shop")
    assert cursor.release.accuracy(0.05) <= 5
    cursor.epsilon = 3
    assert cursor.execute("SELECT COUNT(*) AS n FROM shop").release.guarantee.epsilon(0) == 3
    with pytest.raises(dbapi.ProgrammingError, match="takes the place"):
        opened(tmp_path, epsilon=1, within=5)
