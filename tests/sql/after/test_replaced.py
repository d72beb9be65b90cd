from sqlglot import exp

from dalenius.sql.after.blocks import BlockScope
from dalenius.sql.after.replaced import replaced
from dalenius.sql.engine import language
from tests.sql.after.test_blocks import TABLES


def test_keys_and_aggregates_become_columns_and_nothing_else_does():
    select = language.read(
        "SELECT s.shop AS k, UPPER(shop) || '!', SUM(COUNT(*)) OVER (ORDER BY shop), (SELECT shop FROM m) FROM sales s"
    )
    sources = BlockScope.of(TABLES, {}).sources(select)
    replaced(
        select, [language.read("shop")], sources, lambda place: exp.column(f"k{place}"), lambda one: exp.column("v")
    )
    select.set("from_", None)
    assert (
        language.written(select) == "SELECT k0 AS k, UPPER(k0) || '!', SUM(v) OVER (ORDER BY k0), (SELECT shop FROM m)"
    )
