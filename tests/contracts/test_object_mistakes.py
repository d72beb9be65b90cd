"""Mistakes with what a newcomer holds: methods of other libraries, missing arguments, arithmetic, wrong types."""

import numpy as np
import pytest

import dalenius
from dalenius import guarantees, learning, mechanisms, noise
from dalenius import statistics as st
from dalenius.ledger import Ledger
from dalenius.neighbors import Metric, Sensitivity
from dalenius.sql import Policy
from tests.contracts.test_mistakes import World, refused

X = np.linspace(0, 1, 40).reshape(20, 2)
Y = np.arange(20) % 2


def logistic():
    return learning.LogisticRegression(epsilon=1, bounds=(0, 1))


MISTAKES = {
    "sensitivity a number": (lambda w: mechanisms.Geometric(1).guarantee(1), "must be a Sensitivity, got an int"),
    "sensitivity a column": (lambda w: mechanisms.Laplace(1).guarantee([8642.5] * 9), "must be a Sensitivity"),
    "no scale": (lambda w: mechanisms.Laplace(), "needs scale="),
    "calibrate nothing": (lambda w: mechanisms.calibrate(), "needs mechanism="),
    "release without bits": (lambda w: mechanisms.Gaussian(1).release(5), "needs bits="),
    "accuracy without beta": (lambda w: mechanisms.Geometric(2).accuracy(), "needs beta="),
    "a mechanism's epsilon": (lambda w: mechanisms.Laplace(1).epsilon, "has no 'epsilon'"),
    "a mechanism by a word": (lambda w: mechanisms.mechanism_of("x"), "its facts"),
    "facts without a name": (lambda w: mechanisms.mechanism_of({"scale": "1"}), "its facts"),
    "no sensitivity": (lambda w: Sensitivity(), "needs value="),
    "a metric by a word": (lambda w: Sensitivity(1, "l1"), "Metric.L1"),
    "a negative sensitivity": (lambda w: Sensitivity(-1, Metric.L1), "≥ 0"),
    "choose nothing": (lambda w: st.choose(), "needs "),
    "choose of an array": (lambda w: st.choose(X), "needs utility="),
    "aggregate nothing": (lambda w: st.subsample_and_aggregate(), "needs "),
    "covariance misspelt": (lambda w: st.covariance(X, epslon=1), "did you mean 'epsilon'"),
    "coefficients before fit": (lambda w: logistic().coef_, r"once fit\(X, y\) has run"),
    "intercept before fit": (lambda w: logistic().intercept_, r"once fit\(X, y\) has run"),
    "an estimator's method": (lambda w: logistic().fit_predct(X, Y), "has no 'fit_predct'"),
    "fit without y": (lambda w: logistic().fit(X), "y"),
    "fit of other lengths": (lambda w: logistic().fit(X, Y[:5]), "differ in length"),
    "execute": (lambda w: w.db.execute("SELECT 1"), r'sql\("SELECT'),
    "query": (lambda w: w.db.query("SELECT 1"), r'sql\("SELECT'),
    "cursor": (lambda w: w.db.cursor(), "dbapi"),
    "fetchall": (lambda w: w.db.fetchall(), "dbapi"),
    "tables": (lambda w: w.db.tables, r"describe\(\)"),
    "schema": (lambda w: w.db.schema, r"describe\(\)"),
    "remaining": (lambda w: w.db.remaining, "budget"),
    "spent": (lambda w: w.db.spent, "budget"),
    "a count by method": (lambda w: w.db.count("people"), r"COUNT\(\*\)"),
    "sql without a question": (lambda w: w.db.sql(), "needs query="),
    "explain without a question": (lambda w: w.db.explain(), "needs query="),
    "sql misspelt": (lambda w: w.db.sqll("SELECT 1"), "did you mean 'sql'"),
    "eps for epsilon": (lambda w: w.db.sql("SELECT COUNT(*) FROM people", eps=1), "did you mean 'epsilon'"),
    "dry rows a word": (lambda w: w.db.dummy("many"), "a whole number"),
    "no dry rows": (lambda w: w.db.dummy(0), "a whole number"),
    "a profile by place": (lambda w: w.db.profile(1), "by name"),
    "budget's remaining": (lambda w: w.db.budget.remaining, "has no 'remaining'"),
    "answer + 1": (lambda w: w.number + 1, r"float\(answer\)"),
    "1 + answer": (lambda w: 1 + w.number, r"float\(answer\)"),
    "2 * answer": (lambda w: 2 * w.number, r"float\(answer\)"),
    "answer > 3": (lambda w: w.number > 3, r"float\(answer\)"),
    "table - 1": (lambda w: w.table - 1, r"to_pandas\(\)"),
    "a column as attribute": (lambda w: w.table.city, r"answer\['city'\]"),
    "an answer's head": (lambda w: w.table.head(), "has no 'head'"),
    "interval for intervals": (lambda w: w.table.to_pandas(interval=True), "did you mean 'intervals'"),
    "no level": (lambda w: w.number.interval(), "needs level="),
    "a table as a number": (lambda w: float(w.table), "one number"),
    "a table in a form": (lambda w: f"{w.table:.2f}", "one number"),
    "amplify by a number": (lambda w: guarantees.PureDP(1).amplify(0.1), "must be a Sampling, got a float"),
    "amplify by a word": (lambda w: guarantees.PureDP(1).amplify("half"), "must be a Sampling"),
    "guarantees added": (lambda w: guarantees.PureDP(1) + guarantees.PureDP(1), "compose"),
    "guarantee < 1": (lambda w: guarantees.PureDP(1) < 1, r"epsilon\(delta\)"),
    "no epsilon": (lambda w: guarantees.PureDP(), "needs epsilon="),
    "no delta": (lambda w: guarantees.ApproxDP(1), "needs delta="),
    "a ledger without a place": (lambda w: Ledger.open(), "needs path="),
    "a ledger's spend": (lambda w: w.ledger.spend(1), "has no 'spend'"),
    "a charge without unit": (lambda w: w.ledger.reserve(guarantees.PureDP(1), dataset="people"), "needs unit="),
    "seeded bits": (lambda w: noise.Bits(42), "Bits takes its arguments by name"),
    "a draw of nothing": (lambda w: noise.DiscreteLaplace(1).sample(), "needs bits="),
    "a draw without size": (lambda w: noise.DiscreteLaplace(1).sample(noise.Bits()), "needs size="),
    "policy of nothing": (lambda w: Policy.load(), "needs path="),
    "declared nothing": (lambda w: Policy.declare(), "needs table="),
    "unit by place": (lambda w: dalenius.connect(w.folder / "people.parquet", "person"), "by name"),
    "a package that is not there": (lambda w: dalenius.statistic, "did you mean 'statistics'"),
    "a function that is not there": (lambda w: dalenius.synthesize(), "did you mean 'synthesis'"),
    "settings misspelt": (lambda w: w.connect(settings={"memry_limit": "1GB"}), "memry_limit"),
    "settings as a word": (lambda w: w.connect(settings="1GB"), "memory_limit"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("newcomer"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_with_an_object_names_the_remedy_and_shows_no_row(world, name):
    refused(*MISTAKES[name], world)


def test_an_answer_of_one_number_is_formatted_and_rounded(world):
    assert f"{world.number:.0f}" == f"{float(world.number):.0f}"
    assert round(world.number, 1) == round(float(world.number), 1)
    assert f"{world.number}" == str(world.number)
