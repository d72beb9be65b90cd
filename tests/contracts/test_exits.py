"""Every exit: whatever text the rows, the owner or an analyst chose, nothing of it acts where it is shown.

An exit is a function from a text to what somebody sees of it. Each is run over every hostile text, which stands in it
as a key of the data, as a name in a question, as a name of a table, or in what a ledger keeps.
"""

import csv
import html
import inspect
import io
import json
import pkgutil
import re
from importlib import import_module
from xml.etree import ElementTree

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import dalenius
from dalenius import charts, cli, dbapi, escape, progress
from dalenius.charts import theme
from dalenius.cli import render
from dalenius.cli.app import app
from dalenius.errors import DaleniusError
from dalenius.guarantees import PureDP
from dalenius.ledger import Ledger, Receipt
from dalenius.neighbors import Unit
from dalenius.queries import Count, Keys

HOSTILE = {
    "script": "</script><script>alert(1)</script>",
    "comment": "<!--<script>",
    "image": "<img src=x onerror=alert(1)>",
    "clear": "\x1b[2J\x1b]0;title\x07",
    "C1": "\x9b31m\x85",
    "bidi": "\u202etxt.exe\u2066",
    "lines": "a\u2028b\u2029c",
    "return": "a\rb",
    "delete": "\x7f\x08",
    "tag letters": "\U000e0041",
    "=": "=cmd()|'/c calc'!A1",
    "+": "+1+1",
    "-": "-1+1",
    "@": "@SUM(1)",
    "tab": "\t=1",
    "leading return": "\r=1",
    "semicolon": "a;=1+1",
    "quotes": "\"'`\\",
    "markup": "[red]x[/red][link=https://example.org]",
    "expression": "datum['value'] {{1+1}} ${1}",
}
"""No text has a plain line break: it stands alone, below."""


@pytest.fixture(scope="module")
def shop(tmp_path_factory):
    """A table in which every hostile text is a key, asked of with hostile names; and its ledger."""
    folder = tmp_path_factory.mktemp("exits")
    keys = list(HOSTILE.values())
    pq.write_table(pa.table({"u": range(4 * len(keys)), "k": keys * 4}), folder / "t.parquet")
    connection = dbapi.connect(
        *(folder / "t.parquet",),
        **{"table": "t", "unit": "u", "contributions": 1, "keys": {"k": keys}},
        **{"budget": {"epsilon": 999, "delta": "0.1"}, "ledger": folder / "t.ledger", "epsilon": 1},
    )
    return folder, connection


@pytest.fixture(scope="module")
def answer(shop):
    return shop[1].session.sql("SELECT k, COUNT(*) AS n FROM t GROUP BY k", epsilon=1, key="keys")


def quoted(text):
    return '"' + text.replace('"', '""') + '"'


def naming(*texts):
    """A question in which each of the texts is a name."""
    return (
        f"SELECT k, {', '.join(f'COUNT(*) AS {quoted(text)}' for text in texts or HOSTILE.values())} FROM t GROUP BY k"
    )


@pytest.fixture(scope="module")
def named(shop):
    """An answer in which every hostile text is a name."""
    return shop[1].session.sql(naming(), epsilon=1, key="names")


def run(*words):
    done = CliRunner().invoke(app, list(map(str, words)))
    assert done.exit_code == 0, done.output
    return done.stdout


def typed(answer):
    return render.as_table(answer)


def refusal(text):
    try:
        raise DaleniusError(f"no column {text}")
    except DaleniusError as refused:
        return str(refused)


ALL = "".join(HOSTILE.values())[-200:]
"""As much as a name in a ledger may hold, control characters of each kind among it."""


@pytest.fixture(scope="module")
def kept(shop):
    """A ledger in which every hostile text is an analyst, a label and a key, of a data set with a hostile name."""
    book = Ledger.open(shop[0] / "kept.ledger")
    book.create(ALL, 99, unit=ALL)
    for text in HOSTILE.values():
        asked = {"analyst": text, "label": text, "key": text, "fingerprint": "f"}
        book.reserve(PureDP(1), dataset=ALL, unit=ALL, **asked)
    book.share(ALL, HOSTILE["clear"], 9)
    return shop[0] / "kept.ledger"


def explained(shop, *options):
    terms = ("--unit", "u", "--contributions", 1, "--keys", "k=a")
    return run("explain", shop[0] / "t.parquet", naming(), "--epsilon", 1, *terms, *options)


def waiting(text, monkeypatch):
    out = io.StringIO()
    out.isatty = lambda: True
    monkeypatch.setattr("sys.stderr", out)
    monkeypatch.setattr(progress, "DELAY", 0)
    with progress.working(text):
        pass
    return "".join(re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", out.getvalue()).split("\r"))  # rich's own codes


EXITS = {
    "repr of an answer": lambda shop, answer, named, kept: repr(answer),
    "repr of an answer, names": lambda shop, answer, named, kept: repr(named),
    "str of an answer": lambda shop, answer, named, kept: str(named),
    "the command line's table": lambda shop, answer, named, kept: typed(answer),
    "the command line's table, names": lambda shop, answer, named, kept: typed(named),
    "query --json": lambda shop, answer, named, kept: render.as_json(answer),
    "query --json, names": lambda shop, answer, named, kept: render.as_json(named),
    "query --csv": lambda shop, answer, named, kept: render.as_csv(answer),
    "query --csv, names": lambda shop, answer, named, kept: render.as_csv(named),
    "explain": lambda shop, answer, named, kept: explained(shop),
    "explain --json": lambda shop, answer, named, kept: explained(shop, "--json"),
    "explanation": lambda shop, answer, named, kept: str(shop[1].session.explain(naming(), epsilon=1)),
    "budget show": lambda shop, answer, named, kept: run("budget", "show", kept, "--", ALL),
    "budget show --json": lambda shop, answer, named, kept: run("budget", "show", kept, "--json", "--", ALL),
    "budget export": lambda shop, answer, named, kept: run("budget", "export", kept, "--", ALL),
    "budget export --json": lambda shop, answer, named, kept: run("budget", "export", kept, "--json", "--", ALL),
    "budget create": lambda shop, answer, named, kept: run(
        "budget",
        "create",
        shop[0] / f"{len(list(shop[0].iterdir()))}.ledger",
        "--epsilon=1",
        f"--unit={ALL}",
        "--",
        ALL,
    ),
    "an error": lambda shop, answer, named, kept: refusal(ALL),
    "a refusal of SQL": lambda shop, answer, named, kept: refused(shop, f"SELECT COUNT(*) FROM {quoted(ALL)}"),
    "a refusal of a column": lambda shop, answer, named, kept: refused(shop, f"SELECT SUM({quoted(ALL)}) FROM t"),
    "a refusal of syntax": lambda shop, answer, named, kept: refused(shop, f"SELECT {ALL} FROM"),
    "a refusal of the database interface": lambda shop, answer, named, kept: refused_by_cursor(shop),
    "str of a query": lambda shop, answer, named, kept: str(Count(Keys(ALL, ["a"]))),
    "str of a unit": lambda shop, answer, named, kept: str(Unit(ALL)),
    "str of a receipt": lambda shop, answer, named, kept: str(Receipt(ALL, PureDP(1), Unit(None), "", 1)),
    "chart's file of JSON": lambda shop, answer, named, kept: saved(shop, answer, ".json"),
    "SVG": lambda shop, answer, named, kept: saved(shop, answer, ".svg"),
    "HTML": lambda shop, answer, named, kept: saved(shop, answer, ".html").split("<body>")[-1],
    "policy init": lambda shop, answer, named, kept: surveyed(shop),
    "a notebook's answer": lambda shop, answer, named, kept: html.unescape(named._repr_html_()),
    "a notebook's description": lambda shop, answer, named, kept: html.unescape(
        shop[1].session.describe("t")._repr_html_()
    ),
    "an answer's CSV": lambda shop, answer, named, kept: answer.to_csv(),
    "an answer's JSON": lambda shop, answer, named, kept: answer.to_json(),
}
"""Every way by which a text leaves. A new exit is one entry more."""


def refused(shop, text):
    with pytest.raises(DaleniusError) as caught:
        shop[1].session.explain(text, epsilon=1)
    return str(caught.value)


def refused_by_cursor(shop):
    with pytest.raises(dbapi.Error) as caught:
        shop[1].cursor().execute(f"SELECT COUNT(*) FROM {quoted(ALL)}")
    return str(caught.value)


def created(shop):
    (shop[0] / "made.ledger").unlink(missing_ok=True)
    return run("budget", "create", shop[0] / "made.ledger", "--epsilon=1", f"--unit={ALL}", "--", ALL)


def surveyed(shop):
    for name in ("policy.toml", "policy.survey.toml"):
        (shop[0] / name).unlink(missing_ok=True)
    told = run("policy", "init", shop[0] / "t.parquet", "--unit", "u", "--out", shop[0] / "policy.toml")
    return told + (shop[0] / "policy.toml").read_text(encoding="utf-8")


def saved(shop, answer, kind):
    file = shop[0] / f"x{kind}"
    if not file.exists():
        charts.save(charts.answer(answer), file)
    return file.read_text(encoding="utf-8")


@pytest.mark.parametrize("exit_", EXITS)
def test_no_letter_that_is_unseen_leaves(shop, answer, named, kept, exit_):
    told = EXITS[exit_](shop, answer, named, kept)
    assert told
    assert {letter for letter in told if letter != "\n" and not escape.is_seen(letter)} == set()


def test_a_sign_of_life_shows_no_code_of_a_table(monkeypatch):
    for text in HOSTILE.values():
        told = waiting(text, monkeypatch)
        assert escape.terminal(text)[:8] in told
        assert {letter for letter in told if letter != "\n" and not escape.is_seen(letter)} == set()


def test_json_says_what_was_there(answer, kept):
    assert [row["k"] for row in json.loads(render.as_json(answer))["rows"]] == list(HOSTILE.values())
    log = json.loads(run("budget", "export", kept, "--json", "--", ALL))
    told = [one for one in log if one["kind"] == "reserve"]
    assert [(one["analyst"], one["label"], one["key"]) for one in told] == [(text,) * 3 for text in HOSTILE.values()]


NUMBER = re.compile(r"-?\d+(\.\d+)?(e-?\d+)?")


def formulas(text):
    """Cells of a CSV that a spreadsheet would work out, cut at commas or, where it is so, at semicolons."""
    cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
    parts = [part for cell in cells for part in cell.split(";")]
    return [part for part in parts if part.startswith(tuple("=+-@\t\r")) and not NUMBER.fullmatch(part)]


@pytest.mark.parametrize("exit_", [name for name in EXITS if "csv" in name or name == "budget export"])
def test_no_cell_of_a_csv_is_a_formula(shop, answer, named, kept, exit_):
    assert formulas(EXITS[exit_](shop, answer, named, kept)) == []


def chart_of(text):
    """Every chart that takes a text of its caller."""
    guarantees = {text: PureDP(1)}
    yield charts.trade_off(guarantees)
    yield charts.privacy_profile(guarantees)
    yield charts.epsilon_by_steps(guarantees, 4, 1e-6)


PAGES = {
    "to_html": lambda chart: chart.to_html(),
    "a notebook": lambda chart: json.dumps(chart._repr_mimebundle_()["text/html"]),
    "a fragment": lambda chart: chart.to_html(fullhtml=False),
    "JSON": lambda chart: chart.to_json(),
}


@pytest.mark.parametrize("page", PAGES)
def test_a_chart_runs_no_script_however_it_is_shown(answer, named, page):
    drawn = [charts.answer(answer), charts.answer(named), charts.answer(named, column=HOSTILE["image"])]
    for chart in [*drawn, *chart_of(HOSTILE["script"] + HOSTILE["comment"])]:
        assert acts(PAGES[page](chart)) == []


def acts(text):
    """What of the hostile texts would act in a page."""
    return [word for word in ("alert(1)</", "<script>alert", "<img src=x", "<!--<", "\x1b") if word in text]


def test_a_saved_page_runs_no_script_of_another_chart_either(tmp_path):
    alt = theme.altair()
    chart = alt.Chart(alt.Data(values=[{"k": HOSTILE["script"]}])).mark_point().encode(x="k:N")
    assert acts(chart.to_html()) != []  # altair itself escapes nothing
    assert acts(charts.save(chart, tmp_path / "x.html").read_text(encoding="utf-8")) == []


def test_svg_is_well_formed_and_has_no_element_of_a_key(shop, answer):
    root = ElementTree.fromstring(saved(shop, answer, ".svg"))
    assert {node.tag.rpartition("}")[2] for node in root.iter()} <= {"svg", "g", "path", "text", "rect", "line", "defs"}


def test_a_policy_that_was_surveyed_reads_back(shop):
    surveyed(shop)
    assert set(dalenius.sql.Policy.load(shop[0] / "policy.toml").keys["k"].values) == set(HOSTILE.values())


def test_a_line_break_in_a_name_forges_no_line(shop):
    asked, session = naming("n\ncost         0-differential privacy"), shop[1].session
    forged = session.sql(asked, epsilon=1)
    for told in (str(session.explain(asked, epsilon=1)), repr(forged), typed(forged)):
        assert not [line for line in told.splitlines() if line.startswith("cost         0")]


NUMBERS_ONLY = {
    *("audit.attacks.exposure.Exposure", "curator.answer.bias.Bias", "curator.answer.bias.CutOff"),
    *("ledger.amount.Amount", "ledger.cost.Cost", "statistics.expected.Expected", "noise.bits.Bits"),
    *("mechanisms.sparse_vector.SparseRun", "learning.data.encoded_rows.Coded"),
    *("learning.estimators.validation.CrossValidation", "local.aggregator.Aggregator", "local.compare.Comparison"),
    *("local.wire.Reports", "queries.bounds.Bounds", "queries.view.View", "neighbors.relation.Relation"),
    *("sql.session.Session", "sql.plans.sums.QueryExplanation", "sql.views.description.Description"),
    *("queries.moment_bound.MomentBound", "sql.policy_check.PolicyCheck", "mechanisms.one_line.NoisyValue"),
    *("ledger.secret_sample.SecretSample", "server.console.pace.Pace", "sql.policy.sum_bounds.SumBound"),
    *("remote.session.RemoteSession", "remote.answers.RemoteExplanation", "sql.error_table.ErrorTable"),
    *("curator.release.TablesRelease",),
    *("neighbors.sensitivity.Metric", "neighbors.sensitivity.Sensitivity", "curator.release.Release"),
}
"""Classes that show numbers and words of ours alone, or what another class has escaped; guarantees besides."""


def bare_shows(modules):
    """Classes that say how they are shown, without the escape."""
    for module in modules:
        for cls in vars(module).values():
            if not inspect.isclass(cls) or cls.__module__ != module.__name__:
                continue
            for way in ("__str__", "__repr__", "_repr_html_"):
                show = vars(cls).get(way)
                written = inspect.isfunction(show) and show.__code__.co_filename == module.__file__
                if written and not hasattr(show, "__wrapped__"):
                    yield f"{module.__name__}.{cls.__name__}".removeprefix("dalenius.")


def every_module():
    for found in pkgutil.walk_packages(dalenius.__path__, "dalenius."):
        if not found.name.startswith(("dalenius.__main__", "dalenius.learning.torch")):
            yield import_module(found.name)


def test_every_class_that_says_how_it_is_shown_escapes_it():
    bare = {name for name in bare_shows(every_module()) if not name.startswith(("guarantees.", "errors."))}
    assert bare - NUMBERS_ONLY == set()


def test_letters_that_all_pass_are_seen(shop, answer, named, kept, monkeypatch):
    safe = set(EXITS) - {"chart's file of JSON", "SVG", "HTML"}
    safe -= {name for name in safe if "refusal" in name}  # they quote by repr, and are escaped besides
    seen_by, is_seen = {}, escape.is_seen
    monkeypatch.setattr(escape, "is_seen", lambda letter: True)
    monkeypatch.setattr("dalenius.sql.policy.toml.is_seen", lambda letter: ord(letter) > 127 or letter.isprintable())
    for name in safe:
        seen_by[name] = any(not is_seen(letter) for letter in EXITS[name](shop, answer, named, kept) if letter != "\n")
    assert {name for name, seen in seen_by.items() if not seen} == set()


def test_formulas_that_all_pass_are_seen(answer, monkeypatch):
    monkeypatch.setattr(escape, "_FORMULA", re.compile("(?!)()()"))
    assert len(formulas(render.as_csv(answer))) >= 5


def test_charts_whose_texts_pass_are_seen(answer, monkeypatch):
    monkeypatch.setattr(theme, "chart_text", lambda text: text)
    for page in PAGES.values():
        assert acts(page(charts.answer(answer))) != []


def test_a_class_without_the_escape_is_seen(monkeypatch):
    monkeypatch.setattr(Unit, "__str__", Unit.__str__.__wrapped__)
    assert "neighbors.unit.Unit" in set(bare_shows([import_module("dalenius.neighbors.unit")]))


def test_main_prints_an_error_without_codes(monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", ["dalenius", "budget", "show", f"no{HOSTILE['clear']}.ledger", "x"])
    with pytest.raises(SystemExit):
        cli.main()
    assert "\x1b" not in capsys.readouterr().err
