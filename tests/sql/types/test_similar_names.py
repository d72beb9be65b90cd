from dalenius.sql.types.similar_names import did_you_mean, nearest_name


def test_a_slip_of_the_pen_is_answered_with_the_name_as_it_is_spelled():
    assert nearest_name("CUONT", ["COUNT", "SUM"]) == "COUNT"
    assert nearest_name("departmnt", ["Department", "diagnosis"]) == "Department"
    assert did_you_mean("amuont", ["amount"]) == " (did you mean 'amount'?)"


def test_nothing_is_made_up_where_no_name_is_alike():
    assert did_you_mean("zzz", ["amount", "category"]) == ""
    assert did_you_mean("", []) == ""
