import pytest

pytest_plugins = ["pytester"]

SUITE = """
import numpy as np
from dalenius import audit
from dalenius.guarantees import PureDP

rng = np.random.default_rng(0)

@audit.private(PureDP(1), pairs=[([1, 1], [1]), ([0], [])])
def leaky(data):
    return sum(data)

@audit.private(PureDP(1), x=[1, 1], x2=[1])
def noisy(data):
    return float(np.round(sum(data) + rng.laplace(0, 4), 1))

def test_plain():
    assert True
"""


@pytest.fixture
def run(pytester):
    pytester.makepyfile(test_suite=SUITE)

    def go(*words):
        return pytester.runpytest_inprocess("-p", "no:cacheprovider", *words)

    return go


def test_promises_are_audited_when_asked_for(run):
    done = run("--dp-audit=fast")
    done.assert_outcomes(passed=3, failed=1)  # a row of 0 moves no sum, so only the first pair shows the leak
    done.stdout.fnmatch_lines(["*the claim PureDP(1) does not hold*", "*event:*"])


def test_without_the_option_nothing_is_audited(run):
    run().assert_outcomes(passed=1)


def test_too_few_draws_fail_rather_than_pass(pytester):
    pytester.makepyfile(
        "from dalenius import audit\nfrom dalenius.guarantees import PureDP\n"
        "@audit.private(PureDP(20), x=[1], x2=[])\ndef f(data):\n    return len(data)\n"
    )
    done = pytester.runpytest_inprocess("--dp-audit=fast", "-p", "no:cacheprovider")
    done.assert_outcomes(failed=1)
    done.stdout.fnmatch_lines(["*too few draws*"])


def test_claims_that_fall_together_fail_the_run(pytester):
    # Holm: p-values of .0006 and .0004 at a level of 1e-3 each fail, though only one is below 5e-4
    from dalenius import pytest_plugin

    class Config:
        stash = {pytest_plugin._AUDITED: [("a", 6e-4), ("b", 4e-4), ("c", 0.5)][:2]}  # noqa: RUF012

        def getoption(self, name):
            return 1e-3

    assert pytest_plugin.late_rejections(Config()) == [("a", 6e-4)]


TOGETHER = """
import dalenius.audit.bound
from dalenius import audit
from dalenius.guarantees import PureDP

class Told:
    rejects = False

def told(mechanism, x, x2, **rest):
    report = Told()
    report.p_value = mechanism(x)
    assert rest["alpha"] == 1e-3 / 2
    return report

dalenius.audit.bound.lower_bound = told

@audit.private(PureDP(1), x=6e-4, x2=0)
def larger(data):
    return data

@audit.private(PureDP(1), x=4e-4, x2=0)
def smaller(data):
    return data
"""


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["one process", "xdist"])
def test_one_level_holds_for_the_whole_run_however_many_processes_share_it(pytester, workers):
    pytester.makepyfile(test_together=TOGETHER)
    done = pytester.runpytest_subprocess("--dp-audit=fast", "-p", "no:cacheprovider", *workers)
    done.stdout.fnmatch_lines(["*refuted together with others (Holm): *larger*p = 0.0006*"])
    done.stdout.no_fnmatch_line("*Holm): *smaller*")  # its own share of the level is for the audit itself to fail at
    assert done.ret == pytest.ExitCode.TESTS_FAILED
