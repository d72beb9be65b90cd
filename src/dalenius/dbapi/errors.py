"""The exceptions of PEP 249, each of them a DaleniusError, and which refusal becomes which."""

from collections.abc import Iterator
from contextlib import contextmanager

from dalenius import errors
from dalenius.errors import DaleniusError


class Warning(DaleniusError):
    """Never raised: an answer is whole, or there is none."""


class Error(DaleniusError):
    """Root of the errors of PEP 249."""


class InterfaceError(Error):
    """The interface is used in a way that it cannot be: a closed cursor, rows before a question."""


class DatabaseError(Error):
    """What the database refuses."""


class DataError(DatabaseError):
    """A parameter that is no value of the language."""


class OperationalError(DatabaseError):
    """The budget is spent, the ledger's file cannot be used, or the engine failed after the charge."""


class IntegrityError(DatabaseError):
    """The ledger does not verify, or belongs to another unit or budget."""


class InternalError(DatabaseError):
    """An assumption of the proofs does not hold on this machine."""


class ProgrammingError(DatabaseError):
    """A query that does not parse, an unknown name, a missing bound, a bad number."""


class NotSupportedError(DatabaseError):
    """Outside the closed language, or of this interface."""


_BECOMES: tuple[tuple[type[DaleniusError], type[DatabaseError]], ...] = (
    (errors.InvalidSyntax, ProgrammingError),
    (errors.UnsupportedQuery, NotSupportedError),
    (errors.UnprovenClaim, NotSupportedError),
    (errors.LedgerMismatch, IntegrityError),
    (errors.LedgerCorrupted, IntegrityError),
    (errors.LedgerError, OperationalError),
    (errors.BudgetExceeded, OperationalError),
    (errors.ExecutionFailed, OperationalError),
    (errors.AssumptionFailed, InternalError),
    (errors.InvalidParameter, ProgrammingError),
    (errors.UnboundedQuery, ProgrammingError),
    (errors.UnknownName, ProgrammingError),
    (errors.MixedRelations, ProgrammingError),
)
"""The first that fits."""


@contextmanager
def as_pep_249() -> Iterator[None]:
    """Raise refusals as PEP 249 names them, with the refusal as their cause."""
    try:
        yield
    except Error:
        raise
    except DaleniusError as refusal:
        kind = next((becomes for is_a, becomes in _BECOMES if isinstance(refusal, is_a)), DatabaseError)
        raise kind(str(refusal)) from refusal
