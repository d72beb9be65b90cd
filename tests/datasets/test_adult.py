import sys
from pathlib import Path

import dalenius.datasets
from dalenius.datasets import ADULT_KEYS, adult, adult_table


def test_the_whole_table_is_there():
    table = adult_table()
    assert table.num_rows == 48_842
    assert table.num_columns == 16
    assert table.column("split").to_pylist().count("train") == 32_561


def test_the_documented_keys_cover_the_data():
    table = adult_table()
    for name, keys in ADULT_KEYS.items():
        assert set(table.column(name).unique().to_pylist()) - {None} <= set(keys)


def test_the_file_is_small_and_its_attribution_beside_it():
    assert adult().stat().st_size < 600_000
    text = (Path(dalenius.datasets.__file__).parent / "ADULT.md").read_text(encoding="utf-8")
    for words in ("Becker", "Kohavi", "CC BY 4.0", "10.24432/C5XW20"):
        assert words in text
        assert words in sys.modules["dalenius.datasets.adult"].__doc__
