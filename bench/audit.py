"""Broken mechanisms found, sound ones rejected and CPU seconds: dalenius and a plain histogram tester, in one run.

    python bench/audit.py [draws] [seeds]

The histogram tester is what one writes first: twenty bins (or the values themselves) learnt on half of the draws, the
event is the union of the bins whose ratio is largest, its counts on the other half give separate Clopper–Pearson
limits. It reads numbers only; of a vector it sees the first coordinate and the sum, of anything else whether outputs
are equal.
"""

import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from side_by_side import table

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT))

from dalenius import audit  # noqa: E402
from dalenius.audit.certify import limits  # noqa: E402
from dalenius.audit.claim import ceiling  # noqa: E402
from dalenius.audit.draw import draw  # noqa: E402
from tests.audit.corpus.broken import BROKEN  # noqa: E402
from tests.audit.corpus.sound import SOUND  # noqa: E402

ALPHA = 0.05


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
    return [values] if values.ndim == 1 else [values[:, 0], values.sum(axis=1)]


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


def main(draws: int, seeds: int) -> str:
    rows = []
    for name, tester in (("dalenius", ours), ("histogram", histogram)):
        tester(SOUND[0], 0, 500)
        start = time.process_time()
        found = sum(tester(case, seed, draws) for case in BROKEN for seed in range(seeds))
        false = sum(tester(case, seed, draws) for case in SOUND for seed in range(seeds))
        seconds = (time.process_time() - start) / seeds
        rows.append([name, f"{found} of {len(BROKEN) * seeds}", f"{false} of {len(SOUND) * seeds}", f"{seconds:.1f}"])
    return table([f"{draws} draws, α = {ALPHA}", "broken found", "sound rejected", "CPU s a pass"], rows)


if __name__ == "__main__":
    given = [int(word) for word in sys.argv[1:]]
    text = main(*(given + [10_000, 3][len(given) :]))
    print(text)
    out = ROOT / ".bench" / "audit.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
