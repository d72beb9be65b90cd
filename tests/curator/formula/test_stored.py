import json

import pytest
from hypothesis import given

from dalenius.curator.formula import formula_of
from dalenius.errors import UnknownName
from tests.curator.formula.formulas import formulas


@given(formulas)
def test_a_formula_comes_back_from_json(node):
    assert formula_of(json.loads(json.dumps(node.to_dict()))) == node


def test_an_unknown_operation_is_refused_by_name():
    with pytest.raises(UnknownName, match="cube root"):
        formula_of({"op": "cube root"})
