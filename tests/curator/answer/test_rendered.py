from fractions import Fraction

from dalenius.curator import Chosen, Measured, Outcome, table_text, text_columns
from dalenius.curator.release import released
from dalenius.guarantees import PureDP
from dalenius.ledger import Receipt
from dalenius.mechanisms import Geometric
from dalenius.neighbors import Unit
from dalenius.noise import Lattice
from dalenius.queries import Keys

RECEIPT = Receipt("people", PureDP(0.1), Unit("id"), "ab" * 32, 3)
NAMES = [f"column_{place}" for place in range(9)]
WIDE = Outcome(
    tuple(Measured(name, (123_456_789, 7), Lattice(0), Geometric(Fraction(10))) for name in NAMES),
    Keys("department", ["emergency", "surgery"]),
)


def test_no_digit_is_cut_whatever_the_width():
    """Columns that do not fit stand below, beside the keys again; a number and its error stay together."""
    for width in (20, 40, 80, 200):
        text = table_text(text_columns(WIDE), width)
        assert text.count("123,456,789") == 9
        assert "…" not in text
        if width >= 80:
            assert max(map(len, text.splitlines())) <= width
        for block in text.split("\n\n"):
            header = block.splitlines()[0]
            assert header.startswith("department")
            assert header.count("column_") == header.count("± 95 %")


def test_print_html_and_command_line_show_the_same_numbers():
    answer = released(WIDE, RECEIPT)
    assert str(answer).endswith("cost ε = 0.1")
    assert answer._repr_html_().count("<td>123,456,789</td>") == 9
    assert table_text(text_columns(WIDE)) in str(answer)


def test_names_and_keys_are_escaped_in_html():
    held = Outcome((Measured("<b>", (1,), Lattice(0), Geometric(Fraction(1))),), Keys("k&", ["<script>"]))
    page = released(held, RECEIPT)._repr_html_()
    assert "<script>" not in page
    assert "<b>" not in page
    assert "&lt;script&gt;" in page
    assert "k&amp;" in page


def test_a_null_key_reads_null_and_the_text_of_these_letters_is_quoted():
    columns = (Measured("n", (3, 4, 5), Lattice(0), Geometric(Fraction(10))),)
    answer = released(Outcome(columns, Keys("ward", ["NULL", "a", None])), RECEIPT)
    lines = str(answer).splitlines()
    assert [line.split()[0] for line in lines[2:5]] == ["'NULL'", "a", "NULL"]
    assert answer._repr_html_().count("<td>NULL</td>") == 1
    assert "<td>&#x27;NULL&#x27;</td>" in answer._repr_html_()
    years = text_columns(Outcome(columns, Keys("year", [2020, 2021, None])))[0]
    assert (years.cells, years.right) == (("2020", "2021", "NULL"), True)


def test_a_null_that_was_chosen_is_no_absent_number():
    chosen = Chosen("mode", (None,), "permute and flip", 3, Fraction(1), "rows")
    assert str(released(Outcome((chosen,)), RECEIPT)).startswith("NULL ± ")
    ranked = Outcome((Chosen("key", (None, "NULL", 3), "top k", 3, Fraction(1), "rows"),), Keys("rank", [1, 2, 3]))
    assert text_columns(ranked)[1].cells == ("NULL", "'NULL'", "3")
