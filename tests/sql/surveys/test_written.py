import tomllib

import pandas as pd

from dalenius.sql import policy_text, survey, survey_text


def test_two_files_of_toml_of_which_one_tells_of_rows(tmp_path):
    frame = pd.DataFrame({"user_id": [1, 1, 2] * 9, "town": ["a", "b", None] * 9, "x": [0.5, 7.25, 3.0] * 9})
    frame.to_parquet(tmp_path / "t.parquet")
    seen = survey({"t": tmp_path / "t.parquet"})
    policy = tomllib.loads(policy_text(seen, lambda _: "there/t.parquet"))
    assert policy["source"] == "there/t.parquet"
    assert set(policy["proposed"]) == {"unit", "rows_per_unit", "bounds.x", "keys.town"}
    assert "unit" not in tomllib.loads(policy_text(seen, confirmed_unit=True))["proposed"]
    assert "contributions" not in policy
    told = tomllib.loads(survey_text(seen))
    assert told["table t"]["rows"] == 27
    assert told["table t"]["town"]["nulls"] == 9
    assert told["odd in t"]["town"] == ["33.33% of rows are NULL"]
