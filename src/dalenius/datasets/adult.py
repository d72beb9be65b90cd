"""UCI Adult: 48,842 people of the 1994 census of the United States, one row each.

Becker, B. & Kohavi, R. (1996). Adult [Dataset]. UCI Machine Learning Repository. https://doi.org/10.24432/C5XW20.
Licence CC BY 4.0. The text beside the file, ADULT.md, says what was changed.
"""

from pathlib import Path
from typing import TYPE_CHECKING

from dalenius.calls import named_arguments

if TYPE_CHECKING:
    import pyarrow as pa

ADULT_KEYS: dict[str, tuple[str, ...]] = {
    "workclass": (
        *("Private", "Self-emp-not-inc", "Self-emp-inc", "Federal-gov"),
        *("Local-gov", "State-gov", "Without-pay", "Never-worked"),
    ),
    "education": (
        *("Preschool", "1st-4th", "5th-6th", "7th-8th", "9th", "10th", "11th", "12th", "HS-grad", "Some-college"),
        *("Assoc-voc", "Assoc-acdm", "Bachelors", "Masters", "Prof-school", "Doctorate"),
    ),
    "marital_status": (
        *("Married-civ-spouse", "Divorced", "Never-married", "Separated", "Widowed"),
        *("Married-spouse-absent", "Married-AF-spouse"),
    ),
    "occupation": (
        *("Tech-support", "Craft-repair", "Other-service", "Sales", "Exec-managerial", "Prof-specialty"),
        *("Handlers-cleaners", "Machine-op-inspct", "Adm-clerical", "Farming-fishing", "Transport-moving"),
        *("Priv-house-serv", "Protective-serv", "Armed-Forces"),
    ),
    "relationship": ("Wife", "Own-child", "Husband", "Not-in-family", "Other-relative", "Unmarried"),
    "race": ("White", "Asian-Pac-Islander", "Amer-Indian-Eskimo", "Other", "Black"),
    "sex": ("Female", "Male"),
    "income": ("<=50K", ">50K"),
}
"""Public keys: the values that the documentation of the data set lists, whether or not anybody has them."""


@named_arguments
def adult() -> Path:
    """Where the Parquet file lies."""
    return Path(__file__).with_name("adult.parquet")


@named_arguments
def adult_table() -> "pa.Table":
    """The whole table, in memory."""
    import pyarrow.parquet as pq

    return pq.read_table(adult())
