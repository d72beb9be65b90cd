import pytest

from dalenius.errors import InvalidParameter
from dalenius.sql import Policy, confirm

TEXT = """# kept
table = "t"
unit = "row"
proposed = ["unit", "bounds.x", "bounds.y", "keys.z"]
[columns]
x = "DOUBLE"
"""


@pytest.fixture
def path(tmp_path):
    (tmp_path / "p.toml").write_text(TEXT, encoding="utf-8")
    return tmp_path / "p.toml"


def test_terms_are_confirmed_one_by_one_by_section_or_all(path):
    assert confirm(path, ["bounds.x"]) == ("unit", "bounds.y", "keys.z")
    assert confirm(path, ["bounds"]) == ("unit", "keys.z")
    assert Policy.load(path).proposed == ("unit", "keys.z")
    assert confirm(path) == ()
    assert path.read_text(encoding="utf-8") == TEXT.replace(TEXT.splitlines()[3] + "\n", "")


def test_a_term_that_is_not_proposed_is_named(path):
    with pytest.raises(InvalidParameter, match="'bound'"):
        confirm(path, ["bound"])
    path.write_text(TEXT.replace('["unit", ', '["unit",\n'), encoding="utf-8")
    with pytest.raises(InvalidParameter, match="one line"):
        confirm(path)
