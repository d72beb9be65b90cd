"""Commands print through `cli.output` alone, so that no command forgets an escape."""

import ast
import csv
import io
from pathlib import Path

import pytest

from dalenius import cli
from dalenius.cli.output import say, say_csv, say_json, shown
from dalenius.escape import csv_text

FILES = sorted(path for path in Path(cli.__file__).parent.glob("*.py") if path.name != "output.py")
BARE = {"typer.echo", "typer.secho", "click.echo", "json.dumps", "json_.dumps", "csv.writer", "csv.DictWriter", "print"}
RENDERED = {("query.py", "typer.echo")}  # what `render` has made with json_text and csv_text


def bare_calls(text):
    """Calls that print or write without an escape, and lines for rich that are not of `shown`."""
    for call in (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Call)):
        name = ast.unparse(call.func)
        if name in BARE or name == "Text":
            yield name
        if name.endswith((".print", ".add_row")):
            yield from (ast.unparse(one) for one in call.args if isinstance(one, ast.JoinedStr) and _quotes(one))


def _quotes(text):
    """Whether a text has a field that is not one of the demo's own words."""
    fields = [ast.unparse(part.value) for part in text.values if isinstance(part, ast.FormattedValue)]
    return any(not field.isupper() and field not in OWN_WORDS for field in fields)


OWN_WORDS = {"number", "question.words", "line", "question.epsilon", "session.budget"}
"""Constants of the demo, and numbers."""


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_no_command_prints_by_itself(path):
    found = {(path.name, name) for name in bare_calls(path.read_text(encoding="utf-8"))}
    allowed = RENDERED | {("render.py", "Text"), ("app.py", "typer.echo")}
    assert found - allowed == set()


@pytest.mark.parametrize(
    "line",
    ["typer.echo(name)", "print(name)", "json.dumps(x)", "Text(name)", "console.print(f'{name} left')"],
)
def test_a_command_that_does_is_seen(line):
    assert list(bare_calls(line))


def test_each_kind_of_output_is_escaped(capsys):
    say("a\x1b[2J\nb")
    say("\x9b", err=True)
    say_json({"k": "\u202e"}, indent=None)
    say_csv(["=k"], [["@x"], [-1]])
    out, err = capsys.readouterr()
    assert out == "a\\x1b[2J\nb\n" + '{"k": "\\u202e"}\n' + "'=k\n'@x\n-1\n"
    assert err == "\\x9b\n"
    assert shown("[red]\x1b", style="bold").plain == r"[red]\x1b"


def test_csv_is_read_back():
    written = csv_text(["a,b", "c"], [['"', 1], [None, 2], ["", 3]])
    assert list(csv.reader(io.StringIO(written))) == [["a,b", "c"], ['"', "1"], ["", "2"], ["", "3"]]
    assert written.splitlines()[2:] == [",2", '"",3']  # NULL, and a text without letters
