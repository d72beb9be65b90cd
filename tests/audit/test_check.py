import pytest

from dalenius.audit import assert_private, private
from dalenius.audit.check import failure, holm, promise_of
from dalenius.errors import InvalidParameter
from dalenius.guarantees import PureDP
from tests.audit.corpus.broken import BROKEN
from tests.audit.corpus.sound import SOUND


def test_a_broken_mechanism_fails_with_all_that_was_seen():
    case = BROKEN[0]
    with pytest.raises(AssertionError) as failed:
        assert_private(case.mechanism(0), case.claim, x=case.x, x2=case.x2, draws=5000)
    text = str(failed.value)
    for part in ("PureDP(1)", "x  = 0", "x2 = 1", "event:", "seen in", "certified", "bits"):
        assert part in text


def test_a_sound_one_gives_its_report():
    case = SOUND[0]
    report = assert_private(case.mechanism(0), case.claim, x=case.x, x2=case.x2, draws=3000)
    assert not report.rejects
    assert report.alpha == 1e-3
    assert len(failure(report, [0] * 1000, 1)) < 1500


def test_a_test_that_could_not_fail_is_refused():
    with pytest.raises(InvalidParameter, match="draws ≥"):
        assert_private(len, PureDP(12), x=[1], x2=[], draws=1000)


def test_a_promise_is_noted_and_the_function_stays():
    @private(PureDP(1), x=[1], x2=[])
    def mechanism(data):
        return len(data)

    assert mechanism([1, 2]) == 2
    assert promise_of(mechanism).pairs == (([1], []),)
    assert promise_of(len) is None
    assert len(promise_of(private(PureDP(1), pairs=[(0, 1), (1, 2)])(lambda data: data)).pairs) == 2


def test_holm_is_the_textbooks():
    # at .05: .01 ≤ .05/3, .02 ≤ .05/2, .04 ≤ .05
    assert holm([0.04, 0.01, 0.02], 0.05) == [True, True, True]
    assert holm([0.04, 0.01, 0.03], 0.05) == [False, True, False]
    assert holm([0.06], 0.05) == [False]
    assert holm([], 0.05) == []
