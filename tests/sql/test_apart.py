from dalenius.sql.apart import Apart
from dalenius.sql.rows.literals import text


def test_the_value_has_a_name_of_the_engines_own():
    assert Apart("COUNT(DISTINCT x)", "distinct", "p3", text("x")).column == "of_p3"
