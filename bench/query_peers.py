"""The peers of query.py: how each is asked a question of query_workload.py, at the same ε, δ and unit."""

import json
import tempfile
from datetime import datetime
from pathlib import Path

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
    asked,
    table,
    users,
)


class OpenDP:
    """Groups are kept by their order, keep="first": keep="sample", the default, raises an error in 0.16."""

    def __init__(self, folder):
        import opendp.prelude as dp
        import polars as pl

        dp.enable_features("contrib")
        self.dp, self.pl, self.place = dp, pl, table(folder)
        self.limit = 2 * int(Path(folder).name)  # a public bound on the rows

    def ask(self, text):
        question, dp, pl = asked(text), self.dp, self.pl
        query, name, by = question.query, question.name, list(question.query.keys)
        # the noise of a float sum grows with max_length; a quantile takes a margin too
        groups = {"max_groups": 50} if by else {}
        margins = [dp.polars.Margin(by=by, max_length=self.limit, **groups)] if name in ("Q3", QUANTILES) else []
        context = dp.Context.compositor(
            data=pl.scan_parquet(self.place),
            privacy_unit=dp.unit_of(contributions=1, identifier="user_id"),
            privacy_loss=self._loss(question),
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
            candidates = [place * question.step for place in range(round(CLIP / question.step) + 1)]
            columns = [amount.dp.quantile(level, candidates).alias(str(level)) for level in QUARTILES]
            frame = frame.truncate_per_group(query.rows).select(*columns)
        elif not by:
            frame = frame.truncate_per_group(query.rows).select(dp.len(signed=True))
        else:
            frame = frame.truncate_per_group(query.rows, by=by).truncate_num_groups(query.groups, by=by, keep="first")
            amount = pl.col("amount").fill_nan(0.0).fill_null(0.0).dp.sum((0.0, CLIP))
            columns = [amount, dp.len(signed=True)] if name == "Q3" else [dp.len(signed=True)]
            frame = frame.group_by(by).agg(*columns)
            frame = frame if name == UNKNOWN else frame.with_keys(self._keys(by))
        split = len(by)
        told = {"|".join(row[:split]): list(row[split:]) for row in frame.release().collect().iter_rows()}
        return {k: [v[0], v[0] / max(v[1], 1)] for k, v in told.items()} if name == "Q3" else told

    def _loss(self, question):
        """ε; with the ρ that its own conversion turns into ε and δ where Gaussian noise is asked for."""
        if question.gauss:
            delta = {"delta": DELTA / 2} if question.name == UNKNOWN else {}
            return self.dp.loss_of(rho=self._rho(DELTA / 2 if delta else DELTA), **delta)
        return self.dp.loss_of(epsilon=EPSILON, **({"delta": DELTA} if question.name == UNKNOWN else {}))

    def _rho(self, delta):
        """The largest ρ = 1/(2σ²) of which make_zCDP_to_approxDP says ε, by halving."""
        dp, low, high = self.dp, 1.0, 100.0
        space = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        for _ in range(40):
            scale = (low + high) / 2
            profile = dp.c.make_zCDP_to_approxDP(dp.m.make_gaussian(*space, scale)).map(1.0)
            low, high = (scale, high) if profile.epsilon(delta) > EPSILON else (low, scale)
        return 1 / (2 * high**2)

    def _keys(self, by):
        frames = [self.pl.LazyFrame({name: KEYS[name]}) for name in by]
        return frames[0] if len(by) == 1 else frames[0].join(frames[1], how="cross")


SMARTNOISE_COLUMNS = {"Q3": 2}
"""How many columns ε is charged for; with censor_dims, which unknown keys need, a hidden count of keys is one more."""
QRLEW_COLUMNS = {"Q3": 3}
"""How many columns are noised, each for the whole ε."""


class SmartNoise:
    """The reader of pandas frames, which copies the frame into SQLite."""

    def __init__(self, folder):
        import pandas as pd
        from snsql.sql.reader.pandas import PandasReader

        self.reader = PandasReader(df={"d.purchases": pd.read_parquet(table(folder))}, metadata=self._metadata(1))

    def ask(self, text):
        from snsql import Privacy
        from snsql.sql.private_reader import PrivateReader

        query, name = asked(text).query, asked(text).name
        if name in (JOINED, QUANTILES):
            raise NotImplementedError("the rewrite has no quantiles, and refuses joins")
        privacy = Privacy(epsilon=EPSILON / SMARTNOISE_COLUMNS.get(name, 1), delta=DELTA)
        text = query.sql(table="d.purchases").replace("TIMESTAMP ", "")
        text = text.replace(" 00:00:00", "")
        for place, key in enumerate(query.keys):
            text = text.replace(f"{key} AS k{place}", key)
        metadata = self._metadata(query.bound, censored=name == UNKNOWN)
        rows = PrivateReader(self.reader, metadata, privacy).execute(text)[1:]
        split = len(query.keys)
        return {"|".join(row[:split]): [float(x) for x in row[split:]] for row in rows}

    def _metadata(self, bound, censored=False):
        import yaml
        from snsql.metadata import Metadata

        columns = {
            "user_id": {"type": "int", "private_id": True},
            **{name: {"type": "string"} for name in (*KEYS, "city")},
            "ts": {"type": "datetime"},
            "amount": {"type": "float", "lower": 0.0, "upper": CLIP},
        }
        options = {"max_ids": bound, "sample_max_ids": True, "clamp_columns": True, "clamp_counts": False}
        written = yaml.safe_dump({"": {"d": {"purchases": {**options, "censor_dims": censored, **columns}}}})
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

    def ask(self, text):
        metrics, question = self.library.Metrics, asked(text)
        query, name = question.query, question.name
        people, quartiles = [metrics.PRIVACY_ID_COUNT], [metrics.PERCENTILE(100 * level) for level in QUARTILES]
        columns = {"Q3": [metrics.SUM, metrics.MEAN], "D1": people, UNKNOWN: people, QUANTILES: quartiles}
        columns = {**columns, JOINED: [metrics.SUM]}.get(name, [metrics.COUNT])
        accountant = self.library.NaiveBudgetAccountant(EPSILON, DELTA)
        engine = self.library.DPEngine(accountant, self.backend)
        held = {"min_value": 0.0, "max_value": CLIP} if name in ("Q3", QUANTILES, JOINED) else {}
        if question.held_sum:
            held = {"min_sum_per_partition": 0.0, "max_sum_per_partition": query.bound * CLIP}
        kinds = self.library.NoiseKind
        parameters = self.library.AggregateParams(
            metrics=columns,
            noise_kind=kinds.GAUSSIAN if question.gauss else kinds.LAPLACE,
            max_partitions_contributed=query.groups,
            max_contributions_per_partition=query.rows,
            **held,
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

    def ask(self, text):
        from pyqrlew import Dialect

        if asked(text).name == QUANTILES:
            raise NotImplementedError("a quantile makes its rewriter panic, which ends the process")
        query, times = asked(text).query, QRLEW_COLUMNS.get(asked(text).name, 1)
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
