"""Names that mean something."""

from dataclasses import replace

from sqlglot import exp

from dalenius.errors import UnknownName
from dalenius.sql.draft import SOURCE, Draft
from dalenius.sql.policy import Policy


def qualify(draft: Draft, policy: Policy) -> Draft:
    """Replace every column by the policy's own spelling, quoted, and the table by the engine's name for it.

    An undeclared name is refused. No identifier of the analyst's is left after this rule but the names of the answer.
    """
    tree = draft.tree.copy()
    table = tree.args["from_"].this
    if table.name.lower() != policy.table.lower():
        raise UnknownName(f"there is no table {table.name!r}; there is {policy.table!r}")
    known = {table.alias_or_name.lower()}
    for column in list(tree.find_all(exp.Column)):
        if column.table and column.table.lower() not in known:
            raise UnknownName(f"there is no table {column.table!r} in this query; there is {policy.table!r}")
        column.replace(exp.column(policy.column(column.name), table=SOURCE, quoted=True))
    table.replace(exp.table_(SOURCE, quoted=True))
    return replace(draft, tree=tree)
