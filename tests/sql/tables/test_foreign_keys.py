import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter, UnboundedQuery, UnsupportedQuery
from dalenius.sql.tables.foreign_keys import with_references
from dalenius.sql.tables.table import QueryTable, Reference

ORDERS = pa.table({"user_id": [1, 1, 2, 3, 4, None], "id": [1, 2, 3, 3, 5, 6], "total": [5.0, 6, 7, 8, 9, 1]})
ITEMS = pa.table({"order_id": [1, 1, 2, 3, 9, 6, None], "qty": [1, 2, 3, 4, 5, 6, 7], "n": [1, 2, 3, 4, 5, 6, 7]})
PARTS = pa.table({"item": [1, 1, 4, 5], "weight": [1.0, 2, 4, 8]})


def connect(folder, **terms):
    return dalenius.connect(
        ORDERS,
        **{
            **{"table": "orders", "unit": "user_id", "contributions": 9, "budget": {"epsilon": 10**9}},
            **{"bounds": {"total": (0, 10), "items.qty": (0, 10), "parts.weight": (0, 10)}, "ledger": folder / "l"},
            **{"tables": {"items": ITEMS, "parts": PARTS}},
            **{"references": {"items.order_id": "orders.id", "Parts.item": "items.N"}},
            **terms,
        },
    )


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT SUM(qty) AS s FROM items", 1 + 2 + 3 + 4 + 4),  # order 3 is two people's: both own its item
        ("SELECT SUM(qty) AS s FROM orders JOIN items ON items.order_id = orders.id", 14),
        ("SELECT SUM(qty) AS s FROM items i LEFT JOIN orders o ON o.id = i.order_id WHERE o.total > 6.5", 8),
        ("SELECT COUNT(*) AS n FROM orders LEFT JOIN items ON id = order_id", 6),
        ("SELECT SUM(weight) AS s FROM parts", 1 + 2 + 4 + 4),
        ("SELECT SUM(weight) AS s FROM parts JOIN items ON item = n WHERE qty < 4", 3),
        ("SELECT SUM(weight) AS s FROM parts JOIN items ON item = n JOIN orders ON id = order_id WHERE total < 7.5", 7),
        ("SELECT COUNT(DISTINCT user_id) AS n FROM items JOIN orders ON id = order_id", 3),
        ("SELECT SUM(CLAMP(q, 0, 9)) AS s FROM (SELECT user_id, SUM(qty) AS q FROM orders JOIN items ON id = order_id "
         "GROUP BY user_id) AS t", 6 + 4 + 4),
    ],
)  # fmt: skip
def test_rows_are_of_whom_they_refer_to(tmp_path, query, expected):
    assert connect(tmp_path).sql(query, epsilon=10**8).value == pytest.approx(expected, abs=0.01)


def test_one_person_s_items_count_together_for_their_share(tmp_path):
    db = connect(tmp_path, contributions=1)
    assert db.sql("SELECT COUNT(*) AS n FROM items", epsilon=10**7).value == pytest.approx(3, abs=0.01)


def test_a_table_that_names_people_and_refers_to_others_is_refused(tmp_path):
    """Taken by its reference, one person who is named in a row of each order moves the answer by all of them."""
    named = pa.table({"USER_id": [9, 9, 9, 9], "order_id": [1, 2, 3, 5], "qty": [1, 1, 1, 1], "n": [1, 2, 3, 4]})
    terms = {"tables": {"items": named, "parts": PARTS}, "contributions": 1}
    with pytest.raises(InvalidParameter, match="so it refers to nobody: leave its reference out"):
        connect(tmp_path, **terms)
    own = connect(tmp_path, **terms, references={"parts.item": "items.n"})
    both = "orders JOIN items ON orders.user_id = items.USER_id AND id = order_id"
    assert own.sql(f"SELECT COUNT(*) AS n FROM {both}", epsilon=10**7).value == pytest.approx(0, abs=0.01)


@pytest.mark.parametrize(
    "source",
    [
        "orders JOIN items ON orders.id = items.qty",
        "orders JOIN parts ON orders.id = parts.item",
        "orders JOIN items ON total_id = qty",
    ],
)
def test_a_join_past_the_key_is_refused_with_the_remedy(tmp_path, source):
    with pytest.raises(UnboundedQuery, match=r"ON (orders\.id = items\.order_id|items\.n = parts\.item)"):
        connect(tmp_path).sql(f"SELECT COUNT(*) FROM {source.replace('total_id', 'user_id')}", epsilon=1)


@pytest.mark.parametrize(
    "source",
    [
        "items JOIN orders ON orders.id = items.order_id AND orders.id = items.n",
        "items JOIN orders ON orders.id = items.n",
        "items JOIN orders a ON a.id = items.order_id JOIN orders b ON b.id = items.order_id",
    ],
)
def test_a_table_that_is_referred_to_is_joined_by_that_key_alone(tmp_path, source):
    """Another order of the same number may be another person's."""
    with pytest.raises(UnboundedQuery, match=r"start with FROM orders|holds people too"):
        connect(tmp_path).sql(f"SELECT COUNT(*) AS n FROM {source}", epsilon=1)


FIRST = QueryTable("orders", "source", {"user_id": "BIGINT", "id": "BIGINT", "x": "DOUBLE"}, "user_id", owned=True)
OTHERS = [
    QueryTable("items", "table items", {"order_id": "INTEGER", "text": "VARCHAR", "x": "DOUBLE"}, owned=True),
    QueryTable("parts", "table parts", {"item": "INTEGER"}, owned=True),
]


def test_a_reference_is_found_whatever_the_case():
    items, parts = with_references(OTHERS, FIRST, {"Items.ORDER_ID": "orders.Id"})
    assert items.reference == Reference("order_id", "orders", "id")
    assert parts.reference is None


@pytest.mark.parametrize(
    ("references", "said"),
    [
        ({"items.order_id": "orders"}, "must be like"),
        ({"nothing.order_id": "orders.id"}, "private tables that there are"),
        ({"items.nothing": "orders.id"}, "no column 'nothing'"),
        ({"items.text": "orders.id"}, "one type"),
        ({"items.x": "orders.x"}, "one type"),
        ({"orders.id": "items.order_id"}, "has the unit's column"),
        ({"items.order_id": "orders.id", "items.text": "parts.item"}, "refers twice"),
        ({"items.order_id": "parts.item", "parts.item": "items.order_id"}, "circle"),
        ({"parts.item": "items.order_id"}, "no reference that leads"),
        ({3: "orders.id"}, "must be like"),
    ],
)
def test_a_reference_that_leads_nowhere_is_refused(references, said):
    with pytest.raises(InvalidParameter, match=said):
        with_references(OTHERS, FIRST, references)


def test_an_attribute_is_one_of_a_table_that_names_people(tmp_path):
    with pytest.raises(InvalidParameter, match="no column of people"):
        connect(tmp_path, attributes=["items.qty"])


PEOPLE = pa.table({"id": [1, 2], "code": ["a", "b"], "age": [20, 30]})
VISITS = pa.table({"patient": [1, 1, 2], "room": ["x", "y", "x"]})
PRESCRIBED = pa.table({"visit_of": ["a", "b"], "drug": ["p", "q"]})


def hospital(tmp_path, refers, **terms):
    return dalenius.connect(
        PEOPLE,
        table="people",
        tables={"visits": VISITS, "items": PRESCRIBED},
        unit="id",
        references=refers,
        budget={"epsilon": 10, "delta": "1e-3"},
        ledger=tmp_path / "people.ledger",
        **({"contributions": 3} | terms),
    )


BY_UNIT = {"visits.patient": "people.id", "items.visit_of": "people.code"}


@pytest.mark.parametrize(
    ("query", "by"),
    [
        ("SELECT patient, COUNT(*) FROM visits GROUP BY patient", "patient"),
        ("SELECT patient, COUNT(*) FROM visits WHERE patient IN (1, 2) GROUP BY patient", "patient"),
        ("SELECT p, COUNT(*) FROM (SELECT patient AS p, room FROM visits) AS q GROUP BY p", "p"),
        ("SELECT b, COUNT(*) FROM (SELECT id AS a, id AS b FROM people) AS q WHERE b IN (1, 2) GROUP BY b", "b"),
        ("SELECT b, COUNT(*) FROM (SELECT id, id AS b FROM people GROUP BY 1, 2) AS q WHERE b = 1 GROUP BY b", "b"),
        (
            "SELECT i.id, COUNT(*) FROM people p JOIN people i ON p.id = i.id WHERE i.id = 1 GROUP BY i.id",
            "people 2.id",
        ),
    ],
)
def test_a_column_that_holds_the_unit_itself_is_refused_as_the_unit_is(tmp_path, query, by):
    """Before anything is charged: with a δ nobody's group would be found, and with WHERE each is one person's."""
    db = hospital(tmp_path, BY_UNIT)
    with pytest.raises(UnsupportedQuery, match=f"GROUP BY {by} would give every person a row"):
        db.sql(query, epsilon=1, delta="1e-4", groups=1)
    assert db.budget.epsilon == 10


def test_a_key_of_a_table_with_one_row_of_a_person_is_refused_as_the_unit_is(tmp_path):
    query = "SELECT visit_of, COUNT(*) FROM items GROUP BY visit_of"
    with pytest.raises(UnsupportedQuery, match="GROUP BY visit_of would give every person a row"):
        hospital(tmp_path, BY_UNIT, rows_per_unit="one", contributions=1).sql(query, epsilon=1, delta="1e-4", groups=1)


def test_what_is_computed_from_the_unit_has_groups_where_they_are_written_out(tmp_path):
    db = hospital(tmp_path, BY_UNIT)
    odd = "SELECT odd, COUNT(*) FROM (SELECT id, id % 2 AS odd FROM people) AS q WHERE odd IN (0, 1) GROUP BY odd"
    assert len(db.sql(odd, epsilon=1).rows) == 2
    shared = "SELECT visit_of, COUNT(*) FROM items GROUP BY visit_of"
    db.sql(shared, epsilon=1, delta="1e-4", groups=1)
