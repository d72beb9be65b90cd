import pyarrow as pa
import pytest

import dalenius
from dalenius.errors import InvalidParameter

COUNT = "SELECT COUNT(DISTINCT who) AS n FROM t"
BY_TOWN = "SELECT town, COUNT(*) AS n, SUM(x) AS total, AVG(x) AS mean FROM t GROUP BY town"


@pytest.fixture
def db(tmp_path):
    rows = pa.table({"who": [1, 2, 2, 3], "town": ["a", "a", "b", "b"], "x": [1.0, 2.0, 3.0, 4.0]})
    terms = {"unit": "who", "contributions": 3, "keys": {"town": ["a", "b"]}, "bounds": {"x": (0, 10)}}
    return dalenius.connect({"t": rows}, budget={"epsilon": 1000}, ledger=tmp_path / "l", **terms)


def test_the_errors_are_those_of_explain_and_nothing_is_charged(db):
    before = db.budget
    table = db.errors([COUNT, BY_TOWN], ["0.1", 1])
    told = {(line.question, line.name): line.radii for line in table.lines}
    for place, query in ((1, COUNT), (2, BY_TOWN)):
        for name in ("n", "total"):
            if (place, name) in told:
                assert told[place, name] == tuple(db.explain(query, epsilon=price).errors[name] for price in ("0.1", 1))
    assert set(told) >= {(1, "n"), (2, "n"), (2, "total")}
    assert db.budget == before
    assert db.ledger.entries("t") == []


def test_the_error_of_a_count_is_that_of_geometric_noise(db):
    # P[|Z| > r] = 2a^(r+1) / (1 + a) with a = e^-0.1 is 0.0473 at r = 29 + 1 and 0.0523 at r = 29
    line = db.errors(COUNT, ["0.1"]).lines[0]
    assert line.radii == (30,)
    assert db.errors(COUNT, ["0.1"], sizes=1500).lines[0].relative == (pytest.approx(0.02),)


def test_a_released_answer_is_a_size(db):
    answer = db.sql(BY_TOWN, epsilon=100)
    table = db.errors(BY_TOWN, [1], sizes=answer)
    line = next(line for line in table.lines if line.name == "n")
    assert line.size == pytest.approx(sum(abs(n) for n in answer["n"]) / 2)
    assert line.relative[0] == pytest.approx(line.radii[0] / line.size)


def test_a_number_whose_error_depends_on_its_value_shows_the_noise_of_its_parts(db):
    text = str(db.errors(["SELECT AVG(x) AS mean FROM t", "SELECT MEDIAN(x) AS m FROM t"], [1]))
    assert "AVG(x) (noise of its parts)" in text
    assert "MEDIAN(x) (in ranks)" in text
    assert "all 2 cost 2 times as much" in text


def test_numbers_are_rounded_up_and_hostile_names_are_escaped(db):
    table = db.errors('SELECT COUNT(*) AS "a\x1b[31m<b>" FROM t', ["0.0001"], sizes="1e6")
    assert "\x1b" not in str(table)
    assert "<b>" not in table._repr_html_()
    shown = float(str(table).splitlines()[3].split()[-1].replace(",", ""))
    assert table.lines[0].radii[0] <= shown <= 1.01 * table.lines[0].radii[0]
    assert table.to_dict()["errors"][0]["relative"] == [table.lines[0].radii[0] / 1e6]


@pytest.mark.parametrize(
    ("queries", "epsilons", "sizes", "said"),
    [
        ([], [1], None, "at least one question"),
        ([COUNT], [], None, "at least one question"),
        ([COUNT], [0], None, "epsilon"),
        ([COUNT], [1], [1, 2], "one for each of 1 questions"),
        ([COUNT], [1], 0, "size"),
    ],
)
def test_slips_are_named(db, queries, epsilons, sizes, said):
    with pytest.raises(InvalidParameter, match=said):
        db.errors(queries, epsilons, sizes=sizes)
