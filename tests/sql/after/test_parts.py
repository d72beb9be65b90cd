from dalenius.sql.after.parts import PartList
from dalenius.sql.engine import language


def test_the_order_of_asking_makes_no_other_question():
    rows, key = language.read("SELECT FROM sales WHERE x > 1"), language.read("shop")
    texts = []
    for asked in (["COUNT(*)", "AVG(x)", "COUNT(*)"], ["AVG(x)", "COUNT(*)"]):
        parts = PartList(rows)
        table = parts.table(rows, [key])
        for text in asked:
            table.value(language.read(text))
        (part,) = parts.finished(language.read(f'SELECT * FROM "{table.name}"'))
        texts.append(part.select)
        assert part.columns == ("key 1", "AVG(x)", "COUNT(*)")
    assert texts[0] == texts[1]


def test_no_name_of_the_analyst_hides_a_released_table():
    tree = language.read('WITH "released 1" AS (SELECT 1) SELECT * FROM "released 1"')
    assert PartList(tree).table(language.read("SELECT FROM t"), []).name == "_released 1"


def test_a_table_that_nothing_reads_is_not_asked():
    parts = PartList(language.read("SELECT 1"))
    parts.table(language.read("SELECT FROM t"), [])
    assert parts.finished(language.read("SELECT 1")) == ()


def test_within_group_is_written_as_what_a_text_holds():
    parts = PartList(language.read("SELECT 1"))
    table = parts.table(language.read("SELECT FROM t"), [])
    table.value(language.read("SELECT PERCENTILE_CONT(0.9) WITHIN GROUP (ORDER BY x)").expressions[0])
    assert "QUANTILE_CONT(x, 0.9) AS" in table.part().select
