"""The least squares over an ℓ1 ball where floats do not suffice: Frank and Wolfe's steps in fractions always end."""

from fractions import Fraction
from itertools import count

from dalenius.learning.data.rows import Matrix


def exact_least(matrix: Matrix, products: Matrix, squares: float, size: Fraction, allowed: Fraction) -> Fraction:
    """βᵀAβ − 2b·β + c at a β of ‖β‖₁ ≤ R that is within `allowed` of the minimum, for every A that has squares only.

    The gap at β is ∇·β + R‖∇‖∞, and after k steps with the best pace some gap was at most a constant over k
    [Jag13, Thm 2]. The coordinates are cut toward zero to more and more digits, which keeps them in the ball and, in
    time, moves the gap by as little as one likes.
    """
    a = [[Fraction(v) for v in row] for row in matrix.tolist()]
    b = [Fraction(v) for v in products.tolist()]
    places = range(len(b))
    beta = [Fraction(0)] * len(b)
    for turn in count(1):
        image = [sum((a[i][j] * beta[j] for j in places), Fraction(0)) for i in places]
        slope = [2 * (image[i] - b[i]) for i in places]
        top = max(places, key=lambda i: abs(slope[i]))
        corner = -size if slope[top] > 0 else size
        gap = sum((slope[i] * beta[i] for i in places), Fraction(0)) - slope[top] * corner
        if gap <= allowed:
            return sum((beta[i] * (image[i] - 2 * b[i]) for i in places), Fraction(squares))
        # along d = corner − β the curve is f − gap·t + dᵀA d·t²
        ahead = [(corner if i == top else 0) - beta[i] for i in places]
        bend = sum((ahead[i] * a[i][j] * ahead[j] for i in places for j in places), Fraction(0))
        pace = Fraction(1) if 2 * bend <= gap else gap / (2 * bend)
        unit = 1 << (64 + turn)
        beta = [Fraction(int((beta[i] + pace * ahead[i]) * unit), unit) for i in places]
    raise AssertionError
