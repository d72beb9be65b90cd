"""Make a virtual environment for each peer of peers.toml under .bench/, each with its own packages."""

import os
import subprocess
import sys
import tomllib
import venv
from pathlib import Path

HERE = Path(__file__).parent
ROOT = Path(os.environ.get("DALENIUS_BENCH", HERE.parent / ".bench"))


def main(names: list[str]) -> None:
    peers = tomllib.loads((HERE / "peers.toml").read_text())
    for name, peer in peers.items():
        if names and name not in names:
            continue
        place, stamp = ROOT / name, ROOT / name / ".packages"
        wanted = "\n".join([*peer.get("first", []), *peer["packages"]])
        if stamp.exists() and stamp.read_text() == wanted:
            print(f"{name}: ready")
            continue
        if not (place / "bin" / "python").exists():
            venv.create(place, with_pip=True)
        pip = [str(place / "bin" / "python"), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
        steps = [[package] for package in peer.get("first", [])] + [peer["packages"]]
        if all(subprocess.run([*pip, *step], check=False).returncode == 0 for step in steps):
            stamp.write_text(wanted)
            print(f"{name}: installed")
        else:
            print(f"{name}: could not be installed; the benchmarks will skip it")


if __name__ == "__main__":
    main(sys.argv[1:])
