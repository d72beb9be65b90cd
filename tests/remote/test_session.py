"""One suite for sessions, embedded and remote: what one answers the others answer, in the same words."""

import inspect
from fractions import Fraction

import pytest

from dalenius import errors
from dalenius.curator import NumberRelease, TableRelease
from dalenius.ledger import Amount
from dalenius.neighbors import Unit
from dalenius.remote import RemoteSession
from dalenius.sql import QueryExplanation, Session
from tests.remote.ways import WAYS, InProcess

COUNT = "SELECT COUNT(*) AS n FROM visits"
BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS m FROM visits GROUP BY ward"


@pytest.fixture(scope="module", params=sorted(WAYS))
def way(request, tmp_path_factory):
    made = WAYS[request.param](tmp_path_factory.mktemp(request.param))
    yield made
    made.close()


@pytest.fixture
def analyst(request):
    return request.node.name[:60]


@pytest.fixture
def db(way, analyst):
    with way.open(analyst) as session:
        yield session


def test_a_number_is_released_with_its_interval_and_near_the_truth(db):
    answer = db.sql(COUNT, epsilon=10)
    low, high = answer.interval(0.999999999)
    assert isinstance(answer, NumberRelease)
    assert low <= 200 <= high
    assert low < float(answer) < high
    assert answer.guarantee.epsilon() == 10


def test_a_table_converts_prints_and_plots(db):
    answer = db.sql(BY_WARD, epsilon=5)
    assert isinstance(answer, TableRelease)
    assert list(answer.to_pandas(intervals=True).columns) == [
        *("ward", "n", "n_lower", "n_upper", "m", "m_lower", "m_upper"),
    ]
    assert [row[0] for row in answer.to_arrow().to_pylist() and answer.rows] == ["a", "b"]
    assert "ward" in str(answer)
    assert "<table>" in answer._repr_html_()
    assert answer.plot(column="n").to_dict()["layer"]


def test_the_same_question_again_is_the_same_answer_for_nothing(db):
    first, left = db.sql(COUNT, epsilon="0.5"), db.budget
    again = db.sql(COUNT, epsilon="0.5")
    assert again.to_dict() == first.to_dict()
    assert again.paid == "cost ε = 0.5, paid before: free this time"
    assert db.budget == left


def test_the_budget_goes_down_by_the_price(db):
    before = db.budget
    db.sql(COUNT + " WHERE ward = 'a'", epsilon=Fraction(1, 8))
    assert isinstance(before, Amount)
    assert before - db.budget == Amount.cost("1/8")


def test_one_key_is_one_draw_and_one_charge(db, way, analyst):
    asked = [db.sql(COUNT, epsilon="0.25", key=f"{analyst} k", fresh=True) for _ in range(3)]
    entries = [entry for entry in way.ledger.entries("visits") if entry.analyst == analyst]
    assert (len(entries), len({str(answer.to_dict()) for answer in asked})) == (1, 1)


def test_fresh_draws_and_pays_again(db):
    before = db.budget
    first, second = (db.sql(COUNT, epsilon="0.25", fresh=True) for _ in range(2))
    assert first.receipt.head != second.receipt.head
    assert before - db.budget == Amount.cost("0.5")


def test_an_explanation_states_price_and_error_and_costs_nothing(db):
    before = db.budget
    told = db.explain(BY_WARD, epsilon="0.1")
    assert isinstance(told, QueryExplanation)
    assert told.columns == ("ward", "n", "m")
    assert (told.cells, told.guarantee.epsilon(0), told.unit.column) == (2, 0.1, "patient")
    assert told.to_dict()["epsilon"] == "1/10"
    assert [line.epsilon is not None for line in told.lines] == [True] * len(told.lines)
    assert "cost" in str(told)
    assert "<table>" in told._repr_html_()
    assert db.budget == before


def test_within_buys_an_error_and_keeps_to_its_price(db):
    before = db.budget
    assert db.explain(COUNT, within=50, max_epsilon=1).to_dict()["answer"] == ["n"]
    answer = db.sql(COUNT, within=50, max_epsilon=1)
    assert 0 < (before - db.budget).epsilon <= 1
    assert answer.accuracy("0.05") <= 50


def test_tables_and_columns_are_described_for_nothing(db):
    assert db.describe().value == db.sql("SHOW TABLES").value
    described = db.describe("visits")
    assert described.value == db.sql("DESCRIBE visits").value
    assert described.rows[1][0] == "ward"
    assert len(described.to_pandas()) == 3
    assert described.guarantee.epsilon() == 0


def test_a_view_is_kept_and_its_questions_are_free(db):
    db.sql(f"CREATE PRIVATE VIEW w AS {BY_WARD}", epsilon=1)
    left = db.budget
    assert db.sql("SELECT ward, n FROM w").columns == ("ward", "n")
    assert db.budget == left


def test_a_synthetic_table_is_asked_for_nothing_and_says_what_it_is(db):
    copy = db.sql("CREATE SYNTHETIC TABLE s AS SELECT ward FROM visits", epsilon=5)
    assert copy.columns == ("ward",)
    assert len(copy.sample(7).to_pandas()) == 7
    answer = db.sql("SELECT ward, COUNT(*) AS n FROM s GROUP BY ward ORDER BY ward")
    assert answer.columns == ("ward", "n")  # noise decides whether a row without a ward is among them
    assert "nobody is" in answer.warnings[0]
    assert all(low <= high for low, high in answer.interval("0.95")["n"])
    assert "nobody is" in str(answer)


def test_who_and_what_is_protected_is_told(db):
    assert (db.dataset, db.unit) == ("visits", Unit("patient"))
    assert "visits" in repr(db)
    assert "visits" in db._repr_html_()


def test_a_request_is_kept_for_the_owner(db, way, analyst):
    name = db.request(COUNT, epsilon="0.1", purpose="beds")
    (kept,) = [one for one in way.ledger.requests("visits") if one.analyst == analyst]
    assert kept.to_dict()["id"] == name


WRONG = [
    ("SELEC 1", {"epsilon": 1}, errors.InvalidSyntax),
    ("SELECT * FROM visits", {"epsilon": 1}, errors.UnsupportedQuery),
    ("SELECT COUNT(*) FROM nobody", {"epsilon": 1}, errors.UnknownName),
    ("SELECT SUM(patients) FROM visits", {"epsilon": 1}, errors.UnknownName),
    (COUNT, {"epsilon": 1000}, errors.BudgetExceeded),
    (COUNT, {"epsilon": -1}, errors.InvalidParameter),
    (COUNT, {"epsilon": "x"}, errors.InvalidParameter),
    (COUNT, {"epsilon": "1/0"}, errors.InvalidParameter),
    (COUNT, {}, errors.InvalidParameter),
    (COUNT, {"epsilon": 1, "within": 2}, errors.InvalidParameter),
    ("SELECT ward, COUNT(*) FROM visits GROUP BY ward", {"epsilon": 1, "groups": 3}, errors.InvalidParameter),
]


@pytest.mark.parametrize(("query", "terms", "kind"), WRONG, ids=range(len(WRONG)))
def test_a_refusal_is_of_the_same_class_and_in_the_same_words(way, query, terms, kind):
    """The embedded session's sentence is what every way says."""
    analyst = "refused"
    with pytest.raises(errors.DaleniusError) as embedded:
        way.embedded(analyst).sql(query, **terms)
    with way.open(analyst) as db, pytest.raises(errors.DaleniusError) as told:
        db.sql(query, **terms)
    assert (type(told.value), str(told.value)) == (kind, str(embedded.value))
    assert [entry for entry in way.ledger.entries("visits") if entry.analyst == analyst] == []


def test_a_price_that_is_no_finite_number_is_refused_before_any_charge(db):
    for epsilon in (float("nan"), float("inf"), [1], object()):
        with pytest.raises(errors.InvalidParameter):
            db.sql(COUNT, epsilon=epsilon)
    with pytest.raises(errors.UnknownName):
        db.describe("nothing")


# the stored answer of one session is read by the others: everything made of it is equal


@pytest.mark.parametrize(
    "query",
    [
        COUNT,
        "SELECT COUNT(*) AS n, SUM(cost) AS s FROM visits",
        BY_WARD,
        "SELECT ward, MEDIAN(cost) AS q FROM visits GROUP BY ward",
        "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward HAVING n > 10 ORDER BY n DESC LIMIT 1",
    ],
)
def test_whatever_is_made_of_an_answer_is_equal_on_both_sides(way, query):
    embedded, session = way.embedded("both"), way.open("both")
    embedded.sql(query, epsilon=2)  # from now on it is free, and both say so
    here, there = embedded.sql(query, epsilon=2), session.sql(query, epsilon=2)
    assert type(there) is type(here)
    assert there.to_dict() == here.to_dict()
    for made in (str, lambda a: a.value, lambda a: a.interval(0.9), lambda a: a.error, lambda a: a._repr_html_()):
        assert made(there) == made(here)
    assert there.to_csv() == here.to_csv()
    assert str(session.explain(query, epsilon=3)) == str(embedded.explain(query, epsilon=3))
    session.close()


def test_remote_methods_have_the_parameters_of_embedded_ones():
    for name in ("sql", "explain", "describe", "request"):
        here, there = (inspect.signature(getattr(kind, name)).parameters for kind in (Session, RemoteSession))
        assert {name: one.default for name, one in here.items()} == {name: one.default for name, one in there.items()}


def test_a_line_that_breaks_after_the_question_was_heard_costs_no_second_draw(tmp_path):
    way = InProcess(tmp_path)
    db = way.open("ann", patience=60)
    db._client.sleep = lambda seconds: None
    db._client.transport.broken = 3
    answer = db.sql(COUNT, epsilon="0.1", fresh=True)
    keys = {headers["Idempotency-Key"] for method, path, headers, _ in db._client.transport.sent if method == "POST"}
    (entry,) = way.ledger.entries("visits")
    assert (len(keys), entry.hash) == (1, answer.receipt.head)


def test_the_key_is_in_no_text_of_a_session(tmp_path):
    way = InProcess(tmp_path)
    db = way.open("ann")
    secret = db._client.key
    assert secret not in repr(db) + str(vars(db)["_client"]) + db._repr_html_()


def test_prepared_is_the_owners_to_say(tmp_path):
    with pytest.raises(errors.InvalidParameter, match="prepared"):
        InProcess(tmp_path).open("ann").sql(COUNT, epsilon=1, prepared=True)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("choose", "ARG_MAX"),
        ("release", r"sql\(…\)"),
        ("profile", "owner"),
        ("ledger", "budget"),
        ("errors", "explain"),
        ("execute", "sql"),
    ],
)
def test_what_only_an_embedded_session_has_is_refused_with_what_to_do_instead(tmp_path, name, words):
    db = InProcess(tmp_path).open("ann")
    with pytest.raises(AttributeError, match=words):
        getattr(db, name)
