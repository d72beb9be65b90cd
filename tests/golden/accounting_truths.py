"""Recompute the truths of accounting.toml, each in two ways, with no code of dalenius.

    python tests/golden/accounting_truths.py            # recompute every row and compare with the file (ten minutes)
    python tests/golden/accounting_truths.py laplace    # the rows whose name contains "laplace"
    python tests/golden/accounting_truths.py --write    # and write the file anew

Everything is arb at 256 bits. The general tool, with K(z) = Σ log E e^{zL}: for Re z = s > 0, δ(ε) = (1/2πi) ∫
e^{K(z) − zε}/(z(z+1)) dz. "First" integrates along a line near the saddle point by the trapezoid rule, "second" along
another line with Gauss–Legendre panels; where E e^{zL} is itself an integral over the output x, the two take other
rules and other paths there too, and each doubles its nodes until it settles. Laws on a lattice are summed exactly,
and again by a finite Fourier sum. A row is written with the digits that both share, 12 at least, 20 at most.
"""

import math
import sys
import time
import tomllib
from fractions import Fraction
from itertools import count, pairwise
from pathlib import Path

import flint
import numpy as np
from flint import acb, arb, arb_poly, fmpq, fmpz_poly
from scipy.optimize import brentq, minimize_scalar

FILE = Path(__file__).with_name("accounting.toml")
BITS, NATS = 256, 62.0  # working precision; quadratures aim at e^−62 = 1e−27 unless a row says otherwise
FIRST, SECOND = "first", "second"


def exact(x):
    """A ball for a number written as text: "1.1", "256/60000", "1e-5"."""
    x = Fraction(x)
    return arb(fmpq(x.numerator, x.denominator))


def upper_half(x):
    """Φ(−x)."""
    return (x / arb(2).sqrt()).erfc() / 2


def legendre(points, cache={}):  # noqa: B006
    """Nodes and weights of Gauss and Legendre on [−1, 1]."""
    if points not in cache:
        cache[points] = [arb.legendre_p_root(points, k, weight=True) for k in range(points)]
    return cache[points]


def panels(low, high, width, points):
    """Nodes and weights of composite Gauss–Legendre on [low, high]."""
    pieces = max(1, math.ceil(float(high - low) / width))
    half = (high - low) / (2 * pieces)
    return [(low + half * (2 * k + 1 + x), half * w) for k in range(pieces) for x, w in legendre(points)]


# ------------------------------------------------------------------------------------------- laws: log E e^{zL}


class Gaussian:
    """N(μ, 1) against N(0, 1)."""

    def __init__(self, square):
        self.square = square

    def log_moment(self, z):
        return (z * z + z) * self.square / 2


class Laplace:
    """Losses from −ε₀ to ε₀, atoms at both ends."""

    def __init__(self, epsilon):
        self.epsilon = epsilon

    def log_moment(self, z):
        return (((z + 1) * (z * self.epsilon).exp() + z * (-(z + 1) * self.epsilon).exp()) / (2 * z + 1)).log()


class OverOutputs:
    """E e^{zL} = fixed + Σ over nodes of e^{log weight + power(z)·log w}: a quadrature over the outputs x."""

    def __init__(self, terms, fixed=0):
        self.terms, self.fixed = terms, fixed  # [(log w, log weight, forward)]

    def log_moment(self, z):
        total = acb(self.fixed)
        floor = -(BITS + 20) * math.log(2)
        for log_w, log_weight, forward in self.terms:
            exponent = (z + 1 if forward else -z) * log_w + log_weight
            if float(exponent.real.mid()) > floor:
                total += exponent.exp()
        return total.log()


def sampled_gaussian(q, sigma, forward, way, reach, nats):
    """((1−q)N(0) + qN(1), N(0)) if forward (a unit removed), its mirror image if not (added); noise σ.

    w = 1 − q + q·e^u, u = (2x − 1)/(2σ²), is not 0 for |Im u| < π, so x may run along a parallel of the real line:
    there w^{it} decays instead of turning. The first way takes Im u = ±π/2 and the trapezoid rule, which is
    exponentially accurate, the second ±π/3 and panels. `reach` says how far to the right the tilted law extends.
    """
    turn = arb.pi() / (2 if way == FIRST else 3) * (1 if forward else -1)
    window = (math.sqrt(2 * nats) + 3) * sigma
    low, high = -window, reach + window
    if way == FIRST:
        step = min((math.pi * float(sigma)) ** 2 / nats, float(sigma) / 8)
        pieces = math.ceil(float(high - low) / step)
        step = (high - low) / pieces
        nodes = [(low + step * k, step) for k in range(pieces + 1)]
    else:
        nodes = panels(low, high, 1.5 * min(float(sigma) ** 2, float(sigma)), 12 + math.ceil(nats / 4))
    terms, scale = [], (2 * arb.pi()).log() / 2 + sigma.log()
    for x, weight in nodes:
        at = acb(x, turn * sigma * sigma)
        log_w = (1 - q + q * ((2 * at - 1) / (2 * sigma * sigma)).exp()).log()
        terms.append((log_w, weight.log() - at * at / (2 * sigma * sigma) - scale, forward))
    return OverOutputs(terms)


def subset_gaussian(q, sigma, way, reach, nats):
    """C_q(G_{1/σ}): losses ±log w where w > 1, that is x > ½, with Q-masses φ and wφ; the rest at 0  [A Thm 13.7]."""
    half, scale, high = arb(1) / 2, (2 * arb.pi()).log() / 2 + sigma.log(), reach + (math.sqrt(2 * nats) + 3) * sigma
    if way == FIRST:
        nodes = panels(half, high, float(sigma) / 2, math.ceil(nats / 3))
    else:  # x = ½ + e^{t − e^{−t}}, equidistant in t
        fine = math.ceil(1.5 * nats)
        nodes, step = [], arb(1) / fine
        for k in range(-6 * fine, 6 * fine):
            t = step * k
            along = (t - (-t).exp()).exp()
            nodes.append((half + along, step * along * (1 + (-t).exp())))
    terms, taken = [], arb(0)
    for x, weight in nodes:
        if x > high:
            continue
        w = 1 - q + q * ((2 * x - 1) / (2 * sigma * sigma)).exp()
        log_weight = weight.log() - x * x / (2 * sigma * sigma) - scale
        terms += [(acb(w.log()), log_weight, True), (acb(w.log()), log_weight, False)]
        taken += log_weight.exp() * (1 + w)
    return OverOutputs(terms, 1 - taken)


# ------------------------------------------------------------------------------------------- contours


class Line:
    """K on a line Re z = s, so that δ is cheap at any ε near `at`."""

    def __init__(self, parts, s, way, log_delta, at, nats=NATS, least=0.0, fine=1):
        self.parts, self.s = parts, s
        # the alias from 2π/h below is at most e^{−2πs/h}/δ; the ones from above are small for a fine enough h
        step = 2 * math.pi * float(s) / (nats + 12 - log_delta) / fine
        if way == FIRST:
            rule = ((arb(step) * k, arb(step) / (1 if k else 2)) for k in count())
        else:
            rule = (
                node for k in count() for node in panels(arb(10 * step * k), arb(10 * step * (k + 1)), 11 * step, 24)
            )
        self.nodes = self._until_quiet(rule, at, nats, least)

    def _until_quiet(self, rule, at, nats, least):
        """Where the integrand comes back, `least` says how far to look."""
        nodes, top, quiet = [], -math.inf, 0
        for t, weight in rule:
            z = acb(self.s, t)
            value = self.log(z)
            size = float((value - z * at).real.mid()) - 2 * math.log(abs(complex(z)))
            nodes.append((z, value, weight))
            top = max(top, size)
            quiet = quiet + 1 if size < top - nats and t > least else 0
            if quiet == 60:
                break
        return nodes

    def log(self, z):
        return sum((times * law.log_moment(z) for law, times in self.parts), acb(0))

    def delta(self, epsilon):
        total = sum(
            (((value - z * epsilon).exp() / (z * (z + 1))).real * weight for z, value, weight in self.nodes), arb(0)
        )
        return (total / arb.pi()).mid()


def saddle(parts, objective):
    """The s > 0 where objective(K(s) − log s(s+1), s) is least, and its value there. It need not be exact."""

    def at(log_s):
        s = math.exp(log_s)
        value = sum(times * float(law.log_moment(acb(s)).real.mid()) for law, times in parts)
        return objective(value - math.log(s * (s + 1)), s)

    found = minimize_scalar(at, bounds=(math.log(1e-2), math.log(300)), method="bounded", options={"xatol": 1e-3})
    return math.exp(found.x), float(found.fun)


def root(f, x0, x1):
    """Secant, to working precision."""
    x0, x1 = arb(x0), arb(x1)
    f0, f1 = f(x0), f(x1)
    for _ in range(60):
        if abs(float((x1 - x0).mid())) < 1e-30 * abs(float(x1)) or f1.mid() == f0.mid():
            return x1
        x0, x1 = x1, (x1 - f1 * (x1 - x0) / (f1 - f0)).mid()
        f0, f1 = f1, f(x1)
    raise ArithmeticError("no root")


def contour_epsilon(make, delta, way, nats=NATS, least=0.0):
    """ε(δ) of a composition; make(way, reach, nats) gives its [(law, times)]."""
    goal = exact(delta).log()
    s, guess = rough(make, lambda value, s: (value - float(goal)) / s)  # Chernoff's ε
    s *= 1 if way == FIRST else 0.8

    def at(level):
        line = Line(make(way, arb(s + 1), nats * 1.4**level), arb(s), way, float(goal), guess, nats, least, 2**level)
        return root(lambda e: line.delta(e).log() - goal, guess, guess * 0.98)

    return settled(at, nats)


def contour_delta(make, epsilon, way):
    """δ(ε) of a composition."""
    at = float(epsilon)
    s, guess = rough(make, lambda value, s: value - s * at)
    s *= 1 if way == FIRST else 0.8

    def delta(level):
        parts = make(way, arb(s + 1), NATS * 1.4**level)
        return Line(parts, arb(s), way, guess, at, fine=2**level).delta(epsilon)

    return settled(delta, NATS)


def settled(at, nats):
    """at(0), at(1)… until two agree: each has twice the nodes along the line and wider, finer sums over the outputs."""
    value = at(0)
    for level in range(1, 6):
        value, before = at(level), value
        if abs(float(value - before)) <= 1e6 * math.exp(-nats) * abs(float(value)):
            return value
    raise ArithmeticError("quadratures do not settle")


def float_epsilon(q, sigma, times, delta, reach=2000.0):
    """The second way for small σ, where the integrand decays slowly: panels in complex128, good for 13 digits."""
    goal, make = float(exact(delta).log()), sampled(q, sigma, times, True)
    s, guess = rough(make, lambda value, s: (value - goal) / s)
    s *= 0.8
    terms = make(SECOND, arb(s + 1), NATS)[0][0].terms
    log_w, log_weight = (np.array([complex(term[k]) for term in terms]) for k in (0, 1))
    step = 2 * math.pi * s / (45 - goal) * 10
    nodes, weights = np.polynomial.legendre.leggauss(32)
    t = (step * (np.arange(math.ceil(reach / step))[:, None] + (nodes + 1) / 2)).ravel()
    z = s + 1j * t
    moments = np.concatenate(
        [np.exp((part[:, None] + 1) * log_w + log_weight).sum(axis=1) for part in np.array_split(z, 400)]
    )
    scale = times * math.log(np.exp((s + 1) * log_w + log_weight).sum().real)
    weights = (
        np.tile(weights * step / 2, len(t) // len(weights))
        * (moments / math.exp(scale / times)) ** times
        / (z * (z + 1))
    )

    def log_delta(epsilon):
        total = math.fsum((np.exp(-1j * t * epsilon) * weights).real)
        return math.log(total / math.pi) + scale - s * epsilon

    return arb(brentq(lambda e: log_delta(e) - goal, guess * 0.5, guess, xtol=1e-14, rtol=1e-15))


def rough(make, objective):
    """`saddle` at low precision."""
    flint.ctx.prec = 64
    try:
        return saddle(make(FIRST, arb(60), NATS), objective)
    finally:
        flint.ctx.prec = BITS


# ------------------------------------------------------------------------------------------- laws on a lattice


def lattice_epsilon(tail, offset, step, delta):
    """ε(δ) where losses are offset + step·n, tail(n) = (P, Q) of all losses from n on: δ is affine in e^ε between."""
    low, high = 0, 1
    offset, step, goal = exact(offset), exact(step), exact(delta)

    def delta_at(n):
        p, q = tail(n + 1)
        return p - (offset + step * n).exp() * q

    start = math.floor(float(-offset / step))
    while delta_at(start + high) > goal:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if delta_at(start + middle) > goal else (low, middle)
    p, q = tail(start + high)
    return ((p - goal) / q).log()


def summed_tail(masses, times, offset, step):
    """Tails of the `times`-fold convolution of masses, by a power of their polynomial."""
    power = arb_poly(masses) ** times
    offset, step = exact(offset), exact(step)
    p, q, tails = arb(0), arb(0), {}
    for n in range(power.degree(), -1, -1):
        p, q = p + power[n], q + power[n] * (-(offset + step * n)).exp()
        tails[n] = (p, q)
    return lambda n: tails.get(n, (arb(0), arb(0)) if n > 0 else tails[0])


def fourier_tail(log_moment, times, offset, step, points, s):
    """The same tails by a finite Fourier sum at s + 2πij/(points·step), whose aliases lie a whole period away."""
    offset, step = exact(offset), exact(step)
    nodes = []
    for j in range(points):
        z = acb(s, 2 * arb.pi() * (j - points // 2) / (points * step))
        nodes.append((z, times * log_moment(z)))

    def tail(n):
        loss = offset + step * n
        p, q = acb(0), acb(0)
        for z, value in nodes:
            here = (value - z * loss).exp()
            p += here / (1 - (-z * step).exp())
            q += here / (1 - (-(z + 1) * step).exp())
        return p.real.mid() / points, (q.real * (-loss).exp()).mid() / points

    return tail


def response_moment(epsilon):
    e = exact(epsilon)
    return lambda z: ((z * e).exp() / (1 + (-e).exp()) + (-z * e).exp() / (1 + e.exp())).log()


def discrete_gaussian_moment(sigma):
    """By Poisson summation: Σ e^{−(x−z)²/2σ²} = √(2πσ²) Σ e^{−2π²σ²m² + 2πimz}."""
    square = exact(sigma) ** 2

    def theta(z):
        return sum(((-2 * arb.pi() ** 2 * square * m * m) + acb(0, 2 * m) * arb.pi() * z).exp() for m in range(-4, 5))

    return lambda z: (z * z + z) / (2 * square) + (theta(z) / theta(acb(0))).log()


def discrete_laplace_moment(a, shift):
    """E e^{z·a(|X+Δ|−|X|)}, three geometric sums by hand."""
    r = (-exact(a)).exp()
    inside = (1 - r) / (1 + r)

    def log_moment(z):
        grown = (z * exact(a)).exp()
        ends = grown**shift / (1 - r) + grown ** (-shift) * r**shift / (1 - r)
        ratio = grown**-2 * r  # x = −1..−Δ+1: weight r^|x|, loss a(Δ − 2|x|)
        between = grown**shift * ratio * (1 - ratio ** (shift - 1)) / (1 - ratio)
        return (inside * (ends + between)).log()

    return log_moment


# ------------------------------------------------------------------------------------------- few Laplaces


def laplace_by_residues(epsilon0, k, epsilon):
    """M^k e^{−zε}/(z(z+1)), expanded in e^{zε₀}: each term has poles at −½, and perhaps 0, only."""
    total = arb(0)
    for j in range(k, -1, -1):
        c = epsilon0 * (2 * j - k) - epsilon
        if not c > 0:
            break
        # z = (v − 1)/2: (z+1)^{j−1} z^{k−j−1}/(2z+1)^k = 2^{2−k} (v+1)^{j−1} (v−1)^{k−j−1}/v^k, and dz = dv/2
        if j < k:
            product = fmpz_poly([1, 1]) ** (j - 1) * fmpz_poly([-1, 1]) ** (k - j - 1)
            numbers = [product[a] for a in range(k)]
        else:  # 1/(v − 1) = −Σ v^a
            left, running, numbers = fmpz_poly([1, 1]) ** (k - 1), 0, []
            for a in range(k):
                running += left[a]
                numbers.append(-running)
        term, power = arb(0), arb(1)
        for a in range(k - 1, -1, -1):
            term += numbers[a] * power
            power = power * (c / 2) / (k - a)
        term *= arb(2) ** (1 - k) * (-c / 2).exp()
        if j == k:
            term += 1
        total += arb(math.comb(k, j)) * (-epsilon0 * (k - j)).exp() * term
    return total


def laplace_by_pieces(epsilon0, k, epsilon):
    """Weighted by e^{L/2} one loss is two equal atoms at ±ε₀ and uniform between: sums are shifted Irwin–Hall laws."""
    atom, total = (-epsilon0 / 2).exp() / 2, arb(0)
    for m in range(k + 1):
        for a in range(k - m + 1):
            ways = math.factorial(k) // (math.factorial(a) * math.factorial(k - m - a) * math.factorial(m))
            weight = ways * atom ** (k - m) * (atom * epsilon0) ** m
            shift = epsilon0 * (2 * a - k)
            if m == 0:
                if shift > epsilon:
                    total += weight * (shift / 2).exp() * (1 - (epsilon - shift).exp())
                continue
            for piece in range(m):
                low = max(float(((epsilon - shift) / (2 * epsilon0)).mid()), piece)
                if low >= piece + 1:
                    continue
                start = arb(piece) if low == piece else (epsilon - shift) / (2 * epsilon0)
                for u, w in panels(start, arb(piece + 1), 1.0, 32):
                    irwin = sum((-1) ** i * math.comb(m, i) * (u - i) ** (m - 1) for i in range(piece + 1))
                    loss = shift + 2 * epsilon0 * u
                    total += (
                        weight * w * irwin / math.factorial(m - 1) * (loss / 2).exp() * (1 - (epsilon - loss).exp())
                    )
    return total


# ------------------------------------------------------------------------------------------- rows


def gaussian(row, way):
    square = row["times"] / exact(row["sigma"]) ** 2
    if way == SECOND:
        return contour_epsilon(lambda *_: [(Gaussian(square), 1)], row["delta"], FIRST)
    mu, goal = square.sqrt(), exact(row["delta"])
    scale = float((2 * (1 / goal).log()).sqrt())
    guess = float(mu) * (scale + float(mu) / 2)
    return root(
        lambda e: (upper_half(e / mu - mu / 2) - e.exp() * upper_half(e / mu + mu / 2)).log() - goal.log(),
        guess,
        guess * 0.97,
    )


def laplace(row, way):
    size, k, goal = exact(row["epsilon0"]), row["times"], exact(row["delta"])
    if k == 1 and way == FIRST:
        return size + 2 * (1 - goal).log()
    if k > 10_000 or (k > 10 and way == SECOND):
        many = k > 10_000
        least = 0.0 if many else 600 * math.pi / float(size)  # the atoms bring the integrand back at multiples of π/ε₀
        return contour_epsilon(lambda *_: [(Laplace(size), k)], row["delta"], way if many else FIRST, least=least)
    flint.ctx.prec = 2 * BITS + 4 * k
    profile = laplace_by_residues if way == FIRST else laplace_by_pieces
    most = k * size  # where δ vanishes: log δ is nearly affine in log(most − ε)
    guess = math.log(min(float(goal) * 2.0 ** (k + 1), 0.83 * float(most)) if k < 100 else float(most - 8))
    found = most - root(lambda y: profile(size, k, most - y.exp()).mid().log() - goal.log(), guess, guess - 0.01).exp()
    flint.ctx.prec = BITS
    return found


def dpsgd(row, way):
    """The larger of both directions."""
    q, sigma, delta = exact(row["q"]), exact(row["sigma"]), exact(row["delta"])
    if row["times"] == 1:
        profile = one_step if way == FIRST else one_step_by_panels
        return max((bisect(lambda e, f=f: profile(q, sigma, e, f) > delta, q, f) for f in (True, False)), key=float)
    if row["times"] == 2:  # ε is beyond twice the largest loss when adding
        goal = delta.log()
        return root(lambda e: two_steps(q, sigma, e, way).mid().log() - goal, row["near"], row["near"] * 1.01)
    nats = row.get("nats", NATS)
    if nats < NATS and way == SECOND:
        removed = float_epsilon(q, sigma, row["times"], row["delta"])
    else:
        removed = contour_epsilon(sampled(q, sigma, row["times"], True), row["delta"], way, nats)
    if removed > -row["times"] * (1 - q).log():  # when adding, no loss is larger than −log(1 − q)
        return removed
    return max(removed, contour_epsilon(sampled(q, sigma, row["times"], False), row["delta"], way, nats), key=float)


def sampled(q, sigma, times, forward):
    return lambda way, reach, nats: [(sampled_gaussian(q, sigma, forward, way, reach, nats), times)]


def one_step(q, sigma, e, forward):
    """δ(ε) of one sampled Gaussian, from normal tails."""
    if forward:
        t = threshold(q, sigma, e)
        return q * upper_half((t - 1) / sigma) + (1 - q - e.exp()) * upper_half(t / sigma)
    t = threshold(q, sigma, -e)
    return upper_half(-t / sigma) * (1 - e.exp() * (1 - q)) - e.exp() * q * upper_half((1 - t) / sigma)


def one_step_by_panels(q, sigma, e, forward):
    """The same by integrating over the outputs where the loss exceeds ε."""
    t = threshold(q, sigma, e if forward else -e)
    total = arb(0)
    for x, weight in (
        panels(t, t + 20 * sigma, float(sigma), 32) if forward else panels(t - 20 * sigma, t, float(sigma), 32)
    ):
        w = 1 - q + q * ((2 * x - 1) / (2 * sigma**2)).exp()
        mass = weight * (-x * x / (2 * sigma**2)).exp() / (sigma * (2 * arb.pi()).sqrt())
        total += mass * (w - e.exp() if forward else 1 - e.exp() * w)
    return total


def threshold(q, sigma, loss):
    """x with 1 − q + q·e^u = e^loss."""
    return sigma**2 * ((loss.exp() - 1 + q) / q).log() + arb(1) / 2


def bisect(above, q, forward):
    """The ε where `above` ends; −1 if it never holds."""
    low, high = arb("1e-9"), arb(200) if forward else -(1 - q).log() * (1 - arb("1e-9"))
    if not above(low):
        return arb(-1)
    for _ in range(120):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if above(middle) else (low, middle)
    return low


def calibrate(row, way):
    """σ with δ(ε) = δ, in the direction that needs more."""
    q, epsilon, goal = exact(row["q"]), exact(row["epsilon"]), exact(row["delta"]).log()

    def excess(sigma, forward):
        return contour_delta(sampled(q, sigma, row["times"], forward), epsilon, way).log() - goal

    return max((root(lambda s, f=f: excess(s, f), 1.2, 1.25) for f in (True, False)), key=float)


def curve(row, way):
    """δ at each ε, the larger direction."""
    q, sigma = exact(row["q"]), exact(row["sigma"])
    return [
        max((contour_delta(sampled(q, sigma, row["times"], f), exact(e), way) for f in (True, False)), key=float)
        for e in row["epsilons"]
    ]


def toward(corner, low, high, way):
    """Nodes and weights on [low, high] that crowd at a corner where the integrand may bend."""
    nodes = []
    for sign, length in ((-1, corner - low), (1, high - corner)):
        if not length > 0:
            continue
        if way == FIRST:  # panels that halve toward the corner
            edges = [length / arb(2) ** k for k in range(90)]
            for outer, inner in pairwise(edges):
                nodes += [(corner + sign * x, w) for x, w in panels(inner, outer, 0.6, 40)]
        else:  # distance e^{t − e^{−t}} up to `length`, equidistant in t far below the end, panels beyond
            top = min(length, arb(1) / 4)
            nodes += [(corner + sign * x, w) for x, w in panels(top, length, 0.25, 48)] if length > top else []
            for t, w in panels(arb(-5), arb(1), 0.1, 24):  # e^{−e^5} = 1e-64
                reach = 1 - (1 - t).exp() + (t - 1)
                nodes.append((corner + sign * top * reach.exp(), w * top * reach.exp() * ((1 - t).exp() + 1)))
    return nodes


def two_steps(q, sigma, epsilon, way):
    """δ(ε) of two sampled Gaussians, a unit removed: the profile of one step, averaged over the other's loss."""
    floor = (1 - q).log()  # the least loss: below it δ is 1 − e^ε

    def one(e):
        return one_step(q, sigma, e, True) if e > floor else 1 - e.exp()

    corner, total = threshold(q, sigma, epsilon - floor), arb(0)
    for x, weight in toward(corner, -20 * sigma, corner + 20 * sigma, way):
        w = 1 - q + q * ((2 * x - 1) / (2 * sigma**2)).exp()
        total += weight * normal(x, sigma) * w * one(epsilon - w.log())
    return total


def two_fixed_steps(q, sigma, epsilon, way):
    """The same for C_q(G_{1/σ}), whose loss is symmetric: δ(−ε) = 1 − e^{−ε} + e^{−ε}δ(ε)."""

    def one(e):
        return one_step(q, sigma, e, True) if e > 0 else 1 - e.exp() + e.exp() * one_step(q, sigma, -e, True)

    corner, half = threshold(q, sigma, epsilon), arb(1) / 2
    rest = 1 - upper_half(half / sigma) * (2 - q) - q * upper_half((half - 1) / sigma)
    total = rest * one(epsilon)
    for x, weight in toward(corner, half, corner + 20 * sigma, way):
        w = 1 - q + q * ((2 * x - 1) / (2 * sigma**2)).exp()
        total += weight * normal(x, sigma) * (w * one(epsilon - w.log()) + one(epsilon + w.log()))
    return total


def normal(x, sigma):
    """The density of N(0, σ²)."""
    return (-x * x / (2 * sigma**2)).exp() / (sigma * (2 * arb.pi()).sqrt())


def calibrate_subset(row, way):
    """σ with δ(ε) = δ for two samples of a fixed size."""
    q, epsilon, goal = exact(Fraction(row["size"], row["total"])), exact(row["epsilon"]), exact(row["delta"]).log()
    return root(lambda s: two_fixed_steps(q, s, epsilon, way).mid().log() - goal, row["near"], row["near"] * 1.01)


def laplace_delta(row, way):
    """δ of Laplace mechanisms at each ε."""
    profile = laplace_by_residues if way == FIRST else laplace_by_pieces
    return [profile(exact(row["epsilon0"]), row["times"], exact(e)) for e in row["epsilons"]]


def budgets(row, way):
    """ε(δ) of a composition of unlike (ε, δ): randomized responses that give all away with probability δ."""
    sizes, kept = [exact(e) for e in row["each"]], (1 - exact(row["slack"])) ** len(row["each"])
    goal = 1 - (1 - exact(row["delta"])) / kept
    sums = [arb(0)]
    for size in sizes:
        sums = [each + sign * size for each in sums for sign in (1, -1)]
    scale = math.prod((1 + size.exp() for size in sizes), start=arb(1))

    def by_subsets(e):  # Σ over sets S of (e^{Σ_S} − e^ε·e^{Σ_rest})₊, over Π(1 + e^{ε_i})  [MV16, Thm 1.5]
        whole = sum(sizes, arb(0))
        gaps = (((whole + each) / 2).exp() - (e + (whole - each) / 2).exp() for each in sums if each > e)
        return sum(gaps, arb(0)) / scale

    def by_losses(e):  # E(1 − e^{ε−L})₊, each loss with mass Π e^{±ε_i/2}/(2 cosh(ε_i/2))
        centre = math.prod((2 * (size / 2).cosh() for size in sizes), start=arb(1))
        return sum(((each / 2).exp() / centre * (1 - (e - each).exp()) for each in sums if each > e), arb(0))

    profile = by_subsets if way == FIRST else by_losses
    low, high = arb(0), sum(sizes, arb(0))
    for _ in range(100):
        middle = ((low + high) / 2).mid()
        low, high = (middle, high) if profile(middle) > goal else (low, middle)
    return low


def shuffle(row, way):
    """ε(δ) of the stronger clone pair: Bin(n − 1, 2/(e^ε₀ + 1)) others hide one report  [FMT23, Thm 3.2]."""
    others, local, goal = row["reports"] - 1, exact(row["epsilon0"]).exp(), exact(row["delta"])
    rate, likely = 2 / (local + 1), local / (1 + local)
    counts = {c: arb(math.comb(others, c)) * rate**c * (1 - rate) ** (others - c) for c in range(others + 1)}
    counts = {c: mass for c, mass in counts.items() if mass > arb("1e-45")}

    def by_outcomes(e):  # (P − e^ε Q)₊ over every pair of counts
        total = arb(0)
        for c, mass in counts.items():
            half = [math.comb(c, a) for a in range(c + 1)]
            for a in range(c // 2, c + 2):
                with_one, without = half[a - 1] if a else 0, half[a] if a <= c else 0
                gap = likely * with_one + (1 - likely) * without - e * ((1 - likely) * with_one + likely * without)
                if gap > 0:
                    total += mass * gap / arb(2) ** c
        return total

    def by_tails(e):  # a threshold for each number of clones, and binomial tails beyond it
        total = arb(0)
        for c, mass in counts.items():
            k1, k2 = likely - e * (1 - likely), e * likely - (1 - likely)
            first = math.floor(float(((c + 1) * k2 / (k1 + k2)).mid()))
            tail = sum(math.comb(c, a) for a in range(first + 1, c + 1))
            total += mass * (k1 * math.comb(c, first) - (e - 1) * tail) / arb(2) ** c
        return total

    profile = by_outcomes if way == FIRST else by_tails
    return root(lambda e: profile(e.exp()).log() - goal.log(), row["near"], row["near"] * 0.97)


def delta(row, way):
    """δ at each ε, a unit removed, on a line that the row gives: the saddle point is too near the rare huge losses.

    When adding, no sum of losses gets anywhere near the deviation that ε is.
    """
    q, sigma, s = exact(row["q"]), exact(row["sigma"]), arb(row["line"]) * (1 if way == FIRST else arb("0.8"))
    parts = sampled(q, sigma, row["times"], True)(way, s + 1, NATS)
    line = Line(parts, s, way, -30.0, 1.0, NATS + 20)
    return [line.delta(exact(e)) for e in row["epsilons"]]


def response(row, way):
    epsilon, k = Fraction(row["epsilon0"]), row["times"]
    offset, step = -k * epsilon, 2 * epsilon
    if way == FIRST:
        e = exact(epsilon)
        return lattice_epsilon(
            summed_tail([1 / (1 + e.exp()), 1 / (1 + (-e).exp())], k, offset, step), offset, step, row["delta"]
        )
    return lattice_epsilon(
        fourier_tail(response_moment(epsilon), k, offset, step, 4 * k + 60, arb(4)), offset, step, row["delta"]
    )


def mix(row, way):
    sizes, sigmas = ([exact(Fraction(part["first"]) + i * Fraction(part["step"])) for i in range(part["count"])]
                     for part in (row["laplace"], row["gaussian"]))  # fmt: skip
    parts = [(Gaussian(sum((s**-2 for s in sigmas), arb(0))), 1), *((Laplace(size), 1) for size in sizes)]
    return contour_epsilon(lambda *_: parts, row["delta"], way)


def discrete_gaussian(row, way):
    square, k = Fraction(row["sigma"]) ** 2, row["times"]
    if way == SECOND:  # losses (S + k/2)/σ², S the sum
        offset, step = Fraction(k, 2) / square, 1 / square
        tail = fourier_tail(discrete_gaussian_moment(row["sigma"]), k, offset, step, 4096, arb(4))
        return lattice_epsilon(tail, offset, step, row["delta"])
    reach = math.ceil(24 * math.sqrt(square))
    masses = [(-exact(Fraction(x * x) / (2 * square))).exp() for x in range(-reach, reach + 1)]
    total = sum(masses, arb(0))
    offset = (Fraction(k, 2) - k * reach) / square
    tail = summed_tail([m / total for m in masses], k, offset, 1 / square)
    return lattice_epsilon(tail, offset, 1 / square, row["delta"])


def discrete_laplace(row, way):
    a, shift, k = Fraction(row["rate"]), row["shift"], row["times"]
    offset, step = -a * shift * k, 2 * a
    if way == SECOND:
        tail = fourier_tail(discrete_laplace_moment(a, shift), k, offset, step, 4 * k * shift, arb(3))
        return lattice_epsilon(tail, offset, step, row["delta"])
    r, masses = (-exact(a)).exp(), [arb(0)] * (shift + 1)
    for x in range(-4000, 4001):  # P is centred at 0, Q at −Δ: the loss is a(|x+Δ| − |x|); the rest is far below 10^−80
        masses[(abs(x + shift) - abs(x) + shift) // 2] += (1 - r) / (1 + r) * r ** abs(x)
    return lattice_epsilon(summed_tail(masses, k, offset, step), offset, step, row["delta"])


def subset(row, way):
    q, sigma = exact(Fraction(row["size"], row["total"])), exact(row["sigma"])
    return contour_epsilon(
        lambda rule, reach, nats: [(subset_gaussian(q, sigma, rule, reach, nats), row["times"])], row["delta"], way
    )


LAWS = {
    "gaussian": gaussian, "laplace": laplace, "dpsgd": dpsgd, "response": response, "mix": mix, "calibrate": calibrate,
    "discrete_gaussian": discrete_gaussian, "discrete_laplace": discrete_laplace, "subset": subset, "curve": curve,
    "delta": delta, "laplace_delta": laplace_delta, "budgets": budgets, "shuffle": shuffle,
    "calibrate_subset": calibrate_subset,
}  # fmt: skip


def compute(row, way):
    """The truth of a row, as text; a list for a curve."""
    before, flint.ctx.prec = flint.ctx.prec, BITS
    try:
        found = LAWS[row["law"]](row, way)
        return [text(each) for each in found] if isinstance(found, list) else text(found)
    finally:
        flint.ctx.prec = before


def text(x, digits=24):
    return arb(x).mid().str(digits, radius=False)


def agreement(a, b):
    """How many significant digits two texts share."""
    if isinstance(a, list):
        return min(agreement(x, y) for x, y in zip(a, b, strict=True))
    x, y = Fraction(a), Fraction(b)
    return 24 if x == y else math.floor(-math.log10(abs(x - y) / abs(x)))


def written(rows):
    """The file: comment, then the rows, keys in the order they have."""
    comment = FILE.read_text().split("[[row]]")[0]

    def value(x):
        if isinstance(x, dict):
            return "{ " + ", ".join(f"{k} = {value(v)}" for k, v in x.items()) + " }"
        if isinstance(x, list):
            return "[" + ", ".join(map(value, x)) + "]"
        return {True: "true", False: "false"}[x] if isinstance(x, bool) else f'"{x}"' if isinstance(x, str) else repr(x)

    return comment + "\n".join("[[row]]\n" + "".join(f"{k} = {value(v)}\n" for k, v in row.items()) for row in rows)


def main(arguments):
    flint.ctx.prec = BITS
    rows, bad = tomllib.loads(FILE.read_text())["row"], 0
    for row in rows:
        if not all(word.lower() in row["name"].lower() for word in arguments if word != "--write"):
            continue
        start = time.perf_counter()
        first, second = compute(row, FIRST), compute(row, SECOND)
        digits = min(agreement(first, second), 20)
        kept = [text(arb(x), digits) for x in first] if isinstance(first, list) else text(arb(first), digits)
        same = agreement(kept, row["truth"]) if "truth" in row else 0
        bad += digits < 12 or same < 12
        seconds = time.perf_counter() - start
        sys.stdout.write(f"{row['name']}: {kept}, two ways share {digits} digits, the file {same}, {seconds:.1f} s\n")
        sys.stdout.flush()
        if "--write" in arguments and digits >= 12:
            row["truth"] = kept
            FILE.write_text(written(rows))
    return bad


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
