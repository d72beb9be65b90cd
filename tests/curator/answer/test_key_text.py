import itertools

from dalenius.curator.answer.key_text import key_text


def test_no_two_keys_read_alike():
    """Of texts with quotes around NULL too, as many as anybody likes."""
    quoted = ["'" * before + "NULL" + "'" * behind for before, behind in itertools.product(range(5), repeat=2)]
    texts = ["NULL", "null", *("'" * number for number in range(9)), *quoted]
    keys = [None, *dict.fromkeys(texts)]
    assert (key_text(None), key_text("")) == ("NULL", "''")
    assert len({key_text(key) for key in keys}) == len(keys)


def test_a_text_is_escaped_as_every_text_is():
    assert key_text("a\x1b[2J") == "a\\x1b[2J"
    assert (key_text(3), key_text(True), key_text("–")) == ("3", "True", "–")
