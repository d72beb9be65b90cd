from fractions import Fraction

from dalenius.curator import Measured, Outcome
from dalenius.curator.answer.error_parts import LEFT_OUT
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice


def test_the_parts_of_an_error_are_told_apart():
    measured = Measured("n", (42,), Lattice(0), Geometric(Fraction(10)))
    receipt = Receipt("people", PureDP(0.1), Unit("id"), "", 0)
    plain = released(Outcome((measured,)), receipt).error["n"]
    assert (plain.noise, plain.cut_off, plain.left_out) == ((30,), (None,), None)
    noted = released(Outcome((measured,), notes={LEFT_OUT: "± is noise only"}), receipt)
    assert noted.error["n"].left_out == "± is noise only"
    assert "± is noise only" in str(noted)
