"""CPU seconds and square errors of one library on the questions of query_workload.py. Prints one line of JSON.

Arguments: library, folder, answers, questions with their settings, as in Q2@50x3+gauss. Answers are a number, or
least-most:seconds, which goes on until it has taken so much CPU. Libraries joined by + are asked in turns, each answer
of one right after that of the other. Loading a table into a library's own form is not counted.
"""

import json
import os
import resource
import statistics
import sys
import tempfile
from pathlib import Path

from query_peers import OpenDP, PipelineDP, Qrlew, SmartNoise
from query_workload import CLIP, DELTA, EPSILON, JOINED, KEYS, SEGMENTS, UNKNOWN, asked, squares, table, truth, users


def cpu():
    """Seconds of this process and its children."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


class Dalenius:
    def __init__(self, folder):
        self.place, self.users = table(folder), users(folder)
        self.ledgers = tempfile.TemporaryDirectory()
        self.sessions = {}

    def ask(self, text):
        question = asked(text)
        session = self.sessions.get(text) or self._session(text, question)
        extra = {"delta": DELTA} if question.gauss else {}
        if question.name == UNKNOWN:
            extra = {"delta": DELTA, "groups": question.query.groups}
        return self._cells(question.query, session.sql(question.query.sql(), epsilon=EPSILON, fresh=True, **extra))

    def _cells(self, query, answer):
        split = len(query.keys)
        if not split:
            return {"": list(answer.value.values()) if len(query.aggregates) > 1 else [answer.value]}
        return {"|".join(map(str, row[:split])): list(row[split:]) for row in answer.rows}

    def _session(self, text, question):
        import dalenius

        most = question.query.bound * CLIP  # what a person spent is all that is held, as the other systems have it
        bounds = {"amount": (0, most), "SUM(amount)": (0, most)} if question.held_sum else {"amount": (0, CLIP)}
        self.sessions[text] = dalenius.connect(
            self.place,
            unit="user_id",
            contributions=question.query.bound,
            budget={"epsilon": 10**6, "delta": 0.5},
            ledger=Path(self.ledgers.name) / f"{len(self.sessions)}.ledger",
            keys={**KEYS, "users.segment": SEGMENTS} if question.name == JOINED else KEYS,
            bounds=bounds,
            tables={"users": self.users} if question.name == JOINED else None,
        )
        return self.sessions[text]


class Prepared(Dalenius):
    """After prepare(), which is measured apart; a WHERE is answered from the prepared table because that is asked."""

    spent = 0.0

    def ask(self, text):
        query = asked(text).query
        session = self.sessions.get(text) or self._session(text, asked(text))
        wanted = {"prepared": True} if query.where else {}
        return self._cells(query, session.sql(query.sql(), epsilon=EPSILON, fresh=True, **wanted))

    def ready(self, text):
        start = cpu()
        session = self._session(text, asked(text))
        session.prepare(Path(self.ledgers.name) / f"{asked(text).query.bound}.prepared")
        self.spent = cpu() - start


class Exact:
    """DuckDB without privacy."""

    def __init__(self, folder):
        import duckdb

        self.connection = duckdb.connect()
        for name, place in (("purchases", table(folder)), ("users", users(folder))):
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{place}'")

    def ask(self, text):
        query = asked(text).query
        rows = self.connection.execute(self.written(query)).fetchall()
        split = len(query.keys)
        return {"|".join(map(str, row[:split])): [float(x) for x in row[split:]] for row in rows}

    def written(self, query):
        return query.sql()


class Baseline(Exact):
    """COUNT(DISTINCT user_id) of the question's own rows and groups."""

    def written(self, query):
        return query.baseline


LIBRARIES = {
    "dalenius": Dalenius,
    "dalenius-prepared": Prepared,
    "duckdb": Exact,
    "duckdb-distinct": Baseline,
    "opendp-polars": OpenDP,
    "smartnoise": SmartNoise,
    "pipeline-dp": PipelineDP,
    "qrlew": Qrlew,
}


def limits(text):
    """The least and the most answers, and the CPU seconds after which the least are enough."""
    least, _, rest = text.partition("-")
    most, _, seconds = rest.partition(":")
    return int(least), int(most or least), float(seconds or "inf")


def ask_in_turns(adapters, text, least, most, enough):
    """CPU seconds and answers of each library; one without this question has none, and says so in its own words."""
    spent, answers, failed = ({library: [] for library in adapters} for _ in range(3))
    for number in range(most):
        if number >= least and sum(map(sum, spent.values())) >= enough:
            break
        for library, adapter in adapters.items():
            if failed[library]:
                continue
            start = cpu()
            try:
                answers[library].append(adapter.ask(text))
            except Exception as refused:
                failed[library].append(refused)
                print(f"{library} {text}: {type(refused).__name__}: {str(refused)[:200]}", file=sys.stderr)
                continue
            spent[library].append(cpu() - start)
    return spent, answers


def measure(libraries, folder, answers, texts):
    """What each library took and erred, {library: {text: …}}."""
    adapters = {library: LIBRARIES[library](folder) for library in libraries.split("+")}
    exact, measured = truth(folder), {library: {} for library in adapters}
    for text in texts:
        for adapter in adapters.values():
            if hasattr(adapter, "ready"):
                adapter.ready(text)
        spent, answered = ask_in_turns(adapters, text, *limits(answers))
        for library, adapter in adapters.items():
            if answered[library]:
                measured[library][text] = {
                    "cpu": statistics.median(spent[library]),
                    "ready": getattr(adapter, "spent", 0.0),
                    "squares": []
                    if library == "duckdb-distinct"
                    else [squares(answer, exact[asked(text).name]) for answer in answered[library]],
                }
    return measured


PROCESSES = {"smartnoise": 2, "pipeline-dp": 2, "qrlew": 2}
"""Peers that take minutes are asked by several processes at once, each with some of the questions; CPU is of one."""


def in_processes(library, folder, answers, texts):
    """The same as `measure`, each process with every n-th text."""
    readers = []
    for first in range(PROCESSES[library]):
        reader, writer = os.pipe()
        if os.fork() == 0:
            os.close(reader)
            with os.fdopen(writer, "w") as out:
                json.dump(measure(library, folder, answers, texts[first :: PROCESSES[library]]), out)
            os._exit(0)
        os.close(writer)
        readers.append(reader)
    measured = {}
    for reader in readers:
        with os.fdopen(reader) as written:
            measured |= json.loads(written.read())[library]
        os.wait()
    return {library: measured}


def main(libraries, folder, answers, *texts):
    several = libraries in PROCESSES and len(texts) >= PROCESSES[libraries]
    measured = (in_processes if several else measure)(libraries, folder, answers, texts)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"libraries": measured, "peak": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
