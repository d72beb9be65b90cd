import pandas as pd
import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import Policy, check_policy

TEXT = """table = "visits"
source = "visits.parquet"
unit = "{unit}"
{more}
[budget]
epsilon = {epsilon}
[columns]
visit_id = "BIGINT"
patient_id = "BIGINT"
ward = "VARCHAR"
cost = "DOUBLE"
[bounds]
cost = [0, {most}]
"""


def checked(folder, unit="patient_id", more='rows_per_unit = "many"', epsilon=1, most=100):
    pd.DataFrame({"visit_id": [1, 2], "patient_id": [1, 1], "ward": ["a", "b"], "cost": [1.0, 2.0]}).to_parquet(
        folder / "visits.parquet"
    )
    text = TEXT.format(unit=unit, more=more, epsilon=epsilon, most=most)
    (folder / "p.toml").write_text(text, encoding="utf-8")
    return check_policy(folder / "p.toml")


def test_a_policy_is_read_back_in_words(tmp_path):
    found = checked(tmp_path)
    text = str(found)
    assert found.ready
    assert "Protects each patient_id in visits" in text
    assert "cost counts from 0 to 100" in text
    assert "a factor of 2.72 at most: from even odds to a chance of 73.2 %" in text  # e and e / (1 + e), rounded up
    assert "a sum: ± 29957" in text  # 100 · ln 20 / 0.01, rounded up
    assert len(found.questions) == 5
    assert [doubt.split()[0] for doubt in found.doubts] == ["ward"]


@pytest.mark.parametrize(
    ("terms", "told"),
    [
        ({"unit": "visit_id", "more": ""}, "'patient_id' stands beside it"),
        ({"epsilon": 20}, "ε = 20 is large"),
        ({"most": 10**7}, "noise grows"),
        ({"more": ""}, "rows_per_unit is not said"),
    ],
)
def test_each_doubtful_term_is_told(tmp_path, terms, told):
    assert any(told in doubt for doubt in checked(tmp_path, **terms).doubts)


def test_proposed_terms_and_a_missing_budget_are_faults(tmp_path):
    assert not checked(tmp_path, more='proposed = ["bounds.cost"]').ready
    text = TEXT.format(unit="patient_id", more="", epsilon=1, most=1).replace("[budget]\nepsilon = 1\n", "")
    (tmp_path / "p.toml").write_text(text, encoding="utf-8")
    assert "no [budget]" in check_policy(tmp_path / "p.toml").faults[0]


def test_a_table_that_is_absent_is_not_checked_and_a_wrong_one_is_refused(tmp_path):
    checked(tmp_path)
    pd.DataFrame({"visit_id": [1], "patient_id": [1], "cost": [1.0]}).to_parquet(tmp_path / "o.parquet")
    with pytest.raises(InvalidParameter, match="'ward'"):
        check_policy(tmp_path / "p.toml", data=tmp_path / "o.parquet")
    (tmp_path / "visits.parquet").unlink()
    assert "not checked" in str(check_policy(tmp_path / "p.toml"))
    assert check_policy(Policy.load(tmp_path / "p.toml")).questions == ()


def test_a_policy_of_many_columns_is_read_back_in_few_lines():
    names = [f"c{place}" for place in range(400)]
    policy = Policy.declare(
        "t", {"who": "BIGINT"} | dict.fromkeys(names, "DOUBLE"), unit="who", bounds=dict.fromkeys(names, (0, 1))
    )
    told = str(check_policy(policy)).splitlines()
    assert len(told) < 80
    assert "  … and 350 more" in told
