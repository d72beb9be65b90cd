from dalenius.sql.surveys.table import SurveyedTable


def test_a_table_is_plainly_written_and_clean_unless_it_is_said():
    table = SurveyedTable("t", "t.parquet", 0, {}, {})
    assert (table.written.to_terms(), table.guessed, table.dirt) == ({}, False, {})
