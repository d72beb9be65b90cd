from dalenius.sql.policy.by_table import Declared

SAID = Declared({"city": ["a"], "People.job": ["x"]}, {"people.age": (0, 9)}, {"x": 1}, ("sex", "people.born"))


def test_terms_of_other_tables_are_written_with_their_name():
    assert SAID.of("people") == Declared({"job": ["x"]}, {"age": (0, 9)}, {}, ("born",))
    assert SAID.without(["people"]) == Declared({"city": ["a"]}, {}, {"x": 1}, ("sex",))
    assert SAID.without([]) == SAID


def test_what_is_said_of_all_others_stays_as_it_was_written():
    assert SAID.beside(["people"]) == Declared({"People.job": ["x"]}, {"people.age": (0, 9)}, {}, ("people.born",))
    assert SAID.beside([]) == Declared({}, {}, {}, ())
