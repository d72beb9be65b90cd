from dalenius.statistics.expected import Expected


def test_it_tells_how_and_of_what():
    assert str(Expected("twice that of", "a count")) == "twice that of:\n\na count"
