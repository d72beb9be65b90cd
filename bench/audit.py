"""Broken mechanisms found, sound ones rejected and CPU seconds: dalenius, peers and a plain histogram, in one run.

    python bench/audit.py [draws] [seeds]

The histogram tester is what one writes first: twenty bins (or the values themselves) learnt on half of the draws, the
event is the union of the bins whose ratio is largest, its counts on the other half give separate Clopper–Pearson
limits. It reads numbers only; of a vector it sees the first coordinate and the sum, of anything else whether outputs
are equal. Peers judge the same outputs, those that they can read. Then the mechanisms of peers are audited.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import run, table

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from dalenius import audit  # noqa: E402
from dalenius.audit.bound import goal_of, report_on  # noqa: E402
from dalenius.audit.certify import limits  # noqa: E402
from dalenius.audit.claim import ceiling  # noqa: E402
from dalenius.audit.draw import draw, draw_pair  # noqa: E402
from dalenius.audit.encode import as_matrix  # noqa: E402
from dalenius.guarantees import PureDP  # noqa: E402
from tests.audit.corpus.broken import BROKEN  # noqa: E402
from tests.audit.corpus.sound import SOUND  # noqa: E402
from tests.audit.held_out.broken import BROKEN as OTHER_BROKEN  # noqa: E402
from tests.audit.held_out.sound import SOUND as OTHER_SOUND  # noqa: E402

ALPHA = 0.05
CORPORA = (BROKEN, SOUND, OTHER_BROKEN, OTHER_SOUND)
MECHANISMS = (
    ("diffprivlib", "laplace"),
    ("diffprivlib", "geometric"),
    ("diffprivlib", "staircase"),
    ("diffprivlib", "snapping"),
    ("opendp", "laplace"),
    ("opendp", "discrete laplace"),
)


def ours(case: Any, seed: int, draws: int) -> bool:
    return audit.lower_bound(case.mechanism(seed), case.x, case.x2, claim=case.claim, draws=draws, alpha=ALPHA).rejects


def histogram(case: Any, seed: int, draws: int) -> bool:
    mechanism = case.mechanism(seed)
    first, second = (columns(draw(mechanism, data, draws)) for data in (case.x, case.x2))
    shape = ceiling(case.claim)
    found = False
    for x, x2 in zip(first, second, strict=False):
        for one, other in ((x, x2), (x2, x)):
            found |= crosses(one, other, shape, ALPHA / (2 * max(1, min(len(first), len(second)))))
    return found


def columns(outputs: Any) -> list[Any]:
    try:
        values = np.asarray(outputs, float)
    except (TypeError, ValueError):
        return [np.array([float(hash(repr(output)) % 2**52) for output in outputs])]
    values = values.reshape(len(values), -1)
    return [values[:, 0]] if values.shape[1] == 1 else [values[:, 0], values.sum(axis=1)]


def crosses(one: Any, other: Any, shape: Any, alpha: float) -> bool:
    half = len(one) // 2
    both = np.concatenate([one[:half], other[:half]])
    both = both[np.isfinite(both)]
    if not len(both):
        return False
    values = np.unique(both)
    edges = values if len(values) <= 20 else np.unique(np.quantile(both, np.linspace(0, 1, 21)[1:-1]))
    cells = [np.searchsorted(edges, side) for side in (one, other)]
    size = len(edges) + 1
    a, b = (np.bincount(cell[:half], minlength=size) for cell in cells)
    order = np.argsort(-(a + 1) / (b + 1))
    gaps = np.cumsum(a[order]) / half - shape(np.cumsum(b[order]) / half)
    event = order[: int(np.argmax(gaps)) + 1]
    n = len(one) - half
    p, q = (int(np.isin(cell[half:], event).sum()) for cell in cells)
    return limits(p, n, alpha)[0] > shape.at(limits(q, n, alpha)[1])


def samples(cases: tuple[Any, ...], seed: int, draws: int) -> dict[str, Any]:
    """The outputs of the cases that a peer can read: a number or up to three, and a claim of pure privacy.

    pystatdp tries ten events a number in all combinations, so more numbers are out of its reach.
    """
    found: dict[str, Any] = {}
    for k, case in enumerate(cases):
        if not isinstance(case.claim, PureDP):
            continue
        sides = [as_matrix(side) for side in draw_pair(case.mechanism(seed), case.x, case.x2, draws)]
        if any(side is None or side.shape[1] > 3 or not np.isfinite(side).all() for side in sides):
            continue
        if sides[0].shape == sides[1].shape:
            found |= {f"x_{k}": sides[0], f"x2_{k}": sides[1], f"epsilon_{k}": float(case.claim.epsilon(0))}
    return found


def peer_row(peer: str, draws: int, seeds: int) -> list[str]:
    """What a peer's tester says of the outputs that it can read."""
    counts, readable, seconds = [], [], 0.0
    for cases in CORPORA:
        rejected = 0
        with tempfile.TemporaryDirectory() as folder:
            for seed in range(seeds):
                given = samples(cases, seed, draws)
                path = Path(folder) / f"{seed}.npz"
                np.savez(path, **given)
                told = run("audit_worker.py", peer, "judge", str(path), str(ALPHA), timeout=900)
                if told is None:
                    return [peer, *["–"] * 5]
                rejected, seconds = rejected + len(told["rejected"]), seconds + told["seconds"]
        readable.append(len(given) // 3)
        counts.append(f"{rejected} of {len(cases) * seeds}")
    return [f"{peer} (reads {readable[0]} + {readable[2]} broken)", *counts, f"{seconds / seeds:.1f}"]


def own_row(name: str, tester: Any, draws: int, seeds: int) -> list[str]:
    tester(SOUND[0], 0, 500)
    start, counts = time.process_time(), []
    for cases in CORPORA:
        rejected = sum(tester(case, seed, draws) for case in cases for seed in range(seeds))
        counts.append(f"{rejected} of {len(cases) * seeds}")
    return [name, *counts, f"{(time.process_time() - start) / seeds:.1f}"]


def peers_mechanisms(draws: int) -> str:
    """Our audit of what the peers release for the answers 0 and 1 under ε = 1."""
    rows = []
    for peer, name in MECHANISMS:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "drawn.npz"
            told = run("audit_worker.py", peer, "draw", name, str(path), str(draws), timeout=900)
            if told is None:
                continue
            outputs = np.load(path)
            goal = goal_of(PureDP(1), None, 1e-3, draws)
            report = report_on(outputs["x"], outputs["x2"], PureDP(1), goal)
        verdict = "refuted" if report.rejects else "not refuted"
        rows.append([f"{peer}, {name}", verdict, f"{report.epsilon:.3f}", report.event[:60]])
    return table([f"claims ε = 1; {draws} draws, α = 0.001", "verdict", "certified ε", "event"], rows)


def main(draws: int, seeds: int) -> str:
    rows = [own_row(name, tester, draws, seeds) for name, tester in (("dalenius", ours), ("histogram", histogram))]
    rows += [peer_row(peer, draws, seeds) for peer in ("pystatdp", "privacy-estimates")]
    head = ["broken found", "sound rejected", "held out: found", "held out: rejected", "CPU s a pass"]
    return table([f"{draws} draws, α = {ALPHA}", *head], rows)


if __name__ == "__main__":
    numbers = [int(word) for word in sys.argv[1:]]
    text = main(*(numbers + [10_000, 3][len(numbers) :])) + "\n\n" + peers_mechanisms(20_000)
    print(text)
    out = ROOT / ".bench" / "audit.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
