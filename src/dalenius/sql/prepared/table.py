"""Making a prepared table, or finding the one that was made, and knowing when it is out of date."""

from dataclasses import dataclass
from pathlib import Path

from dalenius.errors import DaleniusError, ExecutionFailed, InvalidParameter
from dalenius.noise import Bits
from dalenius.sql.engine import Engine
from dalenius.sql.planner.compile import Compiled
from dalenius.sql.planner.unknown_keys import KeySearch
from dalenius.sql.policy.policy import Policy
from dalenius.sql.prepared.compile import compile_prepared
from dalenius.sql.prepared.folder import Sidecar, Signature, facts_of, signature
from dalenius.sql.prepared.recipe import Preparation
from dalenius.sql.text.parse import parse
from dalenius.words import counted_rows

TABLE = "kept"


@dataclass(frozen=True, slots=True)
class Prepared:
    """A prepared table in use: how it was made, and the files that it stands for, as they were."""

    preparation: Preparation
    view: Engine
    paths: tuple[str, ...]
    seen: Signature

    @property
    def current(self) -> bool:
        """Whether neither the data nor the prepared table has been touched since."""
        return signature(self.paths) == self.seen


def prepare(engine: Engine, policy: Policy, folder: str | Path | None, bits: Bits, new_key: bool = False) -> Prepared:
    """The table in the folder, by default `<data>.prepared` beside the data; made anew unless sealed for just this.

    A frame has no place: what is made of it lives in memory, and its key is forgotten with it. `recipe` says why the
    key may change.
    """
    preparation, paths = Preparation.of(policy, engine.dialect), engine.source.paths
    if not paths:
        if folder is not None:
            raise InvalidParameter("a frame is prepared in memory: leave folder= out")
        kept = engine.fetch(preparation.statement(bits.octets(32).tobytes().hex()))
        return Prepared(preparation, engine.open_table(kept, TABLE), (), ())
    if folder is None and len(paths) > 1:
        raise InvalidParameter("the table lies in several files: name the place to prepare it in with folder=")
    sidecar = Sidecar(f"{paths[0]}.prepared" if folder is None else folder, bits, engine.suffix)
    try:
        return _sealed(engine, preparation, sidecar, bits, new_key)
    except OSError:  # no place left, or a file that is gone
        failed = InvalidParameter("the data or the folder of its prepared table cannot be read or written")
    raise failed


def _sealed(engine: Engine, preparation: Preparation, sidecar: Sidecar, bits: Bits, new_key: bool) -> Prepared:
    paths = engine.source.paths
    with sidecar.locked():
        sidecar.read_key(bits, new_key)
        statement = preparation.statement(sidecar.key.hex())
        before = signature(paths)
        facts = facts_of(statement, engine.source.select, paths)
        table = sidecar.sealed(facts)
        if table is None:
            table = sidecar.write(facts, lambda place: engine.write_table(statement, place), bits)
        if signature(paths) != before:
            raise ExecutionFailed("the data changed while it was prepared: call prepare() again")
        view = engine.open_table(table, TABLE)
    return Prepared(preparation, view, (*paths, str(table)), before + signature((str(table),)))


def from_prepared(
    made: Prepared | None, wanted: bool | None, text: str, unknown: KeySearch | None, spread: bool
) -> Compiled | None:
    """The query over a prepared table, if there is one that can answer it and it is `wanted`, or nothing was said.

    A unit whose rows are `spread` over cells has weights of its own, so that is for all rows.
    """
    if wanted is False or (spread and not wanted):
        return None
    if spread:
        raise InvalidParameter("a delta over declared keys is for all rows: leave delta or prepared= out")
    if made is not None and made.current:
        return compile_prepared(text, made.preparation, unknown, asked=wanted is True)
    if wanted:
        raise InvalidParameter("there is no prepared table, or the data has changed since: call prepare()")
    return None


def prepared_lines(made: Prepared | None, compiled: Compiled, text: str) -> tuple[str, ...]:
    """What `explain` says of a prepared table: nothing that depends on rows."""
    if made is None or compiled.named:
        return ()
    most, where = made.preparation.policy.contributions, parse(text).args.get("where") is not None
    kept = counted_rows(most or 1)
    bias = (
        f"chosen before WHERE: of a unit with n > {most} rows, the m that pass count for about {most}·m/n, "
        f"instead of the lesser of m and {most}"
    )
    if compiled.prepared:
        others = "; rows of keys that nobody declared take places among them" if compiled.keys else ""
        return (f"prepared     answered from at most {kept} of each unit{f', {bias}' if where else others}",)
    if where and made.current and _could(made, text):
        return (f"prepared     prepared=True answers faster, from at most {kept} of each unit, {bias}",)
    return ()


def _could(made: Prepared, text: str) -> bool:
    try:
        return compile_prepared(text, made.preparation, asked=True) is not None
    except DaleniusError:
        return False
