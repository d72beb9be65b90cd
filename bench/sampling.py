"""Noise, side by side: samples per second of dalenius and its peers, in one run."""

from pathlib import Path

from sampling_worker import LAWS, SCALES, SIZES
from side_by_side import human, run, table

PEERS = ("dalenius", "numpy", "opendp", "diffprivlib", "python-dp")
SECURE = ("opendp", "diffprivlib", "python-dp")
HEAD = ["law, n, scale", *PEERS, "÷ best secure peer", "÷ numpy"]


def main() -> str:
    rates = {peer: result for peer in PEERS if (result := run("sampling_worker.py", peer)) is not None}
    rows = []
    for law in LAWS:
        for n in reversed(SIZES):
            for scale in SCALES:
                key = f"{law}/{n}/{scale:g}"
                found = {peer: rates[peer][key] for peer in rates if key in rates[peer]}
                ours, best = found["dalenius"], max((found[p] for p in SECURE if p in found), default=None)
                rows.append(
                    [f"{law.replace('_', ' ')}, {n:g}, {scale:g}"]
                    + [human(found[peer]) if peer in found else "–" for peer in PEERS]
                    + ["–" if best is None else f"{ours / best:.3g}", f"{ours / found['numpy']:.2f}"]
                )
    return table(HEAD, rows)


if __name__ == "__main__":
    text = main()
    print(text)
    out = Path(__file__).parent.parent / ".bench" / "sampling.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
