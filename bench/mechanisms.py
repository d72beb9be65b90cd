"""A histogram of a million cells, released: CPU seconds of dalenius and OpenDP, in one run."""

from pathlib import Path

from side_by_side import run, table

HEAD = ["integer noise, scale", "dalenius, ms", "opendp, ms", "opendp ÷ dalenius"]


def main() -> str:
    ours, theirs = (run("mechanisms_worker.py", peer) for peer in ("dalenius", "opendp"))
    rows = []
    for key, seconds in (ours or {}).items():
        other = (theirs or {}).get(key)
        rows.append(
            [
                key.replace("/", ", "),
                f"{1000 * seconds:.3g}",
                "–" if other is None else f"{1000 * other:.4g}",
                "–" if other is None else f"{other / seconds:.3g}",
            ]
        )
    return table(HEAD, rows)


if __name__ == "__main__":
    text = main()
    print(text)
    out = Path(__file__).parent.parent / ".bench" / "mechanisms.md"
    out.parent.mkdir(exist_ok=True)
    out.write_text(text + "\n")
