import json
from fractions import Fraction

from typer.testing import CliRunner

from dalenius.cli.app import app
from dalenius.cli.mechanisms import MechanismLine, first_of_each
from dalenius.mechanisms import CATALOG


def listed():
    return json.loads(CliRunner().invoke(app, ["mechanisms", "--json"]).output)


def test_every_type_of_the_catalog_stands_on_one_line():
    names = [line["name"] for line in listed()]
    assert names == list(dict.fromkeys(entry.mechanism.name for entry in CATALOG))
    assert len(names) == len({type(entry.mechanism) for entry in CATALOG})


def test_the_table_tells_name_privacy_error_and_theorem():
    output = CliRunner().invoke(app, ["mechanisms"]).output
    lines = {entry.mechanism.name: MechanismLine.of(entry) for entry in first_of_each()}
    for name, line in lines.items():
        (row,) = [row for row in output.splitlines() if row.startswith(f" {name}  ")]
        assert line.privacy in row
        assert line.radius in row
        assert line.theorem.split()[0] in row
    assert "discrete_gaussian" in lines


def test_numbers_are_never_below_what_is_proved():
    for entry, line in zip(first_of_each(), listed(), strict=True):
        guarantee = entry.mechanism.guarantee(entry.sensitivity, entry.relation)
        assert Fraction(line["epsilon"]) >= guarantee.epsilon(float(line["delta"]))
        if line["error"] is not None:
            assert Fraction(line["error"]) >= entry.mechanism.accuracy("0.05", line["cells"])


def test_a_mechanism_without_accuracy_has_a_dash():
    lines = {entry.mechanism.name: MechanismLine.of(entry) for entry in first_of_each()}
    assert (lines["sparse vector"].error, lines["sparse vector"].radius) == (None, "–")
    assert (lines["geometric"].privacy, lines["geometric"].radius) == ("ε 1", "3")
    assert lines["gaussian"].privacy == "ε 2.2541, δ 1e-06"
    assert lines["noisy max, Gumbel"].radius.endswith("(of 100)")
