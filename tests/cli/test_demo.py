import time

from typer.testing import CliRunner

from dalenius.cli.app import app


def test_the_demo_answers_charges_and_refuses_in_under_ten_seconds(tmp_path):
    start = time.monotonic()
    done = CliRunner().invoke(app, ["demo", "--svg", str(tmp_path / "images" / "demo.svg")])
    assert time.monotonic() - start < 10
    assert done.exit_code == 0
    assert done.output.count("± 95 %") == 3
    assert "left ε = 0.1" in done.output
    assert "refused: 'adult' was asked for ε = 0.3; what is left is ε = 0.1" in done.output
    assert (tmp_path / "images" / "demo.svg").read_text(encoding="utf-8").startswith("<svg")
