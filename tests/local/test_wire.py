import numpy as np

from dalenius.local import Format, Reports
from dalenius.local.wire import HEAD, VERSION, tag_of


def test_the_tag_depends_on_the_facts_and_not_on_their_order():
    assert tag_of({"a": 1, "b": "é"}) == tag_of({"b": "é", "a": 1})
    assert tag_of({"a": 1}) != tag_of({"a": 2})
    assert len(tag_of({})) == 8


def test_reports_go_to_bytes_and_back():
    shape = Format(b"12345678", 3)
    payloads = np.arange(12, dtype=np.uint8).reshape(4, 3)
    data = Reports(shape.head, payloads).to_bytes()
    assert len(data) == 4 * shape.length == 4 * (HEAD + 3)
    again, others = shape.parse(data)
    assert others == 0
    assert np.array_equal(again, payloads)
    assert data[:12] == shape.wrap(bytes([0, 1, 2]))
    assert repr(Reports(shape.head, payloads)) == "Reports(<4>)"


def test_one_bad_report_never_spoils_a_batch():
    shape = Format(b"12345678", 2)
    good = shape.wrap(b"ab")
    other_version = bytes([VERSION + 1]) + good[1:]
    batch = [good, good[:-1], good + b"x", other_version, Format(b"87654321", 2).wrap(b"ab"), b"", "text", good]
    payloads, others = shape.parse(batch)
    assert [bytes(row) for row in payloads] == [b"ab", b"ab"]
    assert others == 6
    payloads, others = shape.parse(good + other_version + good[:-3])
    assert (len(payloads), others) == (1, 2)
