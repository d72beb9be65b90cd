"""Every error that dalenius raises on purpose.

DaleniusError
├── InvalidParameter (ValueError)      a number or choice of the caller breaks a stated rule
│   └── InvalidCall (TypeError)        an argument is missing, misspelt or not given by its name
├── MixedRelations (TypeError)         ADD_REMOVE and CHANGE_ONE, or two units, used as if they were one
├── MixedMetrics (TypeError)           a sensitivity in one norm given where another is needed
├── UnprovenClaim (TypeError)          no theorem covers what was asked, so it is refused
├── UnboundedQuery (ValueError)        one person could move the answer without limit
├── UnsupportedQuery (ValueError)      the question lies outside the closed language
│   └── InvalidSyntax                  the text does not parse
├── UnknownName (LookupError)          a table, column, data set, analyst or key that nobody declared
│   └── UnknownAttribute (AttributeError)  an object has no attribute or method of this name
├── BudgetExceeded (RuntimeError)      the ledger refuses: what was asked is more than what is left
├── StaleState (RuntimeError)          a step of an interactive mechanism from a state that is not the current one
├── LedgerError (RuntimeError)         the ledger cannot do what was asked of it
│   ├── LedgerMismatch                 opened or used with another unit, relation, budget or question
│   ├── LedgerCorrupted                its chain of entries does not verify
│   ├── LedgerLocked                   its answers are encrypted under a key that was not given
│   └── LedgerUnavailable (OSError)    its file is locked, read-only or out of room
├── AccessRefused (PermissionError)    a server does not let this key do what was asked
├── ServerUnavailable (ConnectionError)  no reply came from a server, or none that can be read
├── AuditFailed (RuntimeError)         a mechanism under audit gave too little to judge it by
├── AssumptionFailed (ArithmeticError)  this machine's float functions are worse than proofs assume
└── ExecutionFailed (RuntimeError)     an engine failed after the charge; the reason stays inside

A message names the rule, the caller's own number and the remedy. It never holds anything read from data: an error is an
output. Control characters of a name that it quotes are shown as their codes.
"""

from dalenius.escape import terminal


class DaleniusError(Exception):
    """Root of the tree."""

    about: object = None
    """The caller's own words that it is about, for whoever quotes them; False once they are quoted."""

    def __str__(self) -> str:
        return terminal(super().__str__(), lines=True)


class InvalidParameter(DaleniusError, ValueError):
    """A number or choice of the caller breaks a stated rule."""


class InvalidCall(InvalidParameter, TypeError):
    """An argument is missing, misspelt or not given by its name."""


class MixedRelations(DaleniusError, TypeError):
    """ADD_REMOVE and CHANGE_ONE, or two units, used as if they were one."""


class MixedMetrics(DaleniusError, TypeError):
    """A sensitivity in one norm given where another is needed."""


class UnprovenClaim(DaleniusError, TypeError):
    """No theorem covers what was asked, so it is refused."""


class UnboundedQuery(DaleniusError, ValueError):
    """One person could move the answer without limit."""


class UnsupportedQuery(DaleniusError, ValueError):
    """The question lies outside the closed language."""


class InvalidSyntax(UnsupportedQuery):
    """The text does not parse."""


class UnknownName(DaleniusError, LookupError):
    """A table, column, data set, analyst or key that nobody declared."""


class UnknownAttribute(UnknownName, AttributeError):
    """An object has no attribute or method of this name."""


class BudgetExceeded(DaleniusError, RuntimeError):
    """The ledger refuses: what was asked is more than what is left."""


class StaleState(DaleniusError, RuntimeError):
    """A step of an interactive mechanism from a state that is not the current one."""


class LedgerError(DaleniusError, RuntimeError):
    """The ledger cannot do what was asked of it."""


class LedgerMismatch(LedgerError):
    """Opened or used with another unit, relation, budget or question than before."""


class LedgerCorrupted(LedgerError):
    """The chain of entries does not verify."""


class LedgerLocked(LedgerError):
    """The answers are encrypted under a key that was not given."""


class LedgerUnavailable(LedgerError, OSError):
    """The ledger's file is locked, read-only or out of room."""


class AccessRefused(DaleniusError, PermissionError):
    """A server does not let this key do what was asked."""


class ServerUnavailable(DaleniusError, ConnectionError):
    """No reply came from a server, or none that can be read."""


class ExecutionFailed(DaleniusError, RuntimeError):
    """An engine failed after the charge; the reason stays inside."""


class AuditFailed(DaleniusError, RuntimeError):
    """A mechanism under audit gave too little to judge it by."""


class AssumptionFailed(DaleniusError, ArithmeticError):
    """This machine's float functions are worse than the proofs assume."""
