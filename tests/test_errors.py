"""The exception tree is the one drawn in the docstring."""

import builtins
import inspect
import pickle
import re

import pytest

from dalenius import errors

CLASSES = {name: cls for name, cls in vars(errors).items() if inspect.isclass(cls)}
LINE = re.compile(r"^(?P<indent>[│├└─\s]*)(?P<name>\w+)(?: \((?P<builtin>\w+)\))?(?:\s{2,}\S.*)?$")


def drawn(docstring: str) -> dict[str, tuple[str | None, str | None]]:
    """Name -> (parent in the drawing, builtin in brackets)."""
    tree: dict[str, tuple[str | None, str | None]] = {}
    above: list[str] = []
    block = docstring.split("\n\n")[1]
    for line in block.splitlines():
        found = LINE.match(line)
        assert found is not None, line
        depth = len(found["indent"]) // 4
        del above[depth:]
        tree[found["name"]] = (above[-1] if above else None, found["builtin"])
        above.append(found["name"])
    return tree


TREE = drawn(errors.__doc__)


def parent(cls: type) -> str | None:
    ours = [base.__name__ for base in cls.__bases__ if base.__module__ == errors.__name__]
    assert len(ours) <= 1
    return ours[0] if ours else None


def test_drawing_and_classes_are_the_same_tree():
    assert {name: parent(cls) for name, cls in CLASSES.items()} == {name: up for name, (up, _) in TREE.items()}


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_class_derives_from_the_builtin_in_brackets_and_no_other(name):
    _, builtin = TREE[name]
    direct = {base for base in CLASSES[name].__bases__ if base.__module__ == "builtins"}
    expected = {getattr(builtins, builtin)} if builtin else {Exception} if name == "DaleniusError" else set()
    assert direct == expected
    assert issubclass(CLASSES[name], errors.DaleniusError)


@pytest.mark.parametrize("name", sorted(CLASSES))
def test_message_is_shown_as_written_and_survives_pickling(name):
    error = CLASSES[name]('scale must be > 0, got "x"')
    assert str(error) == 'scale must be > 0, got "x"'
    again = pickle.loads(pickle.dumps(error))
    assert (type(again), str(again)) == (CLASSES[name], str(error))


def test_a_wrong_drawing_is_seen():
    wrong = errors.__doc__.replace("│   └── InvalidSyntax", "├── InvalidSyntax")
    assert drawn(wrong)["InvalidSyntax"][0] == "DaleniusError"
    assert drawn(wrong) != TREE
