import duckdb
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet as pq
import pytest

import dalenius
from dalenius.errors import LedgerMismatch
from dalenius.ledger import Ledger
from dalenius.sql.policy.policy import Policy

VISITS = pa.table({"user_id": range(100)})
PURCHASES = pa.table({"user_id": range(50), "x": [1.0] * 50})


@pytest.fixture
def connect(tmp_path):
    pq.write_table(VISITS, tmp_path / "visits.parquet")

    def opened(data, **terms):
        terms = {"unit": "user_id", "contributions": 1, "ledger": tmp_path / "shop.ledger"} | terms
        return dalenius.connect(data, **terms)

    return opened


def test_a_table_of_another_data_set_is_refused_and_nothing_is_granted(connect, tmp_path):
    """It was answered at ε = 50, though its own data set had 1 of 1 left."""
    connect(VISITS, table="visits", budget={"epsilon": 1})
    with pytest.raises(LedgerMismatch, match="dataset='visits'"):
        connect(PURCHASES, table="purchases", budget={"epsilon": 100}, tables={"visits": VISITS})
    assert Ledger.open(tmp_path / "shop.ledger").datasets() == ["visits"]


def test_a_file_of_another_data_set_is_refused_under_every_alias(connect, tmp_path):
    file = tmp_path / "visits.parquet"
    connect(file, budget={"epsilon": 1})
    (tmp_path / "link.parquet").symlink_to(file)
    (tmp_path / "other.parquet").hardlink_to(file)
    for place in (file, tmp_path / "link.parquet", tmp_path / "other.parquet"):
        with pytest.raises(LedgerMismatch):
            connect(PURCHASES, table="purchases", budget={"epsilon": 100}, tables={"seen": place})
        with pytest.raises(LedgerMismatch):
            connect(place, table="seen", budget={"epsilon": 100})
        for dataset in ("visits", "purchases"):
            terms = {"dataset": dataset, "budget": {"epsilon": 1}, "public": {"seen": place}}
            with pytest.raises(LedgerMismatch, match="not public"):
                connect(PURCHASES, table="purchases", **terms)


def test_a_private_csv_is_not_public(connect, tmp_path):
    pyarrow.csv.write_csv(VISITS, tmp_path / "calls.csv")
    connect(tmp_path / "calls.csv", columns={"user_id": "BIGINT"}, budget={"epsilon": 1})
    with pytest.raises(LedgerMismatch, match="not public"):
        connect(PURCHASES, table="purchases", budget={"epsilon": 1}, public={"seen": tmp_path / "calls.csv"})


def test_the_alias_under_which_a_session_reads_a_table_belongs_to_its_data_set(connect, tmp_path):
    connect(PURCHASES, table="purchases", budget={"epsilon": 1}, tables={"seen": tmp_path / "visits.parquet"})
    with pytest.raises(LedgerMismatch, match="dataset='purchases'"):
        connect(tmp_path / "visits.parquet", budget={"epsilon": 100})
    with pytest.raises(LedgerMismatch, match="dataset='purchases'"):
        connect(VISITS, table="seen", budget={"epsilon": 100})


def test_all_tables_of_a_population_draw_on_one_budget(connect):
    people = {"dataset": "people", "budget": {"epsilon": 1000}}
    visits = connect(VISITS, table="visits", **people)
    both = connect(PURCHASES, table="purchases", tables={"visits": VISITS}, **people)
    assert visits.dataset == both.dataset == "people"
    assert round(visits.sql("SELECT COUNT(*) FROM visits", epsilon=300).value) == 100  # P[noise] < e^−140
    assert round(both.sql("SELECT COUNT(*) FROM purchases", epsilon=300).value) == 50, "another question"
    assert float(visits.budget.epsilon) == float(both.budget.epsilon) == 400
    assert visits.ledger.tables("people") == ["purchases", "visits"]


def test_two_first_tables_of_one_population_never_share_an_answer(connect):
    """The engine calls every first table alike, so the statements are the same text."""
    people = {"dataset": "people", "budget": {"epsilon": 1000}}
    for table, data, rows in (("visits", VISITS, 100), ("purchases", PURCHASES, 50), ("people", VISITS, 100)):
        assert (
            round(connect(data, table=table, **people).sql(f"SELECT COUNT(*) FROM {table}", epsilon=300).value) == rows
        )


def test_tables_of_one_database_file_may_be_of_different_people(connect, tmp_path):
    with duckdb.connect(str(tmp_path / "all.duckdb")) as database:
        database.execute("CREATE TABLE staff AS SELECT 1 AS user_id; CREATE TABLE guests AS SELECT 2 AS user_id")
    for table in ("staff", "guests"):
        connect(tmp_path / "all.duckdb", table=table, budget={"epsilon": 1})
    with pytest.raises(LedgerMismatch):
        connect(tmp_path / "all.duckdb", table="staff", dataset="others", budget={"epsilon": 1})


def test_a_policy_names_its_population(connect, tmp_path):
    policy = Policy.declare(
        *("visits", {"user_id": "BIGINT"}),
        **{"unit": "user_id", "contributions": 1, "budget": {"epsilon": 1}},
        **{"source": "visits.parquet", "dataset": "people"},
    )
    policy.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml") == policy
    session = dalenius.connect(policy=tmp_path / "policy.toml", ledger=tmp_path / "shop.ledger")
    assert session.dataset == "people"
    with pytest.raises(dalenius.errors.InvalidParameter, match="policy says what dataset is"):
        dalenius.connect(policy=tmp_path / "policy.toml", ledger=tmp_path / "shop.ledger", dataset="others")
    for wrong in ("", 3):
        with pytest.raises(dalenius.errors.InvalidParameter, match="dataset must name"):
            connect(VISITS, table="visits", dataset=wrong, budget={"epsilon": 1})


def test_an_answer_on_one_clock_is_no_answer_on_another(tmp_path):
    """The statement is the same on both, and the answer of the first was handed out for the second."""
    instants = tmp_path / "visits.csv"
    hours = "".join(f"{person},2024-03-01 {person % 24:02d}:00:00Z\n" for person in range(2400))
    instants.write_text("user_id,seen\n" + hours)
    question = "SELECT COUNT(*) FROM visits WHERE seen < TIMESTAMP '2024-03-01 12:00:00'"

    def asked(**formats):
        terms = {"unit": "user_id", "contributions": 1, "ledger": tmp_path / "ledger", "budget": {"epsilon": 1000}}
        columns = {"user_id": "BIGINT", "seen": "TIMESTAMP"}
        with dalenius.connect(instants, columns=columns, formats=formats, **terms) as session:
            before = session.budget.epsilon
            return round(float(session.sql(question, epsilon=100))), before - session.budget.epsilon

    tokyo, utc = ({"visits": {"zones": {"seen": zone}}} for zone in ("Asia/Tokyo", "UTC"))
    assert asked(**utc) == (1200, 100)
    assert asked(**tokyo) == (300, 100)
    assert asked() == (1200, 100)
    assert [asked(**formats)[1] for formats in (utc, tokyo, {})] == [0, 0, 0]


def test_an_answer_of_a_file_read_in_one_way_is_no_answer_of_it_read_in_another(tmp_path):
    """A day before a month, or after it: the statement is the same, and the rows are others."""
    days = tmp_path / "visits.csv"
    days.write_text("user_id,seen\n" + "".join(f"{person},02/01/2024\n" for person in range(1000)))
    question = "SELECT COUNT(*) FROM visits WHERE seen < '2024-01-15'"

    def asked(written):
        terms = {"unit": "user_id", "contributions": 1, "ledger": tmp_path / "ledger", "budget": {"epsilon": 1000}}
        columns, formats = {"user_id": "BIGINT", "seen": "DATE"}, {"visits": {"dates": written}}
        with dalenius.connect(days, columns=columns, formats=formats, **terms) as session:
            before = session.budget.epsilon
            return round(float(session.sql(question, epsilon=100))), before - session.budget.epsilon

    assert asked("%d/%m/%Y") == (1000, 100)
    assert asked("%m/%d/%Y") == (0, 100)
    assert [asked(written)[1] for written in ("%d/%m/%Y", "%m/%d/%Y")] == [0, 0]
