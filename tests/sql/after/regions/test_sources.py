import pyarrow as pa
import pytest

from dalenius.sql.after.regions.sources import ReleasedSource
from dalenius.sql.after.regions.values import Exact, MadeValue, NoRule, Unknown
from tests.sql.after.world import session


def test_a_table_is_its_public_keys_and_formulas_over_draws(tmp_path):
    db = session(tmp_path)
    release = db.sql(
        "SELECT shop, COUNT(*) AS n, AVG(spent) AS a, MEDIAN(spent) AS m FROM sales GROUP BY shop", epsilon=10
    )
    relation, drawn = ReleasedSource(release, "here").read("t")
    assert relation.names == (("t", "shop"), ("t", "n"), ("t", "a"), ("t", "m"))
    shop, n, a, m = relation.rows[0].values
    assert shop == Exact("north")
    assert isinstance(n, MadeValue)
    assert isinstance(a, MadeValue)
    assert not a.nullable
    assert isinstance(m, Unknown)
    assert n.formula.names | a.formula.names <= set(drawn)
    assert all(name.startswith("here ") for name in drawn)


def test_a_table_whose_rows_noise_picked_has_no_rule(tmp_path):
    db = session(tmp_path)
    picked = db.sql("SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop HAVING COUNT(*) > 500", epsilon=10)
    with pytest.raises(NoRule, match="picked"):
        ReleasedSource(picked, "here").read("t")


FOUND = "CREATE PRIVATE VIEW v AS SELECT word, {asked} AS n FROM sales GROUP BY word"


def words():
    """Three words that many people have, and forty that few have: those are found, or not, by their noise."""
    listed = ["a", "b", "c"] * 100 + [f"rare {number // 12}" for number in range(480)]
    size = len(listed)
    return pa.table(
        {
            **{"person": list(range(size)), "word": listed, "shop": ["north"] * size},
            **{"year": [2022] * size, "spent": [1.0] * size},
        }
    )


@pytest.mark.parametrize("asked", ["COUNT(DISTINCT person)", "COUNT(*)"])
def test_a_view_of_keys_that_were_found_has_no_rule_for_there_may_be_others(tmp_path, asked):
    db = session(tmp_path, words())
    view = db.sql(FOUND.format(asked=asked), epsilon=1, delta="1e-7", groups=1)
    assert view.outcome.shown_by_threshold == (asked != "COUNT(*)")
    assert 3 <= len(list(view)) < 43  # a sum of what is shown lacks the others
    with pytest.raises(NoRule, match="may be others"):
        ReleasedSource(view, "here").read("v")
    for text in ("SELECT SUM(n) AS total, COUNT(*) AS words FROM v", "SELECT word, n / SUM(n) OVER () AS share FROM v"):
        answer = db.sql(text)
        assert "no interval: its keys were found, and there may be others" in str(answer)
        assert not [name for name in answer.intervals(0.95) if name.endswith("_lower")]


def test_a_view_that_was_computed_or_chosen_has_no_rule_for_noise_may_have_picked_its_rows(tmp_path):
    db = session(tmp_path)
    by_shop = "SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop"
    computed = db.sql(f"CREATE PRIVATE VIEW large AS SELECT shop FROM ({by_shop}) WHERE n > 900", epsilon=1)
    chosen = db.sql(
        "CREATE PRIVATE VIEW top AS SELECT shop FROM sales GROUP BY shop ORDER BY COUNT(*) DESC LIMIT 1", epsilon=1
    )
    for view in (computed, chosen):
        with pytest.raises(NoRule, match="picked"):
            ReleasedSource(view, "here").read("v")
    assert "no interval" in str(db.sql("SELECT COUNT(*) AS shops FROM large"))
