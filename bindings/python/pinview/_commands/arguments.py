"""Arguments that several commands take."""

from __future__ import annotations

import argparse
from collections.abc import Callable


def interval_between(shortest: float, longest: float) -> Callable[[str], float]:
    """What argparse calls for an argument that is a number of seconds within bounds."""

    def interval(text: str) -> float:
        try:
            seconds = float(text)
        except ValueError:
            raise argparse.ArgumentTypeError(f"'{text}' is not a number of seconds") from None
        if not shortest <= seconds <= longest:
            raise argparse.ArgumentTypeError(f"the interval must be between {shortest:g} and {longest:g} seconds, got {text}")
        return seconds

    return interval
