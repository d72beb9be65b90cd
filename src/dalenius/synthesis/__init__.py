"""Private synthetic data, and answers to more questions than there are rows."""

from dalenius.synthesis import blr, conjunctions
from dalenius.synthesis.comparison.compare import Comparison, compare
from dalenius.synthesis.comparison.plan import CompareTables
from dalenius.synthesis.copies.answer import SyntheticAnswer
from dalenius.synthesis.copies.copy import Copy, copy_of
from dalenius.synthesis.copies.marginal import Marginal
from dalenius.synthesis.copies.report import CopyReport, TableReport
from dalenius.synthesis.copies.rows import SyntheticRows
from dalenius.synthesis.data.attributes import Cells, Levels
from dalenius.synthesis.data.domain import Domain
from dalenius.synthesis.data.marginals import Marginals
from dalenius.synthesis.data.measure import MeasureTables, TablesExplanation
from dalenius.synthesis.fit import fit, plan
from dalenius.synthesis.linked.copy import LinkedCopy
from dalenius.synthesis.linked.fit import fit_linked
from dalenius.synthesis.linked.plan import MeasureLinked
from dalenius.synthesis.linked.tables import Linked, LinkedTables

__all__ = [
    "Cells",
    "CompareTables",
    "Comparison",
    "Copy",
    "CopyReport",
    "Domain",
    "Levels",
    "Linked",
    "LinkedCopy",
    "LinkedTables",
    "Marginal",
    "Marginals",
    "MeasureLinked",
    "MeasureTables",
    "SyntheticAnswer",
    "SyntheticRows",
    "TableReport",
    "TablesExplanation",
    "blr",
    "compare",
    "conjunctions",
    "copy_of",
    "fit",
    "fit_linked",
    "plan",
]
