"""`python -m pinview stubs`: declared classes for an existing model."""

from __future__ import annotations

import argparse
import pathlib
import sys
from collections.abc import Sequence

from .._declarations.stubs import source
from ..coordinator import Coordinator
from ..errors import Error
from ..model import Model


def main(arguments: Sequence[str]) -> int:
    """Runs the command and returns its exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m pinview stubs", description="Prints classes that declare the entities of a model, for typed programs in Python."
    )
    parser.add_argument("model", metavar="MODEL", help="a model as JSON, or a store, which contains the model that wrote it")
    parser.add_argument("-o", "--output", metavar="FILE", help="write to a file instead of standard output")
    options = parser.parse_args(arguments)
    try:
        with open(options.model, "rb") as file:
            is_store = file.read(16) == b"SQLite format 3\0"
        with Coordinator.model_of_store(options.model) if is_store else Model.from_file(options.model) as model:
            text = source(model, f"The entities of {pathlib.Path(options.model).name}, made by `python -m pinview stubs`.")
        if options.output:
            pathlib.Path(options.output).write_text(text, encoding="utf-8")
        else:
            print(text, end="")
    except (Error, OSError) as error:
        print(f"pinview: {error}", file=sys.stderr)
        return 1
    return 0
