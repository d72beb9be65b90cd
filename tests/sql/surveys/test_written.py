import tomllib

import pandas as pd

from dalenius.sql import policy_text, survey, survey_text


def test_two_files_of_toml_of_which_one_tells_of_rows(tmp_path):
    frame = pd.DataFrame({"user_id": [1, 1, 2] * 9, "town": ["a", "b", None] * 9, "x": [0.5, 7.25, 3.0] * 9})
    frame.to_parquet(tmp_path / "t.parquet")
    seen = survey({"t": tmp_path / "t.parquet"})
    policy = tomllib.loads(policy_text(seen, lambda _: "there/t.parquet"))
    assert policy["source"] == "there/t.parquet"
    assert set(policy["proposed"]) == {"unit", "rows_per_unit", "bounds.x", "keys.town", "null_keys"}
    assert policy["null_keys"] == ["town"]
    assert "unit" not in tomllib.loads(policy_text(seen, confirmed_unit=True))["proposed"]
    assert "contributions" not in policy
    told = tomllib.loads(survey_text(seen))
    assert told["table t"]["rows"] == 27
    assert told["table t"]["town"]["nulls"] == 9
    assert told["odd in t"]["town"] == ["33.33% of rows are NULL"]


def test_rows_of_a_person_are_proposed_table_by_table_where_they_differ(tmp_path):
    """Whoever named the person has not said how many rows each owns: that is still only proposed."""
    pd.DataFrame({"user_id": range(30), "sex": ["f", "m"] * 15}).to_parquet(tmp_path / "users.parquet")
    pd.DataFrame({"user_id": [*range(30)] * 2, "x": [1.5] * 60}).to_parquet(tmp_path / "visits.parquet")
    places = {name: tmp_path / f"{name}.parquet" for name in ("users", "visits")}
    for seen in (survey(places), survey(places, unit="user_id")):
        text = policy_text(seen, confirmed_unit=True)
        policy = tomllib.loads(text)
        assert policy["rows_per_unit"] == {"visits": "many", "users": "one"}
        assert "rows_per_unit" in policy["proposed"]
        assert "before the first line in brackets" in text
    alone = tomllib.loads(policy_text(survey({"visits": places["visits"]})))
    assert alone["rows_per_unit"] == "many"


def test_letters_that_read_null_are_values_of_a_file_with_types_and_nothing_in_a_csv(tmp_path):
    frame = pd.DataFrame({"user_id": [1, 1, 2] * 9, "town": ["NULL", "b", "N/A"] * 9})
    frame.to_parquet(tmp_path / "t.parquet")
    frame.to_csv(tmp_path / "t.csv", index=False)
    typed, plain = survey({"t": tmp_path / "t.parquet"}), survey({"t": tmp_path / "t.csv"})
    assert typed.tables[0].dirt["town"] == ["the texts N/A, NULL are values here, and no NULL"]
    assert plain.tables[0].dirt["town"] == ["the texts N/A, NULL are read as NULL", "66.67% of rows are NULL"]
    assert tomllib.loads(policy_text(typed))["keys"]["town"] == ["N/A", "NULL", "b"]
    assert tomllib.loads(policy_text(plain))["keys"]["town"] == ["b"]


def test_a_policy_with_times_says_on_which_clock_they_are_read(tmp_path):
    at = pd.date_range("2024-01-01", periods=27, freq="h", tz="Europe/Berlin")
    frame = pd.DataFrame({"user_id": [1, 2, 3] * 9, "at": at})
    frame.to_parquet(tmp_path / "zoned.parquet")
    frame[["user_id"]].to_parquet(tmp_path / "plain.parquet")
    assert "on the clock of UTC" in policy_text(survey({"t": tmp_path / "zoned.parquet"}))
    assert "on the clock of UTC" not in policy_text(survey({"t": tmp_path / "plain.parquet"}))
