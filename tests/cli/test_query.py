import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.errors import BudgetExceeded, DaleniusError, InvalidParameter, LedgerLocked, UnsupportedQuery
from dalenius.ledger import Ledger, new_encryption_key

QUESTION = "SELECT category, COUNT(*) AS n, AVG(amount) AS mean FROM purchases GROUP BY category"
TERMS = ["--unit", "user_id", "--contributions", "5", "--bounds", "amount=0:200", "--keys", "category=food,toys"]
MORE = ["--epsilon", "0.1", "--budget", "1"]
ROWS = {
    "user_id": [1, 1, 2, 3, None],
    "category": ["food", "toys", "food", "food", "food"],
    "amount": [1.0, 250.0, 3.5, None, 2.0],
    "zip": ["01", "02", "01", "01", "1"],
}
CSV = "user_id,category,amount,zip\n1,food,1.0,01\n1,toys,250,02\n2,food,odd,01\n"
TYPES = ["--column", "user_id=BIGINT", "--column", "category=VARCHAR", "--column", "amount=double"]
POLICY = """
table = "purchases"
source = "purchases.parquet"
unit = "user_id"
contributions = 5
[budget]
epsilon = 1
[columns]
user_id = "BIGINT"
category = "VARCHAR"
amount = "DOUBLE"
[keys]
category = ["food", "toys"]
[bounds]
amount = [0, 200]
"""


@pytest.fixture
def folder(tmp_path):
    pq.write_table(pa.table(ROWS), tmp_path / "purchases.parquet")
    (tmp_path / "purchases.csv").write_text(CSV, encoding="utf-8")
    (tmp_path / "policy.toml").write_text(POLICY, encoding="utf-8")
    return tmp_path


def ask(*words):
    return CliRunner().invoke(app, ["query", *map(str, words)])


def test_a_table_with_error_cost_and_what_is_left(folder):
    done = ask(folder / "purchases.parquet", *TERMS, *MORE, QUESTION)
    assert done.exit_code == 0
    assert "food" in done.output
    assert "± 95 %" in done.output
    assert "cost ε = 0.1; left: ε = 0.9" in done.output
    assert "left: ε = 0.9" in done.output
    assert Ledger.open(folder / "purchases.ledger").datasets() == ["purchases"]


def test_the_budget_is_granted_once_and_kept_beside_the_file(folder):
    file = folder / "purchases.parquet"
    with pytest.raises(InvalidParameter, match="grants a --budget once"):
        raise ask(file, *TERMS, "--epsilon", "0.1", QUESTION).exception
    assert ask(file, *TERMS, *MORE, QUESTION).exit_code == 0
    again = ask(file, *TERMS, "--epsilon", "0.2", QUESTION)
    assert "left: ε = 0.7" in again.output
    with pytest.raises(BudgetExceeded):
        raise ask(file, *TERMS, "--epsilon", "0.8", QUESTION).exception


def test_json_and_csv_hold_nothing_else(folder):
    rows = json.loads(ask(folder / "purchases.parquet", *TERMS, *MORE, "--json", QUESTION).stdout)["rows"]
    assert [row["category"] for row in rows] == ["food", "toys"]
    lines = ask(folder / "purchases.parquet", *TERMS, *MORE, "--csv", QUESTION).stdout.splitlines()
    assert lines[0] == "category,n,n_lower,n_upper,mean,mean_lower,mean_upper"
    assert len(lines) == 3


def test_a_csv_is_read_with_declared_types(folder):
    done = ask(folder / "purchases.csv", *TYPES, *TERMS, *MORE, QUESTION)
    assert done.exit_code == 0, done.exception
    with pytest.raises(InvalidParameter, match="has no types"):
        raise ask(folder / "purchases.csv", *TERMS, *MORE, QUESTION).exception


def test_a_key_has_the_type_of_its_column(folder):
    def keys_of(column, keys):
        more = ["--keys", f"{column}={keys}", "--unit", "row", *MORE, "--ledger", folder / "rows.ledger", "--json"]
        question = f"SELECT {column} AS k, COUNT(*) FROM purchases GROUP BY {column}"
        return [row["k"] for row in json.loads(ask(folder / "purchases.parquet", *more, question).stdout)["rows"]]

    assert keys_of("zip", "01,02") == ["01", "02"]
    assert keys_of("ZIP", "1,02") == ["1", "02"]
    assert keys_of("user_id", "1,02") == [1, 2]
    assert keys_of("amount", "1,2.5") == [1, 2.5]
    assert keys_of("category", '"a, b",c') == ["a, b", "c"]


def test_a_key_that_its_column_cannot_hold_is_refused(folder):
    more = ["--keys", "user_id=one", "--unit", "row", *MORE]
    with pytest.raises(InvalidParameter, match="'one' cannot be one of its keys"):
        raise ask(folder / "purchases.parquet", *more, "SELECT COUNT(*) FROM purchases").exception


@pytest.mark.parametrize(
    "wrong",
    [
        *(["--keys", keys] for keys in ("sex", "=a", "sex=")),
        *(["--bounds", bounds] for bounds in ("amount", "amount=5", "amount=:5", "amount=1:")),
        ["--column", "amount"],
        ["--keys", "zip=1", "--keys", "zip=2"],
        ["one question", "and another"],
    ],
)
def test_options_written_wrongly_are_misuse(folder, wrong):
    assert ask(folder / "purchases.parquet", *wrong, "--unit", "row", *MORE, QUESTION).exit_code == 2


def test_a_refusal_is_passed_on_before_anything_is_charged(folder):
    done = ask(folder / "purchases.parquet", *TERMS, *MORE, "SELECT * FROM purchases")
    assert isinstance(done.exception, UnsupportedQuery)
    assert Ledger.open(folder / "purchases.ledger").entries("purchases") == []


@pytest.mark.parametrize("missing", [["--unit", "row"], ["--policy", "nowhere.toml"], []])
def test_what_is_missing_is_said(folder, missing):
    done = ask(*missing, *MORE, QUESTION)
    assert isinstance(done.exception, InvalidParameter)


def test_an_analyst_asks_by_the_policy_alone(folder):
    done = ask("--policy", folder / "policy.toml", "--epsilon", "0.1", QUESTION)
    assert done.exit_code == 0, done.exception
    assert "left: ε = 0.9" in done.output
    again = ask(folder / "purchases.parquet", "--policy", folder / "policy.toml", "--epsilon", "0.3", QUESTION)
    assert "left: ε = 0.6" in again.output


@pytest.mark.parametrize(
    "term",
    [
        *(["--unit", "row"], ["--budget", "9"], ["--bounds", "amount=0:1"], ["--keys", "category=a"]),
        *(["--contributions", "1"], ["--column", "amount=DOUBLE"], ["--fill", "amount=0"], ["--table", "t"]),
    ],
)
def test_an_analyst_changes_no_term_of_the_owners(folder, term):
    done = ask("--policy", folder / "policy.toml", *term, "--epsilon", "0.1", QUESTION)
    assert isinstance(done.exception, InvalidParameter)
    assert "only the owner changes it" in str(done.exception)
    assert not (folder / "purchases.ledger").exists()


def test_a_share_pays_for_its_analyst_and_no_key_draws_again(folder):
    book = Ledger.open(folder / "purchases.ledger")
    book.create("purchases", 1, unit="user_id")
    book.share("purchases", "ana", 0.2)
    said = ["--policy", folder / "policy.toml", "--analyst", "ana", "--epsilon", "0.2", "--key", "March", "--json"]
    first, again = ask(*said, QUESTION), ask(*said, QUESTION)
    assert json.loads(first.stdout) == json.loads(again.stdout)
    said[said.index("March")] = "April"
    assert json.loads(ask(*said, QUESTION).stdout) == json.loads(first.stdout)
    assert isinstance(ask(*said, QUESTION.replace("COUNT(*)", "COUNT(*) + 1")).exception, BudgetExceeded)


@pytest.fixture
def cities(tmp_path):
    rows = {"person": list(range(900)), "city": ["Lund"] * 500 + ["Umeå"] * 399 + ["Visby"], "age": [20.0] * 900}
    pq.write_table(pa.table(rows), tmp_path / "people.parquet")
    terms = ["--unit", "person", "--contributions", "1", "--bounds", "age=0:100", "--epsilon", "2"]
    return [tmp_path / "people.parquet", *terms, "--budget", "10", "--budget-delta", "0.01"]


BY_CITY = "SELECT city, COUNT(*) AS n, MEDIAN(age) AS m FROM people GROUP BY city"


def test_unknown_keys_are_found_at_the_price_of_delta(cities):
    done = ask(*cities, "--delta", "1e-6", "--groups", "1", "--min-units", "50", "--json", BY_CITY)
    assert done.exit_code == 0, done.exception
    assert [row["city"] for row in json.loads(done.stdout)["rows"]] == ["Lund", "Umeå"]
    by_default = ask(*cities, "--profile", "100", "--min-units", "450", "--json", BY_CITY)
    assert [row["city"] for row in json.loads(by_default.stdout)["rows"]] == ["Lund"]


def test_a_delta_that_the_budget_lacks_is_refused(folder):
    done = ask(folder / "purchases.parquet", *TERMS, *MORE, "--delta", "1e-6", QUESTION)
    assert isinstance(done.exception, DaleniusError)
    assert Ledger.open(folder / "purchases.ledger").entries("purchases") == []


@pytest.mark.parametrize(("name", "start"), [("out.png", b"\x89PNG"), ("out.html", b"<!DOCTYPE"), ("out.svg", b"<svg")])
def test_the_answer_is_drawn_and_told(folder, name, start):
    done = ask(folder / "purchases.parquet", *TERMS, *MORE, "--chart", folder / name, QUESTION)
    assert done.exit_code == 0, done.exception
    assert "food" in done.output
    assert (folder / name).read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["out.gif", "out", "nowhere/out.png"])
def test_a_chart_that_cannot_be_written_is_refused_before_the_charge(folder, name):
    done = ask(folder / "purchases.parquet", *TERMS, *MORE, "--chart", folder / name, QUESTION)
    assert isinstance(done.exception, InvalidParameter)
    assert not (folder / "purchases.ledger").exists()


def test_an_answer_that_no_chart_fits_is_told_all_the_same(folder):
    said = [*TERMS, *MORE, "--chart", folder / "out.png", "SELECT COUNT(*) AS n FROM purchases"]
    done = ask(folder / "purchases.parquet", *said)
    assert isinstance(done.exception, InvalidParameter)
    assert "left: ε = 0.9" in done.output


def test_an_error_may_be_said_in_place_of_a_price(folder):
    file, count = folder / "purchases.parquet", "SELECT COUNT(*) AS n FROM purchases"
    done = ask(file, *TERMS, "--budget", "1", "--within", "100", count)
    assert "cost ε = 0.149787" in done.output  # 5 · ln 20 / 100, rounded up
    again = ask(file, *TERMS, "--within", "0.01", "--of", "10000", count)
    assert "left: ε = 0.850213" in again.output
    rounds = ask(file, *TERMS, "--within", "5%", "--max-epsilon", "0.5", "--json", count)
    assert json.loads(rounds.stdout)["release"]["outcome"]["notes"]["rounds"]["stopped"] == "max_epsilon"
    for wrong in (["--within", "5%"], ["--of", "3"], []):
        with pytest.raises(InvalidParameter):
            raise ask(file, *TERMS, *wrong, count).exception


def test_without_contributions_they_are_found_and_the_bias_is_told(folder):
    rows = {"user_id": [i // 8 for i in range(4000)], "category": ["food"] * 4000, "amount": [1.0] * 4000}
    pq.write_table(pa.table(rows), folder / "purchases.parquet")
    file, count = folder / "purchases.parquet", "SELECT COUNT(*) AS n FROM purchases"
    done = ask(file, "--unit", "user_id", "--budget", "100", "--profile", "2", "--epsilon", "0.02", count)
    assert "left: ε = 97.98" in done.output
    assert "paid besides, once for all questions: ε = 2" in done.output
    assert "bounding cuts off" in done.output
    if "people own more than" in " ".join(done.output.split()):  # some may be unseen
        assert "bounding cuts off at least" in done.output
        assert "or further" in done.output
    told = json.loads(ask(file, "--unit", "user_id", "--epsilon", "1", "--json", count).stdout)
    assert list(told["bias"]) == ["n"]
    assert list(told["rows"][0]) == ["n", "n_lower", "n_upper"]


def test_a_question_is_requested_approved_and_answered_on_the_command_line(folder):
    policy = ["--policy", folder / "policy.toml", "--epsilon", "0.5", QUESTION]
    book = folder / "purchases.ledger"
    assert ask(*policy[:2], "--epsilon", "0.1", QUESTION).exit_code == 0  # the owner's, which makes the ledger
    run = CliRunner().invoke
    run(app, ["budget", "share", str(book), "purchases", "ana", "--epsilon", "0.01"])
    assert isinstance(ask(*policy, "--analyst", "ana").exception, BudgetExceeded)
    told = ask(*policy, "--analyst", "ana", "--request", "--purpose", "a thesis").output
    assert told.startswith("requested: ")
    listed = run(app, ["budget", "requests", str(book), "purchases"]).output
    assert told.split()[1][:12] in listed
    assert all(word in listed for word in ("open", "ana", "ε = 0.5", "a thesis", QUESTION, "error"))
    assert isinstance(ask(*policy, "--analyst", "ana").exception, BudgetExceeded)
    assert run(app, ["budget", "approve", str(book), "purchases", told.split()[1][:12]]).output == "approved\n"
    first = ask(*policy, "--analyst", "ana", "--json")
    assert first.exit_code == 0
    assert ask(*policy, "--analyst", "ana", "--json").output == first.output
    assert isinstance(ask(*policy, "--analyst", "ana", "--fresh").exception, BudgetExceeded)
    (entry,) = Ledger.open(book).log("purchases", kind="request")
    assert (entry.origin, entry.by) == ("command line", "ana")
    more = ["budget", "request", str(book), "purchases", "ana", "--epsilon", "0.1", "--purpose", "more"]
    wanted = run(app, more).output.split()[1]
    run(app, ["budget", "approve", str(book), "purchases", wanted])
    assert Ledger.open(book).shares("purchases")["ana"].epsilon * 100 == 11
    Ledger.open(book).verify()
    refused = ask(*policy[:2], "--within", "5", QUESTION, "--analyst", "ana", "--request")
    assert isinstance(refused.exception, InvalidParameter)


def test_an_encrypted_ledger_is_asked_with_its_key_file(folder):
    new_encryption_key(folder / "k")
    words = [folder / "purchases.parquet", *TERMS, *MORE, "--ledger", folder / "x.ledger", QUESTION]
    assert ask(*words, "--key-file", folder / "k").exit_code == 0
    assert isinstance(ask(*words).exception, LedgerLocked)
    assert ask(*words, "--key-file", folder / "k").exit_code == 0
