from dalenius.sql.policy import person_words


def test_no_word_is_a_person_and_an_event():
    """A word of both would name people in one rule and rows in another."""
    both = person_words.PEOPLE & person_words.EVENTS
    assert both <= {"resp"}, both


def test_words_are_written_as_names_are_read():
    for some in (person_words.PEOPLE, person_words.ROLES, person_words.TRACES, person_words.EVENTS):
        assert all(word == word.lower() for word in some)
