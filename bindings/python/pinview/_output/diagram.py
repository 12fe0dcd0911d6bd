"""A store's entities and relationships as an SVG document."""

from __future__ import annotations

from html import escape
from typing import Any

from .report import related
from .text import number, shortened

_WIDTH, _ROW, _HEAD, _GAP_X, _GAP_Y, _MARGIN = 220, 18, 30, 130, 36, 24
_LONGEST = 14
_STYLE = (
    "text{font:12px system-ui,sans-serif;fill:#1f2933}.name{font-weight:600;font-size:13px}.type{fill:#667788}.end{fill:#37618e}"
    ".box{fill:#fff;stroke:#9aa5b1}.head{fill:#e4ecf5}"
    ".abstract .head{fill:#f0f0f0}.abstract .name{font-style:italic}"
    ".line{fill:none;stroke:#52708f;stroke-width:1.3}.parent{fill:none;stroke:#9aa5b1;stroke-dasharray:4 3}"
)


class _Box:
    """An entity in the diagram."""

    def __init__(self, entity: Any) -> None:
        self.entity = entity
        self.rows = [(each.name, each.type, "") for each in entity.attributes[:_LONGEST]]
        hidden = len(entity.attributes) - len(self.rows)
        if hidden:
            self.rows.append((f"{hidden} more", "", "type"))
        self.ends = {each.name: len(self.rows) + place for place, each in enumerate(entity.relationships)}
        self.rows += [(each.name, ("list" if each.ordered else "set") if each.to_many else "", "end") for each in entity.relationships]
        self.height = _HEAD + _ROW * len(self.rows) + (8 if self.rows else 0)
        self.x = self.y = 0.0

    def end(self, relationship: str | None) -> float:
        """Where the line of a relationship meets the box; at its name without one."""
        row = self.ends.get(relationship or "")
        return self.y + (_HEAD / 2 if row is None else _HEAD + _ROW * (row + 1) - 4)

    def parts(self) -> list[str]:
        """The box as SVG."""
        kind = "abstract" if self.entity.abstract else "entity"
        count = "abstract" if self.entity.abstract else number(self.entity.count)
        lines = [
            f'<g class="{kind}" transform="translate({self.x:.0f} {self.y:.0f})">',
            f'<rect class="box" width="{_WIDTH}" height="{self.height}" rx="5"/>',
            f'<path class="head" d="M.5 {_HEAD}V5.5a5 5 0 0 1 5-5h{_WIDTH - 11}a5 5 0 0 1 5 5V{_HEAD}z"/>',
            f'<text class="name" x="10" y="20">{escape(shortened(self.entity.name, 22))}</text>',
            f'<text class="type" x="{_WIDTH - 10}" y="20" text-anchor="end">{count}</text>',
        ]
        for place, (name, kind, role) in enumerate(self.rows):
            y = _HEAD + _ROW * (place + 1)
            lines.append(f'<text class="{role}" x="10" y="{y}">{escape(shortened(name, 22))}</text>')
            lines.append(f'<text class="type" x="{_WIDTH - 10}" y="{y}" text-anchor="end">{escape(kind)}</text>')
        return [*lines, "</g>"]


def drawn(summary: Any) -> str:
    """The diagram: entities as boxes, relationships as lines that end in a fork where there are
    many, and dashed lines to parent entities.
    """
    boxes = {entity.name: _Box(entity) for entity in summary.entities}
    pairs = [pair for pair in related(summary) if pair[0] in boxes and pair[3] in boxes]
    width, height = _place(boxes, pairs)
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}">',
        f"<title>{escape(summary.path)}</title>",
        f"<style>{_STYLE}</style>",
        '<rect width="100%" height="100%" fill="#fff"/>',
    ]
    for box in boxes.values():
        parent = boxes.get(box.entity.parent or "")
        if parent is not None:
            lines.append(_curve(box, box.end(None), parent, parent.end(None), "parent")[0])
    for owner, one, other, destination in pairs:
        from_, to = boxes[owner], boxes[destination]
        path, start, end = _curve(from_, from_.end(one.name), to, to.end(None if other is None else other.name), "line")
        lines += [path, _end(end, one.to_many), _end(start, other is not None and other.to_many)]
    for box in boxes.values():
        lines += box.parts()
    return "\n".join([*lines, "</svg>"]) + "\n"


def _place(boxes: dict[str, _Box], pairs: list[Any]) -> tuple[float, float]:
    """Puts the boxes in columns, neighbours near each other; returns the size of the diagram."""
    neighbours: dict[str, set[str]] = {name: set() for name in boxes}
    links = [(owner, destination) for owner, _, _, destination in pairs]
    links += [(name, box.entity.parent) for name, box in boxes.items() if box.entity.parent in boxes]
    for one, other in links:
        if one != other:
            neighbours[one].add(other)
            neighbours[other].add(one)
    # Breadth first from the entity with the most neighbours; each distance is a column.
    columns: list[list[str]] = []
    left = sorted(boxes, key=lambda name: (-len(neighbours[name]), name))
    seen: set[str] = set()
    for name in left:
        if name in seen:
            continue
        level, distance = [name], 0
        seen.add(name)
        while level:
            while len(columns) <= distance:
                columns.append([])
            columns[distance] += level
            following = sorted({each for one in level for each in neighbours[one]} - seen)
            seen.update(following)
            level, distance = following, distance + 1
    # Columns that would be much longer than others are folded.
    longest = max(4, round(len(boxes) ** 0.5) + 1)
    folded = [column[start : start + longest] for column in columns for start in range(0, len(column), longest)]
    height = 0.0
    for place, column in enumerate(folded):
        y = float(_MARGIN)
        for name in column:
            boxes[name].x, boxes[name].y = _MARGIN + place * (_WIDTH + _GAP_X), y
            y += boxes[name].height + _GAP_Y
        height = max(height, y)
    for column in folded:
        used = boxes[column[-1]].y + boxes[column[-1]].height + _MARGIN
        shift = (height - _GAP_Y + _MARGIN - used) / 2
        for name in column:
            boxes[name].y += shift
    return _MARGIN * 2 + len(folded) * (_WIDTH + _GAP_X) - (_GAP_X if folded else 0) + 70, max(height - _GAP_Y + _MARGIN, 60)


def _curve(one: _Box, from_y: float, other: _Box, to_y: float, kind: str) -> tuple[str, tuple[float, float, int], tuple[float, float, int]]:
    """A line between two boxes, and its ends: where they are, and which way they look."""
    if one.x == other.x:  # in the same column: around the right side
        start, end = (one.x + _WIDTH, from_y, 1), (other.x + _WIDTH, to_y, 1)
    elif one.x < other.x:
        start, end = (one.x + _WIDTH, from_y, 1), (other.x, to_y, -1)
    else:
        start, end = (one.x, from_y, -1), (other.x + _WIDTH, to_y, 1)
    bend, lift = 64, 24 if start == end else 0  # a relationship that is its own inverse makes a loop
    path = (
        f'<path class="{kind}" d="M{start[0]:.0f} {start[1]:.0f}C{start[0] + bend * start[2]:.0f} {start[1] - lift:.0f} '
        f'{end[0] + bend * end[2]:.0f} {end[1] + lift:.0f} {end[0]:.0f} {end[1]:.0f}"/>'
    )
    return path, start, end


def _end(place: tuple[float, float, int], many: bool) -> str:
    """The end of a line at a box: a fork for many, a bar for one."""
    x, y, way = place
    if many:
        return f'<path class="line" d="M{x + 10 * way:.0f} {y:.0f}L{x:.0f} {y - 5:.0f}M{x + 10 * way:.0f} {y:.0f}L{x:.0f} {y + 5:.0f}"/>'
    return f'<path class="line" d="M{x + 7 * way:.0f} {y - 4:.0f}v8"/>'
