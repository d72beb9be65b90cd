"""Local collection, side by side: microseconds per user, client and aggregator together, and error, in one run."""

from pathlib import Path

from side_by_side import run, table

PEERS = ("dalenius", "pure-ldp", "multi-freq-ldpy")
HEAD = [
    "oracle, d = 1,024, ε = 1",
    *(f"{peer}, µs/user" for peer in PEERS),
    "÷ fastest peer",
    "dalenius consistent, n·MSE",
    *(f"{peer}, n·MSE" for peer in PEERS),
]


def main() -> str:
    found = {peer: result for peer in PEERS if (result := run("local_worker.py", peer)) is not None}
    rows = []
    for name, ours in found["dalenius"].items():
        times = [found[p][name]["microseconds"] for p in PEERS[1:] if p in found and name in found[p]]
        rows.append(
            [name]
            + [f"{found[p][name]['microseconds']:.3g}" if name in found.get(p, {}) else "–" for p in PEERS]
            + [f"{min(times) / ours['microseconds']:.0f}" if times else "–"]
            + [f"{ours['consistent']:.3g}"]
            + [f"{found[p][name]['error']:.3g}" if name in found.get(p, {}) else "–" for p in PEERS]
        )
    return table(HEAD, rows)


if __name__ == "__main__":
    text = main()
    print(text)
    out = Path(__file__).parent.parent / ".bench" / "local.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
