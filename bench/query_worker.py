"""CPU seconds and error of one library on the questions of query_workload.py. Prints one line of JSON.

Arguments: library, folder, runs, names of questions. Loading a table into a library's own form is not counted.
"""

import json
import resource
import statistics
import sys
import tempfile
from datetime import datetime
from pathlib import Path

sys.path.append(str(Path(__file__).parent))  # last, so that `statistics` stays the standard one
from query_workload import (
    CATEGORIES,
    CHANNELS,
    CLIP,
    DAY,
    DELTA,
    EPSILON,
    JOINED,
    KEYS,
    QUANTILES,
    QUARTILES,
    SEGMENTS,
    UNKNOWN,
    error,
    plain,
    question,
    table,
    truth,
    users,
)


def cpu():
    """Seconds of this process and its children."""
    spent = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in spent)


class Dalenius:
    def __init__(self, folder):
        self.place, self.users = table(folder), users(folder)
        self.ledgers = tempfile.TemporaryDirectory()
        self.sessions, self.asked = {}, 0

    def ask(self, name):
        query = question(name)
        session = self.sessions.get(name) or self._session(name, query)
        self.asked += 1
        unknown = {"delta": DELTA, "groups": query.groups} if plain(name) == UNKNOWN else {}
        answer = session.sql(query.sql(), epsilon=EPSILON, fresh=True, **unknown)
        return self._told(query, answer)

    def _told(self, query, answer):
        split = len(query.keys)
        if not split:
            return {"": list(answer.value.values()) if len(query.aggregates) > 1 else [answer.value]}
        return {"|".join(map(str, row[:split])): list(row[split:]) for row in answer.rows}

    def _session(self, name, query):
        import dalenius

        self.sessions[name] = dalenius.connect(
            self.place,
            unit="user_id",
            contributions=query.bound,
            budget={"epsilon": 10**6, "delta": 0.5},
            ledger=Path(self.ledgers.name) / f"{name}.ledger",
            keys={**KEYS, "users.segment": SEGMENTS} if plain(name) == JOINED else KEYS,
            bounds={"amount": (0, CLIP), **self._bounds(name, query)},
            tables={"users": self.users} if plain(name) == JOINED else None,
        )
        return self.sessions[name]

    def _bounds(self, name, query):
        """What a user may have spent in all, as the peer qrlew has it: T of the largest amounts."""
        return {"SUM(amount)": (0, query.bound * CLIP)} if plain(name) == JOINED else {}


class Spread(Dalenius):
    """With a δ over declared keys: Gaussian noise, and users bounded in ℓ2."""

    def ask(self, name):
        query = question(name)
        session = self.sessions.get(name) or self._session(name, query)
        self.asked += 1
        return self._told(query, session.sql(query.sql(), epsilon=EPSILON, delta=DELTA, fresh=True))


class Prepared(Dalenius):
    """After prepare(), which is told apart; a WHERE is answered from the prepared table because that is asked."""

    spent = 0.0

    def ask(self, name):
        query = question(name)
        session = self.sessions.get(name) or self._session(name, query)
        self.asked += 1
        wanted = {"prepared": True} if query.where else {}
        answer = session.sql(query.sql(), epsilon=EPSILON, fresh=True, **wanted)
        return self._told(query, answer)

    def ready(self, name):
        start = cpu()
        self._session(name, question(name)).prepare(Path(self.ledgers.name) / f"{question(name).bound}.prepared")
        self.spent = cpu() - start


class Exact:
    """DuckDB without privacy."""

    def __init__(self, folder):
        import duckdb

        self.connection = duckdb.connect()
        for name, place in (("purchases", table(folder)), ("users", users(folder))):
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{place}'")

    def ask(self, name):
        split = len(question(name).keys)
        rows = self.connection.execute(self.text(question(name))).fetchall()
        return {"|".join(map(str, row[:split])): [float(x) for x in row[split:]] for row in rows}

    def text(self, query):
        return query.sql()


class Baseline(Exact):
    """COUNT(DISTINCT user_id) of the question's own rows and groups."""

    def text(self, query):
        return query.baseline


GRID = [place / 2 for place in range(401)]
"""Candidates of a quantile, for a peer that takes them."""


class OpenDP:
    """Groups are kept by their order, keep="first": keep="sample", the default, raises an error in 0.16."""

    def __init__(self, folder):
        import opendp.prelude as dp
        import polars as pl

        dp.enable_features("contrib")
        self.dp, self.pl, self.place = dp, pl, table(folder)
        self.limit = 2 * int(Path(folder).name)  # a public bound on the rows

    def ask(self, name):
        query, name, dp, pl = question(name), plain(name), self.dp, self.pl
        by = list(query.keys)
        # the noise of a float sum grows with max_length; a quantile takes a margin too
        groups = {"max_groups": 50} if by else {}
        margins = [dp.polars.Margin(by=by, max_length=self.limit, **groups)] if name in ("Q3", QUANTILES) else []
        context = dp.Context.compositor(
            data=pl.scan_parquet(self.place),
            privacy_unit=dp.unit_of(contributions=1, identifier="user_id"),
            privacy_loss=dp.loss_of(epsilon=EPSILON, **({"delta": DELTA} if name == UNKNOWN else {})),
            split_evenly_over=1,
            margins=margins,
        )
        frame = context.query()
        if query.where:  # a time written out is not accepted in a filter; the month is
            frame = frame.filter((pl.col("amount") > 10) & (pl.col("ts").dt.month() < 4))
        if name == JOINED:
            raise NotImplementedError("a query starts from one private frame")
        if name == QUANTILES:
            amount = pl.col("amount").fill_nan(0.0).fill_null(0.0)
            asked = [amount.dp.quantile(level, GRID).alias(str(level)) for level in QUARTILES]
            frame = frame.truncate_per_group(query.rows).select(*asked)
        elif not by:
            frame = frame.truncate_per_group(query.rows).select(dp.len(signed=True))
        else:
            frame = frame.truncate_per_group(query.rows, by=by).truncate_num_groups(query.groups, by=by, keep="first")
            amount = pl.col("amount").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, CLIP))
            asked = [amount, dp.len(signed=True)] if name == "Q3" else [dp.len(signed=True)]
            frame = frame.group_by(by).agg(*asked)
            frame = frame if name == UNKNOWN else frame.with_keys(self._keys(by))
        split = len(by)
        told = {"|".join(row[:split]): list(row[split:]) for row in frame.release().collect().iter_rows()}
        return {k: [v[0], v[0] / max(v[1], 1)] for k, v in told.items()} if name == "Q3" else told

    def _keys(self, by):
        frames = [self.pl.LazyFrame({name: KEYS[name]}) for name in by]
        return frames[0] if len(by) == 1 else frames[0].join(frames[1], how="cross")


SMARTNOISE_COLUMNS = {"Q1": 2, "Q2": 2, "Q3": 3, "Q4": 1, "Q7": 2, "D1": 1}
"""How many columns ε is charged for, a hidden count of keys among them."""
QRLEW_COLUMNS = {"Q3": 3}
"""How many columns are noised, each for the whole ε."""


class SmartNoise:
    """The reader of pandas frames, which copies the frame into SQLite."""

    def __init__(self, folder):
        import pandas as pd
        from snsql.sql.reader.pandas import PandasReader

        self.reader = PandasReader(df={"d.purchases": pd.read_parquet(table(folder))}, metadata=self._metadata(1))

    def ask(self, name):
        from snsql import Privacy
        from snsql.sql.private_reader import PrivateReader

        query, name = question(name), plain(name)
        if name in (JOINED, QUANTILES):
            raise NotImplementedError("the rewrite has no quantiles, and refuses joins")
        privacy = Privacy(epsilon=EPSILON / SMARTNOISE_COLUMNS[name], delta=DELTA)
        text = query.sql(table="d.purchases").replace("TIMESTAMP ", "")
        text = text.replace(" 00:00:00", "")
        for place, key in enumerate(query.keys):
            text = text.replace(f"{key} AS k{place}", key)
        rows = PrivateReader(self.reader, self._metadata(query.bound), privacy).execute(text)[1:]
        split = len(query.keys)
        return {"|".join(row[:split]): [float(x) for x in row[split:]] for row in rows}

    def _metadata(self, bound):
        import yaml
        from snsql.metadata import Metadata

        columns = {
            "user_id": {"type": "int", "private_id": True},
            **{name: {"type": "string"} for name in (*KEYS, "city")},
            "ts": {"type": "datetime"},
            "amount": {"type": "float", "lower": 0.0, "upper": CLIP},
        }
        options = {"max_ids": bound, "sample_max_ids": True, "clamp_columns": True, "clamp_counts": False}
        written = yaml.safe_dump({"": {"d": {"purchases": {**options, "censor_dims": True, **columns}}}})
        with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
            file.write(written)
            file.flush()
            return Metadata.from_file(file.name)


class PipelineDP:
    """The local backend; rows are tuples."""

    def __init__(self, folder):
        import pipeline_dp
        import pyarrow.parquet as pq

        self.library, self.backend = pipeline_dp, pipeline_dp.LocalBackend()
        held = pq.read_table(table(folder), columns=["user_id", "category", "channel", "amount", "ts", "city"])
        listed = pq.read_table(users(folder))
        self.segments = dict(zip(listed["user_id"].to_pylist(), listed["segment"].to_pylist(), strict=True))
        self.rows = list(zip(*(held[name].to_pylist() for name in held.column_names), strict=True))

    def ask(self, name):
        metrics, query, name = self.library.Metrics, question(name), plain(name)
        people, quartiles = [metrics.PRIVACY_ID_COUNT], [metrics.PERCENTILE(100 * level) for level in QUARTILES]
        asked = {"Q3": [metrics.SUM, metrics.MEAN], "D1": people, UNKNOWN: people, QUANTILES: quartiles}
        asked = {**asked, JOINED: [metrics.SUM]}.get(name, [metrics.COUNT])
        accountant = self.library.NaiveBudgetAccountant(EPSILON, DELTA)
        engine = self.library.DPEngine(accountant, self.backend)
        held = {"min_value": 0.0, "max_value": CLIP} if name in ("Q3", QUANTILES, JOINED) else {}
        parameters = self.library.AggregateParams(
            metrics=asked, max_partitions_contributed=query.groups, max_contributions_per_partition=query.rows, **held
        )
        key = {0: lambda row: "", 1: lambda row: row[1], 2: lambda row: f"{row[1]}|{row[2]}"}[len(query.keys)]
        key = {UNKNOWN: lambda row: row[5], JOINED: lambda row: self.segments[row[0]]}.get(name, key)
        extractors = self.library.DataExtractors(
            privacy_id_extractor=lambda row: row[0], partition_extractor=key, value_extractor=lambda row: row[3]
        )
        last = datetime.fromisoformat(DAY)
        rows = [row for row in self.rows if row[3] > 10 and row[4] < last] if query.where else self.rows
        told = engine.aggregate(rows, parameters, extractors, public_partitions=self._public(name, query))
        accountant.compute_budgets()
        found = {key: [float(x) for x in value] for key, value in told}
        return {k: [v[1], v[0]] for k, v in found.items()} if name == "Q3" else found  # (mean, sum)

    def _public(self, name, query):
        if name in (UNKNOWN, JOINED):
            return SEGMENTS if name == JOINED else None
        return {0: [""], 1: CATEGORIES, 2: [f"{a}|{b}" for a in CATEGORIES for b in CHANNELS]}[len(query.keys)]


class Qrlew:
    """Rewrites to one SELECT, which DuckDB runs; bounds each user in ℓ2, and needs δ."""

    def __init__(self, folder):
        import duckdb
        import sqlalchemy
        from pyqrlew import Dataset

        self.connection = duckdb.connect()
        for name, place in (("purchases", table(folder)), ("users", users(folder))):
            self.connection.execute(f"CREATE VIEW {name} AS SELECT * FROM '{place}'")
        types = "user_id INTEGER, category TEXT, channel TEXT, amount REAL, ts TIMESTAMP, city TEXT"
        engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
        with engine.begin() as schema:
            schema.execute(sqlalchemy.text(f"CREATE TABLE purchases ({types})"))
            first = "1, 'cat_00', 'web', 1.0, '2024-01-01 00:00:00', 'city_0000'"
            schema.execute(sqlalchemy.text(f"INSERT INTO purchases VALUES ({first})"))
            schema.execute(sqlalchemy.text("CREATE TABLE users (user_id INTEGER, segment TEXT)"))
            schema.execute(sqlalchemy.text("INSERT INTO users VALUES (1, 'seg_00')"))
        made = Dataset.from_database("d", engine)
        told, _ = json.JSONDecoder().raw_decode(str(made).removeprefix("Dataset: "))
        size = made.size.replace('"size": "1"', f'"size": "{Path(folder).name}"')
        made = Dataset.from_str(json.dumps(told), made.schema, size).with_range(None, "purchases", "amount", 0.0, CLIP)
        for name, values in KEYS.items():
            made = made.with_possible_values(None, "purchases", name, values)
        self.dataset = made.with_possible_values(None, "users", "segment", SEGMENTS)

    def ask(self, name):
        from pyqrlew import Dialect

        if name == QUANTILES:
            raise NotImplementedError("a quantile makes its rewriter panic, which ends the process")
        query, times = question(name), QRLEW_COLUMNS.get(plain(name), 1)
        rewritten = self.dataset.relation(query.sql().replace("TIMESTAMP ", "")).rewrite_with_differential_privacy(
            self.dataset,
            [("purchases", [], "user_id"), ("users", [], "user_id")],
            {"epsilon": EPSILON / times, "delta": DELTA / times},
            max_multiplicity=float(query.bound),
            max_multiplicity_share=1.0,
        )
        rows = self.connection.execute(rewritten.relation().to_query(Dialect.PostgreSql)).fetchall()
        split = len(query.keys)
        return {"|".join(row[:split]): [float(x or 0) for x in row[split:]] for row in rows}


LIBRARIES = {
    "dalenius": Dalenius,
    "dalenius-delta": Spread,
    "dalenius-prepared": Prepared,
    "duckdb": Exact,
    "duckdb-distinct": Baseline,
    "opendp-polars": OpenDP,
    "smartnoise": SmartNoise,
    "pipeline-dp": PipelineDP,
    "qrlew": Qrlew,
}


def main(library, folder, runs, *names):
    adapter, exact, told = LIBRARIES[library](folder), truth(folder), {}
    for name in names:
        seconds, answers = [], []
        if library == "dalenius-prepared":
            adapter.ready(name)
        for _ in range(int(runs)):
            start = cpu()
            try:
                answers.append(adapter.ask(name))
            except Exception as failed:  # a peer without this question is skipped, with its words
                print(f"{library} {name}: {type(failed).__name__}: {str(failed)[:200]}", file=sys.stderr)
                break
            seconds.append(cpu() - start)
        if answers:
            told[name] = {
                "cpu": statistics.median(seconds),
                "runs": len(answers),
                "ready": getattr(adapter, "spent", 0.0),
                "error": error(answers, exact[name.split("@")[0]]) if library != "duckdb-distinct" else [],
            }
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(json.dumps({"queries": told, "peak": peak}))


if __name__ == "__main__":
    main(*sys.argv[1:])
