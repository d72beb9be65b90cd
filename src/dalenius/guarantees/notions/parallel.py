"""Parallel composition: mechanisms on the parts of a fixed partition."""

from dalenius.calls import named_arguments
from dalenius.errors import InvalidParameter, MixedRelations
from dalenius.guarantees.guarantee import Guarantee, check_guarantee
from dalenius.guarantees.notions.tradeoff import TradeOff
from dalenius.neighbors import Relation


@named_arguments
def parallel(*guarantees: Guarantee) -> Guarantee:
    """One mechanism on each part of a partition that looks at one unit at a time: the worst of them  [A Prop 4.3].

    Adding or removing a unit touches one part only. Changing one can touch two, and moves their sizes, so
    CHANGE_ONE is refused: releasing each part's exact size is 0-DP part by part  [A Rem 4.3]. Where no guarantee
    is the worst at every level, the lower convex envelope of their trade-off functions holds  [A Rem 4.2].
    """
    if not guarantees:
        raise InvalidParameter("parallel composition needs at least one guarantee")
    for guarantee in guarantees:
        check_guarantee(guarantee)
        if guarantee.relation is not Relation.ADD_REMOVE:
            raise MixedRelations(
                "parallel composition holds for add-remove neighbors only: "
                "changing a unit can move it between parts (A Rem 4.3)"
            )
    strengths = [guarantee.strength for guarantee in guarantees]
    known = [strength for strength in strengths if strength is not None]
    if len(known) == len(guarantees) and len({notion for notion, _ in known}) == 1:
        return guarantees[max(range(len(known)), key=lambda i: known[i][1])]
    return _envelope(guarantees)


def _envelope(guarantees: tuple[Guarantee, ...]) -> Guarantee:
    curves = [guarantee.tradeoff() for guarantee in guarantees]
    floor = curves[0].floor.envelope(*(curve.floor for curve in curves[1:]))
    ceiling = curves[0].ceiling.envelope(*(curve.ceiling for curve in curves[1:]))
    return TradeOff.between(floor, ceiling, Relation.ADD_REMOVE)
