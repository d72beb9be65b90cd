import tomllib
from fractions import Fraction

import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import Policy
from dalenius.sql.policy_file import read, write


def test_a_policy_comes_back_from_its_file(tmp_path):
    policy = Policy.declare(
        "t",
        {"who": "BIGINT", 'odd "name"': "VARCHAR", "x": "DOUBLE", "d": "DATE"},
        unit="who",
        keys={'odd "name"': ["a", "\u00e9\n\\", ""]},
        bounds={"x": (-1.5, 3), "d": ("2023-01-01", "2024-01-01")},
        contributions=3,
        fill={"x": 0},
        infinity="null",
        source="t.parquet",
        budget={"epsilon": 0.5},
        version="1",
    )
    policy.save(tmp_path / "policy.toml")
    assert Policy.load(tmp_path / "policy.toml") == policy


def test_values_of_every_type_are_toml():
    text = write({"a": True, "b": 0.1, "c": Fraction(1, 3), "d": None, "e": {"x y": [1, "z"]}}, {"a": "why"})
    assert tomllib.loads(text) == {"a": True, "b": 0.1, "c": "1/3", "e": {"x y": [1, "z"]}}
    assert text.startswith("# why\n")


@pytest.mark.parametrize("text", ["x = ", "table = 't'", "table = 't'\nunit = 'row'\ncolumns = {}\nbudgets = 3"])
def test_what_is_no_policy_is_refused(tmp_path, text):
    (tmp_path / "policy.toml").write_text(text)
    with pytest.raises(InvalidParameter):
        read(tmp_path / "policy.toml")
    with pytest.raises(InvalidParameter, match="no policy"):
        read(tmp_path / "absent.toml")
