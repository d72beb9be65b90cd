"""Try an installed wheel: dalenius must come from the venv that runs this file, and its command must answer."""

import importlib.metadata
import subprocess
import sys
from pathlib import Path

import dalenius


def main() -> int:
    """Say where dalenius came from, or why it is not the wheel's."""
    home = Path(sys.prefix).resolve()
    place = Path(dalenius.__file__).resolve()
    if home not in place.parents:
        print(f"dalenius came from {place}, not from {home}")
        return 1
    if not (place.parent / "py.typed").is_file():
        print("the wheel lacks py.typed")
        return 1
    command = [str(Path(sys.executable).with_name("dalenius")), "--version"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True).stdout.strip()
    version = importlib.metadata.version("dalenius")
    if version not in answer or version != dalenius.__version__:
        print(f"dalenius --version said {answer!r}, the wheel is {version}, the package {dalenius.__version__}")
        return 1
    print(f"wheel: {answer}, imported from an empty venv")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
