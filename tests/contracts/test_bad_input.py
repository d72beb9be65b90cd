"""Hostile names, empty tables and NULL everywhere: a right answer, escaped at every exit, or a clear error."""

import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter

SECRET = "Xanadu"
NAMES = {
    "quotes": "a\"b'c`d",
    "tab": "a\tb",
    "HTML": "<script>alert(1)</script>",
    "newline": "a\nb",
    "emoji": "🦆",
    "statement": "a; DROP TABLE t; --",
    "200 letters": "x" * 200,
}


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def asked(folder, table="t", column="v", key="a", people=(1, 2, 3, 3), values=(1.0, 2.0, 3.0, 4.0)):
    """What a table with this name, column and key answers, at a price at which noise is small."""
    keys = [key, SECRET, key, key][: len(people)]
    rows = {
        "person": pa.array(people, pa.int64()),
        column: pa.array(values, pa.float64()),
        "k": pa.array(keys, pa.string()),
    }
    terms = {"unit": "person", "contributions": 2, "bounds": {column: (0, 10)}, "keys": {"k": [key, "other"]}}
    db = dalenius.connect(pa.table(rows), table=table, budget={"epsilon": 20000}, ledger=folder / "x.ledger", **terms)
    value = quoted(column)
    question = f"SELECT k, COUNT(*) AS n, SUM({value}) AS s, AVG({value}) AS m FROM {quoted(table)} GROUP BY k"
    shown = [db.describe(), db.explain(question, epsilon=10000), answer := db.sql(question, epsilon=10000)]
    for one in shown:
        assert not any(letter in str(one) for letter in "\t\0\x1b")
        assert "<script" not in one._repr_html_()
        assert SECRET not in f"{one}{one._repr_html_()}{one!r}"
    assert SECRET not in answer.to_csv()
    return answer


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("place", ["table", "column", "key"])
def test_a_hostile_name_is_answered_rightly_and_escaped(tmp_path, name, place):
    answer = asked(tmp_path, **{place: NAMES[name]})
    assert [round(n) for n in answer["n"]] == [3, 0]  # noise of a scale below 0.01 exceeds 0.5 less than once in 10^20
    assert len(answer["k"]) == 2


def test_a_name_of_300_letters_is_refused_with_the_most(tmp_path):
    with pytest.raises(InvalidParameter, match="at most 200 characters"):
        asked(tmp_path, table="x" * 300)


@pytest.mark.parametrize(
    ("people", "values", "count"),
    [
        ((), (), 0),
        ((1,), (3.0,), 1),
        ((None,) * 4, (1.0,) * 4, 0),
        ((None,) * 4, (None,) * 4, 0),
        ((1, 2, 3, 3), (None,) * 4, 3),
    ],
)
def test_a_table_of_few_rows_or_of_null_is_answered(tmp_path, people, values, count):
    answer = asked(tmp_path, people=people, values=values)
    assert abs(answer["n"][0] - count) < 1
