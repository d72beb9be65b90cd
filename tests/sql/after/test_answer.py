from decimal import Decimal

import pyarrow as pa

from dalenius.curator import Release
from dalenius.sql.after.answer import columns_of
from tests.sql.after.world import session


def test_columns_of_one_name_are_all_kept_and_whole_sums_stay_whole():
    table = pa.table([pa.array([Decimal(12)]), pa.array([1.5])], names=["n", "n"])
    assert columns_of(table) == {"n": [12], "n_1": [1.5]}
    assert isinstance(columns_of(table)["n"][0], int)


def test_an_answer_goes_through_every_exit(tmp_path):
    db = session(tmp_path)
    answer = db.sql("SELECT shop, RANK() OVER (ORDER BY COUNT(*)) AS r FROM sales GROUP BY shop", epsilon=1)
    assert answer.columns == ("shop", "r")
    assert len(answer.to_pandas()) == 4
    assert answer.to_csv().splitlines()[0].startswith("shop,r")
    assert "shop" in answer._repr_html_()
    back = Release.from_dict(answer.to_dict())
    assert list(back) == list(answer)
    assert repr(back) == repr(answer)


def test_an_answer_whose_region_overflows_is_told_without_an_interval(tmp_path):
    """It was paid, and the engine has computed it: that no interval can be is no reason to lose it."""
    answer = session(tmp_path).sql(
        "SELECT SUM(1e300 * 1e300) AS x, SUM(n) AS n FROM (SELECT shop, COUNT(*) AS n FROM sales GROUP BY shop) AS s",
        epsilon=1,
    )
    assert answer.columns == ("x", "n")
    assert "cannot follow" in str(answer)
