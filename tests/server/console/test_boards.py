from dalenius.server.console.boards import price_of, tiles_of, yes_to
from dalenius.server.desk import SavedQuestion
from tests.server.hospital import COUNT


def test_a_yes_names_what_waits_and_its_price_and_nothing_that_is_known(app):
    served = app.state.served
    session = served.catalog._tables["visits"]
    board = served.desk.make("visits", "ann", "Wards")
    for epsilon in ("0.1", "0.2"):
        served.desk.add_tile("visits", "ann", board.id, SavedQuestion.of("", COUNT, epsilon, ""))
    kept = served.desk.dashboard("visits", "ann", board.id)
    waiting = tiles_of(session, kept)
    assert price_of(waiting) == "ε = 0.3"
    assert yes_to(waiting) == ";".join(
        f"{tile.id}=ε = {price}" for tile, price in zip(kept.tiles, ("0.1", "0.2"), strict=True)
    )
    session.sql(COUNT, epsilon="0.1")
    known, unknown = tiles_of(session, kept)
    assert (known.price, known.is_current, unknown.price) == (None, True, "ε = 0.2")
    assert known.release is not None
    assert price_of([]) == "nothing"
