"""Naive Bayes, k-means and principal components, side by side with diffprivlib, in one run.

python bench/learning_models.py [share]: a share below 1 makes fewer fits.
"""

import sys

from side_by_side import VENVS, run, table

TASKS = {
    "naive Bayes, iris": "accuracy",
    "naive Bayes, breast_cancer": "accuracy",
    "naive Bayes, digits": "accuracy",
    "k-means, 5 blobs": "cost / plain",
    "k-means, digits in 2 dimensions": "cost / plain",
    "components, digits, 10 of 64": "variance kept / plain",
    "components, breast_cancer, 3 of 30": "variance kept / plain",
}
LOWER = "cost / plain"


def cell(found: dict | None) -> str:
    return "–" if found is None else f"{found['mean']:.3f} ± {2 * found['se']:.3f}"


def ms(found: dict | None) -> str:
    return "–" if found is None else f"{1000 * found['cpu']:.1f}"


def verdict(ours: dict, theirs: dict | None, lower: bool) -> str:
    if theirs is None:
        return ""
    sign = -1 if lower else 1
    gap = sign * (ours["mean"] - theirs["mean"])
    noise = 2 * (ours["se"] + theirs["se"])
    return "better" if gap > noise else "worse" if gap < -noise else "equal within noise"


def main(share: str = "1") -> str:
    ours, theirs = (run("learning_models_worker.py", peer, share) for peer in ("dalenius", "diffprivlib"))
    rows = []
    for task, what in TASKS.items():
        for epsilon in ("0.1", "1", "10"):
            pure, gaussian = (ours[f"{task}|{epsilon}|{way}"] for way in ("δ = 0", "δ = 1e-05"))
            peer = None if theirs is None else theirs.get(f"{task}|{epsilon}|δ = 0")
            times = f"{1000 * pure['cpu']:.1f} / {ms(peer)}"
            told = verdict(pure, peer, what == LOWER)
            rows.append([f"{task}, ε = {epsilon}", what, cell(pure), cell(gaussian), cell(peer), times, told])
    head = ["task", "score", "dalenius, δ = 0", "dalenius, δ = 1e-5", "diffprivlib, δ = 0", "ms a fit", "δ = 0"]
    return table(head, rows)


if __name__ == "__main__":
    text = main(*sys.argv[1:])
    print(text)
    (VENVS / "learning_models.md").write_text(text + "\n")
