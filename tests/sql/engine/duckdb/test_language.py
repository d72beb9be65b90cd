from dalenius.sql.engine import language


def test_what_is_written_reads_as_the_same():
    (tree,) = language.trees("SELECT SUM(x) FROM t WHERE k = 'o''hara'")
    assert language.read(language.written(tree)) == tree
    assert [token.text for token in language.tokens("SELECT ?")] == ["SELECT", "?"]


def test_a_quantile_is_shown_as_it_may_be_asked():
    (tree,) = language.trees("SELECT PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x) FROM t")
    assert language.shown(tree.expressions[0], "upper") == "PERCENTILE_CONT(0.5) WITHIN GROUP (ORDER BY x)"
