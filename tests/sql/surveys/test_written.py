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


def test_a_policy_with_times_says_on_which_clock_they_are_read(tmp_path):
    at = pd.date_range("2024-01-01", periods=27, freq="h", tz="Europe/Berlin")
    frame = pd.DataFrame({"user_id": [1, 2, 3] * 9, "at": at})
    frame.to_parquet(tmp_path / "zoned.parquet")
    frame[["user_id"]].to_parquet(tmp_path / "plain.parquet")
    assert "on the clock of UTC" in policy_text(survey({"t": tmp_path / "zoned.parquet"}))
    assert "on the clock of UTC" not in policy_text(survey({"t": tmp_path / "plain.parquet"}))
