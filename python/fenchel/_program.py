"""Where the program is. It imports nothing that takes time: the command ``fenchel`` begins here."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path


def find() -> str | None:
    """Return the path of the program: that of FENCHEL_BINARY, of this package, or on PATH; None if there is none."""
    name = "fenchel.exe" if os.name == "nt" else "fenchel"
    for path in (os.environ.get("FENCHEL_BINARY"), Path(__file__).parent / "bin" / name, shutil.which(name)):
        if path and os.path.isfile(path):
            return str(path)
    return None


def main() -> None:
    """Run the program in place of this one."""
    mark = "FENCHEL_STARTED"  # what is on PATH may be the command of this package
    program = None if mark in os.environ else find()
    if program is None:
        sys.exit("fenchel: found no program, expected it in the package, on PATH, or where FENCHEL_BINARY says")
    env = {**os.environ, mark: "1"}
    if os.name == "nt":  # where a program cannot take the place of another
        sys.exit(subprocess.call([program, *sys.argv[1:]], env=env))
    os.execve(program, [program, *sys.argv[1:]], env)
