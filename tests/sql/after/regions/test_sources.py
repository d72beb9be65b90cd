import pytest

from dalenius.sql.after.regions.sources import Source
from dalenius.sql.after.regions.values import Exact, Made, NoRule, Unknown
from tests.sql.after.world import session


def test_a_table_is_its_public_keys_and_formulas_over_draws(tmp_path):
    db = session(tmp_path)
    release = db.sql(
        "SELECT shop, COUNT(*) AS n, AVG(spent) AS a, MEDIAN(spent) AS m FROM sales GROUP BY shop", epsilon=10
    )
    relation, drawn = Source(release, "here").read("t")
    assert relation.names == (("t", "shop"), ("t", "n"), ("t", "a"), ("t", "m"))
    shop, n, a, m = relation.rows[0].values
    assert shop == Exact("north")
    assert isinstance(n, Made)
    assert isinstance(a, Made)
    assert not a.nullable
    assert isinstance(m, Unknown)
    assert n.formula.names | a.formula.names <= set(drawn)
    assert all(name.startswith("here ") for name in drawn)


def test_a_table_whose_rows_noise_picked_has_no_rule(tmp_path):
    db = session(tmp_path)
    picked = db.sql("SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop HAVING COUNT(*) > 500", epsilon=10)
    with pytest.raises(NoRule, match="picked"):
        Source(picked, "here").read("t")
    with pytest.raises(NoRule, match="may be others"):
        Source(picked, "here", "there may be others").read("t")
