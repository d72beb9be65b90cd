from sqlglot import exp

from dalenius.sql.engine import DIALECT
from dalenius.sql.engine.statements import UnknownGroups, placed


def test_rows_take_the_place_of_every_table_of_that_name_and_of_no_other():
    tree = DIALECT.parse('SELECT * FROM "terms" JOIN "other" USING ("a")')
    rows = exp.select("a").from_("source")
    assert DIALECT.text(placed(tree, "terms", rows)) == (
        'SELECT * FROM (SELECT a FROM source) AS "terms" JOIN "other" USING ("a")'
    )


def test_a_units_groups_have_one_order_whichever_way_they_are_counted():
    unknown = UnknownGroups(("key0",), 2, "pepper", 1, one_cell=True)
    dense, numbered = (unknown.first(DIALECT, rank) for rank in ("DENSE_RANK", "ROW_NUMBER"))
    assert dense.removeprefix("DENSE_RANK") == numbered.removeprefix("ROW_NUMBER")
