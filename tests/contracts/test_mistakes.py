"""Plausible mistakes of a newcomer: each ends in an error of ours that names the remedy and holds no value of a row."""

import math
import re
from typing import Any

import numpy as np
import pandas as pd
import pytest
from typer.testing import CliRunner

import dalenius
from dalenius import guarantees, learning, mechanisms, synthesis
from dalenius import statistics as st
from dalenius.cli.app import app
from dalenius.curator import Curator
from dalenius.errors import BudgetExceeded, DaleniusError
from dalenius.ledger import Ledger
from dalenius.mechanisms import Gaussian, Laplace, calibrate
from dalenius.neighbors import Metric, Sensitivity

SECRETS = ("Xanadu", "8642", "7531")
"""What stands in the rows alone: no message may hold any of it."""

FRAME = pd.DataFrame(
    {
        "person": [1, 2, 3, 4, 5, 7531],
        "age": [31.0, 42.0, 53.0, 64.0, 75.0, 8642.5],
        "city": ["Xanadu", "Oslo", "Oslo", "Rome", "Rome", "Oslo"],
    }
)
COUNT = "SELECT COUNT(*) AS n FROM people"
POLICY = """
table = "people"
source = "people.parquet"
unit = "person"
contributions = 1
[budget]
epsilon = 1
[columns]
person = "BIGINT"
age = "DOUBLE"
city = "VARCHAR"
[bounds]
age = [0, 120]
"""
X = np.linspace(-1, 1, 40).reshape(20, 2)
Y = np.arange(20) % 2
LEFT_OUT: Any = object()


class World:
    """A folder with files, a session, two answers, a ledger and a curator."""

    def __init__(self, folder) -> None:
        self.folder = folder
        FRAME.to_parquet(folder / "people.parquet")
        FRAME.to_csv(folder / "people.csv", index=False)
        (folder / "empty.csv").touch()
        (folder / "notes.txt").write_text("hello")
        (folder / "drawer").mkdir()
        self.opened = 0
        self.db = self.connect()
        self.number = self.db.sql(COUNT, epsilon=1)
        self.table = self.db.sql("SELECT city, COUNT(*) AS n FROM people GROUP BY city", epsilon=1)
        self.ledger = Ledger.open(folder / "curator.ledger")
        self.ledger.create("people", epsilon=1, unit="row")
        columns = {"age": FRAME["age"].to_numpy(), "city": FRAME["city"].to_numpy()}
        self.curator = Curator(columns, unit="row", ledger=self.ledger, dataset="people", bounds={"age": (0, 120)})

    def connect(self, data=FRAME, **terms):
        self.opened += 1
        usual = {
            **{"unit": "person", "budget": {"epsilon": 10}, "bounds": {"age": (0, 120)}, "contributions": 1},
            **{"keys": {"city": ["Oslo", "Rome"]}, "table": "people", "ledger": self.folder / f"{self.opened}.ledger"},
        }
        given = {name: term for name, term in (usual | terms).items() if term is not LEFT_OUT}
        return dalenius.connect(data, **given)

    def policy(self, old, new):
        path = self.folder / "terms.toml"
        assert old in POLICY
        path.write_text(POLICY.replace(old, new))
        return dalenius.connect(policy=path, ledger=self.folder / "policy.ledger")


def mean(*args, **given):
    return st.mean("age", *args, **given)


def logistic(**given):
    return learning.LogisticRegression(**({"epsilon": 1, "bounds": (-1, 1), "classes": [0, 1]} | given))


def linear(**given):
    return learning.LinearRegression(**({"epsilon": 1, "bounds": (-1, 1), "target_bounds": (0, 1)} | given))


CONNECT = {
    "nothing": (lambda w: dalenius.connect(), "needs ledger=.*such as"),
    "no ledger": (lambda w: w.connect(ledger=LEFT_OUT), 'ledger="people.ledger"'),
    "ledger None": (lambda w: w.connect(ledger=None), "give its path"),
    "ledger is a folder": (lambda w: w.connect(ledger=w.folder / "drawer"), "name a file in it"),
    "ledger is a CSV": (lambda w: w.connect(ledger=w.folder / "people.csv"), "no ledger"),
    "ledger in no folder": (lambda w: w.connect(ledger=w.folder / "no" / "x.ledger"), "its folder exists"),
    "no unit": (lambda w: w.connect(unit=LEFT_OUT), "unit="),
    "unit misspelt": (lambda w: w.connect(unit="persn"), "did you mean 'person'"),
    "unit a number": (lambda w: w.connect(unit=3), "a column's name"),
    "unit a column's values": (lambda w: w.connect(unit=FRAME["person"]), "a column's name"),
    "no such file": (lambda w: w.connect(w.folder / "nobody.parquet"), "there is no file"),
    "a text file": (lambda w: w.connect(w.folder / "notes.txt"), "a file such as people.parquet"),
    "an empty CSV": (lambda w: w.connect(w.folder / "empty.csv", columns={"person": "BIGINT"}), "first line"),
    "a CSV without types": (lambda w: w.connect(w.folder / "people.csv"), "declare columns="),
    "Python's types": (lambda w: w.connect(w.folder / "people.csv", columns={"age": float}), "by its name in SQL"),
    "types as a list": (lambda w: w.connect(w.folder / "people.csv", columns=["age"]), "columns={'amount'"),
    "data is a list": (lambda w: w.connect([1, 2, 3]), "Arrow, pandas or polars"),
    "data is an array": (lambda w: w.connect(np.zeros((3, 2))), "Arrow, pandas or polars"),
    "budget a number": (lambda w: w.connect(budget=1), r"dict\(epsilon=1"),
    "budget misspelt": (lambda w: w.connect(budget={"eps": 1}), r"dict\(epsilon=1"),
    "budget a word": (lambda w: w.connect(budget={"epsilon": "a lot"}), "a finite number"),
    "budget of nan": (lambda w: w.connect(budget={"epsilon": math.nan}), "a finite number"),
    "budget negative": (lambda w: w.connect(budget={"epsilon": -1}), "≥ 0"),
    "bounds reversed": (lambda w: w.connect(bounds={"age": (120, 0)}), r"\(lowest, highest\)"),
    "bounds a word": (lambda w: w.connect(bounds={"age": "0-120"}), r"\(lowest, highest\)"),
    "bounds without a column": (lambda w: w.connect(bounds=(0, 120)), "bounds={'amount'"),
    "bounds are a column": (lambda w: w.connect(bounds={"age": FRAME["age"]}), r"\(lowest, highest\)"),
    "bounds misspelt": (lambda w: w.connect(bounds={"aeg": (0, 120)}), "it has person, age, city"),
    "bounds numbered": (lambda w: w.connect(bounds={1: (0, 120)}), "bounds={'amount'"),
    "keys a word": (lambda w: w.connect(keys={"city": "Oslo"}), "a list of values"),
    "keys without a column": (lambda w: w.connect(keys=["Oslo"]), "keys={'category'"),
    "keys are a column": (lambda w: w.connect(keys={"city": FRAME["city"]}), "each public value once"),
    "keys misspelt": (lambda w: w.connect(keys={"town": ["Oslo"]}), "it has person, age, city"),
    "contributions 0": (lambda w: w.connect(contributions=0), "a whole number from 1"),
    "contributions 2.5": (lambda w: w.connect(contributions=2.5), "a whole number from 1"),
    "contributions many": (lambda w: w.connect(contributions="many"), "a whole number from 1"),
    "fill a number": (lambda w: w.connect(fill=0), "fill={'amount'"),
    "attributes a number": (lambda w: w.connect(attributes=3), "a list of columns"),
    "tables as a list": (lambda w: w.connect(tables=[FRAME]), "tables={'patients'"),
    "references as a list": (lambda w: w.connect(references=["a"]), "references={"),
    "settings a number": (lambda w: w.connect(settings=3), "settings={"),
    "table a number": (lambda w: w.connect(table=3), "must be a text"),
    "argument misspelt": (lambda w: w.connect(bound={"age": (0, 1)}), "did you mean 'bounds'"),
    "policy is a frame": (
        lambda w: dalenius.connect(policy=FRAME, ledger=w.folder / "p.ledger"),
        "the path of its file",
    ),
    "no such policy": (lambda w: dalenius.connect(policy="nobody.toml", ledger=w.folder / "p.ledger"), "no policy"),
    "policy misspelt": (lambda w: w.policy("contributions", "contribution"), "it has .*contributions"),
    "policy broken": (lambda w: w.policy("[budget]", "[budget"), "line 6, column"),
    "policy's columns": (lambda w: w.policy('"DOUBLE"', "3"), "by its name in SQL"),
    "policy's table": (lambda w: w.policy('table = "people"', "table = 3"), "must be a text"),
    "policy's source": (lambda w: w.policy('"people.parquet"', "3"), "must be a text"),
    "policy's keys": (lambda w: w.policy("[bounds]", 'keys = ["Oslo"]\n[bounds]'), "keys|columns"),
    "server without key": (lambda w: dalenius.connect("https://localhost:1"), "give key="),
}
QUESTIONS = {
    "no epsilon": (lambda w: w.db.sql(COUNT), "give epsilon"),
    "epsilon by place": (lambda w: w.db.sql(COUNT, 1), "write epsilon="),
    "eps": (lambda w: w.db.sql(COUNT, eps=1), "did you mean 'epsilon'"),
    "a lot": (lambda w: w.db.sql(COUNT, epsilon="a lot"), "a finite number"),
    "negative": (lambda w: w.db.sql(COUNT, epsilon=-1), "> 0"),
    "nan": (lambda w: w.db.sql(COUNT, epsilon=math.nan), "a finite number"),
    "epsilon is a column": (lambda w: w.db.sql(COUNT, epsilon=FRAME["age"]), "a finite number"),
    "delta 2": (lambda w: w.db.sql(COUNT, epsilon=1, delta=2), "lie in"),
    "both prices": (lambda w: w.db.sql(COUNT, epsilon=1, within=5), "give one of them"),
    "no text": (lambda w: w.db.sql(3, epsilon=1), "SELECT key"),
    "a frame": (lambda w: w.db.sql(FRAME, epsilon=1), "SELECT key"),
    "empty": (lambda w: w.db.sql("", epsilon=1), "SELECT key"),
    "SELEC": (lambda w: w.db.sql("SELEC COUNT(*) FROM people", epsilon=1), "line 1, column"),
    "CUONT": (lambda w: w.db.sql("SELECT CUONT(*) FROM people", epsilon=1), "would be answered: SELECT COUNT"),
    "table misspelt": (lambda w: w.db.sql("SELECT COUNT(*) FROM peoplez", epsilon=1), "did you mean 'people'"),
    "column misspelt": (lambda w: w.db.sql("SELECT AVG(aeg) FROM people", epsilon=1), "it has person, age, city"),
    "rows": (lambda w: w.db.sql("SELECT * FROM people", epsilon=1), "would be answered"),
    "no bounds": (lambda w: w.db.sql("SELECT SUM(person) FROM people", epsilon=1), "CLAMP"),
    "no GROUP BY": (lambda w: w.db.sql("SELECT city, COUNT(*) FROM people", epsilon=1), "GROUP BY city"),
    "AVG of a text": (lambda w: w.db.sql("SELECT AVG(city) FROM people", epsilon=1), "MODE"),
    "DROP": (lambda w: w.db.sql("DROP TABLE people", epsilon=1), "ask SELECT"),
    "explain by place": (lambda w: w.db.explain(COUNT, 1), "write epsilon="),
    "explain nothing": (lambda w: w.db.explain(3, epsilon=1), "SELECT key"),
    "describe misspelt": (lambda w: w.db.describe("peoplez"), "there is people"),
    "describe a frame": (lambda w: w.db.describe(FRAME), "by its name: people"),
    "release a text": (lambda w: w.db.release(COUNT), r"session\.sql"),
    "answer misspelt": (lambda w: w.table["m"], "it has city, n"),
    "answer's row 5": (lambda w: w.table[5], "2 rows"),
    "answer by None": (lambda w: w.table[None], "a column's name"),
    "float of a table": (lambda w: float(w.table), "by its name"),
    "int of a table": (lambda w: int(w.table), "by its name"),
    "plot one number": (lambda w: w.number.plot(), "GROUP BY"),
    "level 95": (lambda w: w.table.intervals(95), r"\[0, 1\]"),
    "to_csv in a folder": (lambda w: w.table.to_csv(w.folder / "drawer"), "name a file"),
    "to_json nowhere": (lambda w: w.table.to_json(w.folder / "no" / "a.json"), "folder that exists"),
    "to_excel nowhere": (lambda w: w.table.to_excel(w.folder / "no" / "a.xlsx"), "folder that exists"),
}
STATISTICS = {
    "array, no epsilon": (lambda w: st.mean([1, 2, 3], (0, 10)), "needs epsilon=.*epsilon=0.1"),
    "no epsilon": (lambda w: mean((0, 120)), "needs epsilon="),
    "epsilon by place": (lambda w: mean((0, 120), 1), "write epsilon="),
    "count by place": (lambda w: st.count(1), "by name: write epsilon="),
    "eps": (lambda w: mean((0, 120), eps=1), "did you mean 'epsilon'"),
    "epsilon None": (lambda w: mean((0, 120), epsilon=None), "a finite number"),
    "no bounds": (lambda w: mean(epsilon=1), "declare .lowest, highest."),
    "bounds reversed": (lambda w: mean((120, 0), epsilon=1), "reversed"),
    "bounds are a column": (lambda w: mean(FRAME["age"], epsilon=1), r"\(lowest, highest\)"),
    "a whole frame": (lambda w: st.mean(FRAME, (0, 120), epsilon=1), "not a whole frame"),
    "column None": (lambda w: st.mean(None, (0, 120), epsilon=1), "the name of a column"),
    "column misspelt": (lambda w: w.curator.release(st.mean("aeg", (0, 1), epsilon=0.01)), "it has 'age', 'city'"),
    "histogram of a word": (lambda w: st.histogram("city", "Oslo", epsilon=1), "a list of values"),
    "histogram of 3 bins": (lambda w: st.histogram("age", edges=3, epsilon=1), "a list such as range"),
    "marginals of 3": (lambda w: st.marginals(3, epsilon=1), "a list of names"),
    "about a frame": (lambda w: mean(epsilon=1, about=FRAME), "Facts or a Curator"),
    "release a function": (lambda w: w.curator.release(st.mean), "is a plan, such as"),
    "ledger by its path": (
        lambda w: Curator({"a": [1]}, unit="row", ledger="x.ledger", dataset="people"),
        "Ledger.open",
    ),
    "data by its path": (lambda w: Curator("people.csv", unit="row", ledger=w.ledger, dataset="people"), "a frame"),
}
LEARNING = {
    "no bounds": (lambda w: logistic(bounds=None).fit(X, Y), "state from public knowledge"),
    "no target bounds": (lambda w: linear(target_bounds=None).fit(X, Y), "state from public knowledge"),
    "predict first": (lambda w: logistic().predict(X), r"call fit\(…\) first"),
    "transform first": (lambda w: learning.PCA(epsilon=1, bounds=(-1, 1)).transform(X), r"call fit\(…\) first"),
    "y too short": (lambda w: logistic().fit(X, Y[:-3]), "differ in length"),
    "no y": (lambda w: logistic().fit(X), "y to be passed"),
    "one feature less": (lambda w: linear().fit(X, Y).predict(X[:, :1]), "columns that it was fitted on"),
    "one dimension": (lambda w: linear().fit(X[:, 0], Y), "reshape"),
    "a path": (lambda w: linear().fit("people.csv", "age"), "Expected 2D array"),
    "epsilon a word": (lambda w: logistic(epsilon="a lot").fit(X, Y), "a finite number"),
    "from_sql of an aggregate": (lambda w: learning.from_sql(w.db, COUNT), "without aggregates"),
    "from_sql of a frame": (lambda w: learning.from_sql(FRAME, "SELECT age FROM people"), "dalenius.connect"),
    "copy misspelt": (lambda w: synthesis.fit(w.db, ["aeg"], epsilon=1), "give keys="),
    "copy of a word": (lambda w: synthesis.fit(w.db, "age", epsilon=1), "a list of names"),
    "copy of 3": (lambda w: synthesis.fit(w.db, 3, epsilon=1), "a list of names"),
    "copy without epsilon": (lambda w: synthesis.fit(w.db, ["age"]), "needs epsilon="),
    "copy's bounds": (lambda w: synthesis.fit(w.db, ["age"], epsilon=1, bounds=(0, 1)), "bounds={'age'"),
    "copy's nulls": (lambda w: synthesis.fit(w.db, ["age"], epsilon=1, nulls=3), "a list of columns"),
    "copy's pairs": (lambda w: synthesis.fit(w.db, ["age"], epsilon=1, impossible=3), "by two columns"),
    "copy of a frame": (lambda w: synthesis.fit(FRAME, ["age"], epsilon=1), "dalenius.connect"),
}
L1 = Sensitivity(1, Metric.L1)
MATHEMATICS = {
    "bare sensitivity": (lambda w: calibrate(Laplace, 1, epsilon=1), r"Sensitivity\(1, Metric.L1\)"),
    "no target": (lambda w: calibrate(Laplace, L1), "needs one target"),
    "another norm": (lambda w: calibrate(Gaussian, L1, epsilon=1, delta=1e-5), r"\.to\(Metric.L2\)"),
    "mechanism by name": (lambda w: calibrate("laplace", L1, epsilon=1), "such as Laplace"),
    "metric by name": (lambda w: Sensitivity(1, "L1"), "Metric.L1"),
    "scale negative": (lambda w: mechanisms.Laplace(scale=-1), "> 0"),
    "noise on a word": (lambda w: dalenius.laplace("x", sensitivity=1, epsilon=1), "an array of numbers"),
    "noise for nothing": (lambda w: dalenius.laplace(8642.5), "sensitivity=: how far"),
    "noise by place": (lambda w: dalenius.laplace(8642.5, 1, 1), "write sensitivity="),
    "noise without delta": (lambda w: dalenius.gaussian(8642.5, sensitivity=1, epsilon=1), "delta=1e-6"),
    "geometric of a fraction": (lambda w: dalenius.geometric(8642.5, epsilon=1), "use laplace"),
    "guarantee negative": (lambda w: guarantees.PureDP(-1), "≥ 0"),
    "guarantee a word": (lambda w: guarantees.PureDP("a lot"), "a finite number"),
    "repeated 2.5 times": (lambda w: guarantees.PureDP(1).repeat(2.5), "a whole number"),
    "composed with 1": (lambda w: guarantees.PureDP(1).compose(1), "with guarantees only"),
    "parallel numbers": (lambda w: guarantees.parallel(1, 2), "such as PureDP"),
    "advanced of a number": (lambda w: guarantees.advanced_composition(1, 10, 1e-5), "such as PureDP"),
    "repetitions of 1": (lambda w: guarantees.most_repetitions(1, epsilon=1, delta=0), "such as PureDP"),
    "history of pairs": (lambda w: guarantees.from_opacus([(1, 2)]), "noise multiplier, sample rate"),
    "history a number": (lambda w: guarantees.from_opacus(3), "noise multiplier, sample rate"),
    "ledger None": (lambda w: Ledger.open(None), "give its path"),
    "ledger without unit": (lambda w: w.ledger.create("b", epsilon=1), 'or unit="row"'),
    "ledger's name": (lambda w: w.ledger.remaining("peoplez"), "create it"),
    "ledger's share": (lambda w: w.ledger.share("people", "ana", epsilon=1, until="tomorrow"), "such as 2027"),
    "charge of a number": (lambda w: w.ledger.reserve(1, dataset="people", unit="row"), "guarantees only"),
}
MISTAKES = {
    f"{topic}: {name}": mistake
    for topic, mistakes in (
        ("connect", CONNECT),
        ("question", QUESTIONS),
        ("statistics", STATISTICS),
        ("learning", LEARNING),
        ("mathematics", MATHEMATICS),
    )
    for name, mistake in mistakes.items()
}


def refused(mistake, remedy, world) -> None:
    """The mistake ends in an error of ours that names the remedy and shows no row."""
    with pytest.raises(DaleniusError) as refusal:
        mistake(world)
    message = str(refusal.value)
    assert re.search(remedy, message, re.DOTALL), message
    assert not [secret for secret in SECRETS if secret in f"{message} {refusal.value!r}"]


@pytest.fixture(scope="module")
def world(tmp_path_factory):
    return World(tmp_path_factory.mktemp("newcomer"))


@pytest.mark.parametrize("name", MISTAKES)
def test_a_mistake_ends_in_an_error_that_names_the_remedy_and_shows_no_row(world, name):
    refused(*MISTAKES[name], world)


def test_there_are_at_least_52_mistakes_and_no_two_are_one():
    assert len(MISTAKES) >= 52
    assert len({mistake for mistake, _ in MISTAKES.values()}) == len(MISTAKES)


def test_a_question_after_the_budget_has_ended_says_what_is_left(world):
    db = world.connect(budget={"epsilon": 1})
    db.sql(COUNT, epsilon=1)
    with pytest.raises(BudgetExceeded, match="what is left is ε = 0"):
        db.sql("SELECT AVG(age) FROM people", epsilon=1)


COMMANDS = {
    "option misspelt": (["query", "people.parquet", COUNT, "--epsilom", "1"], "--epsilon"),
    "command misspelt": (["quer"], "Did you mean 'query'"),
    "bounds without numbers": (["query", "people.parquet", COUNT, "--bounds", "age"], "amount=0:200"),
    "bounds with a dash": (["query", "people.parquet", COUNT, "--bounds", "age=0-120"], "amount=0:200"),
    "keys without values": (["query", "people.parquet", COUNT, "--keys", "city"], "category=food,toys"),
    "no such file": (["policy", "init", "nobody.csv"], "there is no file"),
    "an empty CSV": (["policy", "init", "empty.csv"], "first line"),
    "no such policy": (["policy", "check", "nobody.toml"], "no policy"),
    "no such ledger": (["budget", "show", "nobody.ledger", "people"], "there is no ledger"),
    "ledger is a CSV": (["ledger", "check", "people.csv"], "no ledger"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_a_mistake_on_the_command_line_names_the_remedy_and_shows_no_row(world, monkeypatch, name):
    command, remedy = COMMANDS[name]
    monkeypatch.chdir(world.folder)
    result = CliRunner().invoke(app, command)
    assert result.exit_code != 0
    assert isinstance(result.exception, SystemExit | DaleniusError)  # `main` prints an error of ours in one line
    text = f"{result.output} {result.exception}"
    assert remedy in text
    assert not [secret for secret in SECRETS if secret in text]
