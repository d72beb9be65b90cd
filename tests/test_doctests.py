"""The examples in docstrings are true."""

import doctest
import importlib

import pytest

from tests.house.tree import modules

OPTIONS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL


@pytest.mark.parametrize("name", [name for name in modules() if not name.endswith("__main__")])
def test_examples_hold(name):
    failed, _ = doctest.testmod(importlib.import_module(name), optionflags=OPTIONS)
    assert failed == 0


def test_a_false_example_fails():
    example = doctest.DocTestParser().get_doctest(">>> 1 + 1\n3\n", {}, "false", None, 0)
    runner = doctest.DocTestRunner(verbose=False, optionflags=OPTIONS)
    assert runner.run(example, out=lambda text: None).failed == 1
