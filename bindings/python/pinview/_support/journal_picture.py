"""Draws a journal as a bar, with the read marks and generations that hold it marked on it."""

from __future__ import annotations

from collections.abc import Sequence

from .forward import JournalProcess, JournalReport
from .records import record

_LABEL_ROWS = 6


@record(frozen=True)
class Style:
    """The characters for the parts of the bar, and whether they are coloured."""

    copied: str
    reclaimable: str
    held: str
    pointer: str
    line: str
    ends: tuple[str, str]
    colour: bool = False

    def painted(self, text: str, number: int) -> str:
        """The text in a colour, by its ANSI number, if this style is coloured."""
        return f"\x1b[{number}m{text}\x1b[0m" if self.colour and text else text


_GREEN, _YELLOW, _RED = 32, 33, 31
UNICODE = Style("█", "▓", "░", "▲", "│", ("▕", "▏"))
ASCII = Style("#", "=", ".", "^", "|", ("[", "]"))


def style(unicode: bool, colour: bool) -> Style:
    """The style for a terminal with these abilities."""
    chosen = UNICODE if unicode else ASCII
    return Style(chosen.copied, chosen.reclaimable, chosen.held, chosen.pointer, chosen.line, chosen.ends, colour)


def picture(report: JournalReport, width: int, style: Style) -> str:
    """The bar, the labels below it, and a legend. No line is longer than the width."""
    if report.frames == 0:
        return _shortened("the journal is empty", width)
    room = max(width - 2, 1)
    copied = _column(report.copied_frames, report.frames, room)
    limit = _column(report.copied_frames + report.reclaimable_frames, report.frames, room)
    bar = (
        style.painted(style.copied * copied, _GREEN)
        + style.painted(style.reclaimable * (limit - copied), _YELLOW)
        + style.painted(style.held * (room - limit), _RED)
    )
    lines = [style.ends[0] + bar + style.ends[1]]
    lines += [" " + row for row in _pointers(report, room, style)]
    held = report.frames - report.copied_frames - report.reclaimable_frames
    legend = (
        (style.copied, _GREEN, f"copied into the store: {report.copied_frames}"),
        (style.reclaimable, _YELLOW, f"next checkpoint can copy: {report.reclaimable_frames}"),
        (style.held, _RED, f"held back: {held}"),
    )
    # On one line, if there is room.
    if sum(len(text) + 4 for _, _, text in legend) <= width:
        lines.append("  ".join(f"{style.painted(sign, colour)} {text}" for sign, colour, text in legend))
    else:
        lines += [f"{style.painted(sign, colour)} {_shortened(text, width - 2)}" for sign, colour, text in legend]
    return "\n".join(lines)


def _column(frame: int, frames: int, room: int) -> int:
    """The column of a frame on the bar. A part that is neither empty nor everything is at least one
    column wide.
    """
    column = min(max(frame, 0) * room // frames, room)
    if 0 < frame < frames and room > 1:
        column = min(max(column, 1), room - 1)
    return column


def _pointers(report: JournalReport, room: int, style: Style) -> list[str]:
    """The row of pointers below the bar, and rows with their labels; labels too close to each other
    are stacked.
    """
    labels: dict[int, list[str]] = {}
    for mark in report.read_marks:
        holders = [process for process in report.processes if mark in process.read_marks]
        column = min(_column(mark.frame, report.frames, room), room - 1)
        labels.setdefault(column, []).append(f"read mark {mark.number}{_holders(holders)}")
    for generation in report.generations:
        if generation.is_detached:
            continue
        # A reader with read mark 0 reads nothing from the journal, which may have restarted since.
        frame = 0 if generation.read_mark == 0 else generation.frame
        column = min(_column(frame, report.frames, room), room - 1)
        names = ", ".join(context.name or "unnamed" for context in generation.contexts)
        labels.setdefault(column, []).append(f"generation {generation.ordinal}" + (f" ({names})" if names else ""))
    if not labels:
        return []
    rows = ["".join(style.pointer if column in labels else " " for column in range(room)).rstrip()]
    # From right to left, so that no label covers the line down to a label below it.
    waiting = [(column, text) for column in sorted(labels, reverse=True) for text in reversed(labels[column])]
    while waiting and len(rows) <= _LABEL_ROWS:
        row = [" "] * room
        rest: list[tuple[int, str]] = []
        free = room
        for column, label in waiting:
            text = _shortened(_safe(label), room)
            start = min(column, room - len(text))
            if start + len(text) + 2 <= free or free == room:
                row[start : start + len(text)] = text
                free = start
            else:
                rest.append((column, label))
        for column, _ in rest:
            if row[column] == " ":
                row[column] = style.line
        rows.append("".join(row).rstrip())
        waiting = rest
    if waiting:
        rows.append(_shortened(f"and {len(waiting)} more", room))
    return rows


def _holders(processes: Sequence[JournalProcess]) -> str:
    if not processes:
        return ""
    if len(processes) > 1:
        return f": {len(processes)} processes"
    process = processes[0]
    return f": {process.command or 'unknown process'}" + (f" {process.pid}" if process.pid is not None else "")


def _safe(text: str) -> str:
    """The text without control characters: names come from other programs and must not move the
    cursor.
    """
    return "".join(character if character.isprintable() else "?" for character in text)


def _shortened(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "~"
