"""The command line: one file a command. Translation only: no mathematics, no SQL."""

import sys
import warnings

from dalenius.errors import DaleniusError


def main() -> None:
    """Run a command; a refusal is one plain line on stderr and exit code 1, misuse exits with 2.

    A failure that nobody foresaw is such a line too; `python -X dev -m dalenius` shows where it was.
    """
    from rich.console import Console

    from dalenius.cli.app import app
    from dalenius.cli.output import say
    from dalenius.escape import terminal

    # one plain line, not the place in the code that warned
    warnings.showwarning = lambda message, *_, **__: say(f"warning: {message}", err=True)
    try:
        app(prog_name="dalenius")
    except DaleniusError as refusal:
        said = str(refusal)
    except Exception as failure:  # a traceback or its words could hold a value of the data
        if sys.flags.dev_mode:
            raise
        said = f"dalenius itself failed, by {type(failure).__name__}; more is not said, since it could tell of the data"
    else:
        return
    Console(stderr=True, soft_wrap=True).print(terminal(said, lines=True), style="red", markup=False, highlight=False)
    sys.exit(1)


__all__ = ["main"]
