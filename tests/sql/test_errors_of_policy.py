from dalenius.sql import errors_by_epsilon, explain
from tests.cli.test_query import POLICY, QUESTION


def test_a_policy_is_enough_and_the_table_is_not_opened(tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY, encoding="utf-8")
    table = errors_by_epsilon(QUESTION, [1, "0.1"], policy=policy, sizes=100)
    truth = [explain(QUESTION, policy=policy, epsilon=price).errors["n"] for price in (1, "0.1")]
    assert list(table.lines[0].radii) == truth
    assert truth[1] > 9 * truth[0]
    assert [file.name for file in tmp_path.iterdir()] == ["policy.toml"]


def test_terms_that_leave_contributions_out_say_what_is_found_first(tmp_path):
    policy = tmp_path / "policy.toml"
    policy.write_text(POLICY.replace("contributions = 5\n", ""), encoding="utf-8")
    told = str(errors_by_epsilon(QUESTION, [1], policy=policy))
    assert "paid once and kept" in told
