"""What programs have in common that write a file of the repository from another one."""

from __future__ import annotations

import argparse
import pathlib
import sys


def arguments(description: str, folder: pathlib.Path) -> tuple[pathlib.Path, bool]:
    """The folder that is read, and whether the file is only checked."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only check whether the file is up to date")
    parser.add_argument("folder", nargs="?", type=pathlib.Path, default=folder)
    parsed = parser.parse_args()
    return parsed.folder, parsed.check


def write_or_check(target: pathlib.Path, text: str, is_check: bool, source: str) -> int:
    """Writes the file, or says on standard error that it is not what `source` gives.

    Returns the exit status of the program.
    """
    if not is_check:
        target.write_text(text, encoding="utf-8")
    elif not target.exists() or target.read_text(encoding="utf-8") != text:
        print(f"{target.name} is not what {source}", file=sys.stderr)
        return 1
    return 0
