import pytest

from dalenius import errors
from dalenius.dbapi import errors as pep
from dalenius.dbapi.errors import as_pep_249
from dalenius.errors import DaleniusError

TREE = {
    "Warning": DaleniusError,
    "Error": DaleniusError,
    "InterfaceError": pep.Error,
    "DatabaseError": pep.Error,
    **dict.fromkeys(
        ("DataError", "OperationalError", "IntegrityError", "InternalError", "ProgrammingError", "NotSupportedError"),
        pep.DatabaseError,
    ),
}


@pytest.mark.parametrize(("name", "parent"), TREE.items())
def test_the_tree_is_that_of_pep_249_under_the_house_s_root(name, parent):
    assert getattr(pep, name).__bases__ == (parent,)


@pytest.mark.parametrize(
    "refusal", [kind for kind in vars(errors).values() if isinstance(kind, type) and issubclass(kind, DaleniusError)]
)
def test_every_refusal_becomes_a_database_error_with_its_words(refusal):
    with pytest.raises(pep.DatabaseError, match=r"^these words$") as raised, as_pep_249():
        raise refusal("these words")
    assert type(raised.value.__cause__) is refusal


def test_the_finer_kind_goes_before_the_coarser():
    for refusal, kind in (
        (errors.InvalidSyntax, pep.ProgrammingError),
        (errors.UnsupportedQuery, pep.NotSupportedError),
        (errors.LedgerCorrupted, pep.IntegrityError),
        (errors.LedgerUnavailable, pep.OperationalError),
        (errors.StaleState, pep.DatabaseError),
    ):
        with pytest.raises(kind) as raised, as_pep_249():
            raise refusal("x")
        assert type(raised.value) is kind


def test_what_is_of_pep_249_already_stays():
    with pytest.raises(pep.DataError), as_pep_249():
        raise pep.DataError("x")
