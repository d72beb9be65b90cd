import re
import time

from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.cli.demo import CENSUS_QUESTIONS, SHOP_QUESTIONS, WIDTH


def test_the_demo_answers_five_questions_charges_and_refuses_in_well_under_a_minute(tmp_path):
    start = time.process_time()
    done = CliRunner().invoke(app, ["demo", "--svg", str(tmp_path / "images" / "demo.svg")])
    assert time.process_time() - start < 30
    assert done.exit_code == 0
    assert len(re.findall(r"^ *cost ε = ", done.output, re.MULTILINE)) == 5
    assert "FROM adult" in done.output
    assert "FROM purchases" in done.output
    assert "refused: 'purchases' was asked for ε = 0.3; what is left is ε = 0.1" in done.output
    assert (tmp_path / "images" / "demo.svg").read_text(encoding="utf-8").startswith("<svg")


def test_every_question_fits_on_its_line():
    lines = [line for question in CENSUS_QUESTIONS + SHOP_QUESTIONS for line in question.sql.splitlines()]
    assert max(map(len, lines)) <= WIDTH - 3
