from dalenius.sql.rules import bind_keys
from tests.sql.cases import cases, check, drafted, policy


@cases(bind_keys)
def test_fixture(case):
    check(bind_keys, case)


def test_the_answers_names_are_the_analysts():
    draft = drafted(
        bind_keys, 'SELECT COUNT(*) AS n, category AS "my ""key" FROM purchases GROUP BY category', policy()
    )
    assert (draft.name, draft.keys.column, draft.keys.values) == ("n", 'my "key', ("food", "o'hara"))
    assert "my" not in draft.tree.sql()
