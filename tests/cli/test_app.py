from typer.testing import CliRunner

import dalenius
from dalenius.cli.app import app


def test_version():
    done = CliRunner().invoke(app, ["--version"])
    assert done.output == f"dalenius {dalenius.__version__}\n"


def test_help_lists_every_command():
    output = CliRunner().invoke(app, ["--help"]).output
    assert all(command in output for command in ("demo", "query", "explain", "policy", "budget"))
