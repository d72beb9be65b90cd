"""Statistics, side by side: CPU on ten million numbers and mean absolute error at n = 10 000, in one run."""

from pathlib import Path

from side_by_side import run, table

PEERS = ("numpy", "dalenius", "diffprivlib", "opendp", "python-dp")
ASKED = ("mean", "mean, n public", "variance", "variance, n public", "histogram", "histogram, held at 0", "median")


def seconds(found, peer, name):
    """A peer's time does not depend on whether n is public, nor on holding counts at 0."""
    mine = found.get(peer) or {}
    plain = name.split(",")[0]
    return next(
        (mine[key] for key in (name, plain, f"{plain}, n public", f"{plain}, held at 0") if mine.get(key)), None
    )


def times(found):
    rows = []
    for name in ("mean", "variance", "histogram", "median"):
        spent = {peer: seconds(found, peer, name) for peer in PEERS}
        ours = spent["dalenius"]
        ratio = ["–" if ours is None else f"{ours / spent['numpy']:.2g}"]
        ratio.append("–" if None in (ours, spent["opendp"]) else f"{spent['opendp'] / ours:.3g}")
        rows.append([name, *("–" if each is None else f"{1000 * each:.3g}" for each in spent.values()), *ratio])
    head = ["CPU, ms", *PEERS, "dalenius ÷ numpy", "opendp ÷ dalenius"]
    return table(head, rows)


def errors(found):
    peers, rows = PEERS[1:], []
    for name in ASKED:
        for epsilon in ("0.1", "1"):
            told = {peer: (found.get(peer) or {}).get(f"{name}/{epsilon}") for peer in peers}
            if not any(told.values()):
                continue
            best = min((each[0] for peer, each in told.items() if each and peer != "dalenius"), default=None)
            ours = told["dalenius"]
            cells = [_cell(each) for each in told.values()]
            rows.append([f"{name}, ε = {epsilon}", *cells, "–" if not ours or not best else f"{ours[0] / best:.3f}"])
    return table(["mean absolute error", *peers, "dalenius ÷ best peer"], rows)


def _cell(each):
    if not each:
        return "–"
    return f"{each[0]:.4g}" + ("" if each[1] >= 20_000 else f" ({each[1]})")


def main() -> str:
    told = {what: {peer: run("private_statistics_worker.py", peer, what) for peer in PEERS} for what in ("time",)}
    told["error"] = {peer: run("private_statistics_worker.py", peer, "error") for peer in PEERS[1:]}
    return f"{times(told['time'])}\n\n{errors(told['error'])}"


if __name__ == "__main__":
    text = main()
    print(text)
    out = Path(__file__).parent.parent / ".bench" / "private_statistics.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
