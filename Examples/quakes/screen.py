"""Draws the demo's table: the answers of the pinned and the unpinned view, and the size of the
journal.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass

BAR_WIDTH = 8
BAR_FULL = 8 * 1024 * 1024  # bytes that fill the bar
EIGHTHS = ("", "▏", "▎", "▍", "▌", "▋", "▊", "▉")
STYLES = {
    "plain": "",
    "strong": "1",
    "pinned": "1;32",
    "unpinned": "33",
    "journal": "36",
    "alarm": "1;37;41",
}
# Colours are used on a terminal only, unless NO_COLOR is set.
COLOURS = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "dumb") != "dumb"


@dataclass(frozen=True)
class Answers:
    """What a view answers to the demo's questions."""

    quakes: int
    mean_magnitude: float
    checksum: int  # over every value of every quake


def styled(style: str, text: str) -> str:
    return f"\033[{STYLES[style]}m{text}\033[0m" if COLOURS and STYLES[style] else text


def line(style: str, text: str) -> None:
    print(styled(style, text), flush=True)


def table_head() -> None:
    print("┌─────┬───────── pinned ────────┬──────── unpinned ───────┬────── journal ─────┐")
    print("│ sec │ quakes mean M   check   │ quakes mean M   check   │                    │")
    print(
        "├─────┼─────────────────────────┼─────────────────────────┼────────────────────┤",
        flush=True,
    )


def table_row(second: int, pinned: Answers, unpinned: Answers, start: Answers, journal: int) -> None:
    pinned_style = "pinned" if pinned == start else "alarm"
    views = f"{_view(pinned, start, pinned_style)}│{_view(unpinned, start, 'unpinned')}"
    print(f"│ {second:3} │{views}│ {_bar(journal)} {_size(journal)} │", flush=True)


def table_foot() -> None:
    print("└─────┴─────────────────────────┴─────────────────────────┴────────────────────┘")
    print("  = every value as at the start   ≠ something differs", flush=True)


def journal(label: str, size: int) -> None:
    """One line with a label, a bar and the size."""
    print(f"  {label:34} {_bar(size)} {_size(size)}", flush=True)


def _view(view: Answers, start: Answers, style: str) -> str:
    sign = "=" if view == start else "≠"
    return styled(
        style,
        f" {view.quakes:6} {view.mean_magnitude:6.2f}  {view.checksum & 0xFFFFFF:06x} {sign} ",
    )


def _bar(size: int) -> str:
    """Eighths of a character make the bar grow smoothly."""
    filled = min(BAR_WIDTH * 8, round(size / BAR_FULL * BAR_WIDTH * 8))
    if size > 0:
        filled = max(1, filled)
    bar = "█" * (filled // 8) + EIGHTHS[filled % 8]
    return styled("journal", bar) + " " * (BAR_WIDTH - len(bar))


def _size(size: int) -> str:
    return f"{-(-size // 1024):5} KiB" if size < 1000 * 1024 else f"{size / (1024 * 1024):5.1f} MiB"
