"""The demo's store: quakes and their regions."""

from __future__ import annotations

import zlib

import pinview
from feed import FeedQuake
from screen import Answers

MODEL = pinview.Model(
    [
        pinview.Entity(
            "Quake",
            attributes=[
                pinview.Attribute("code", "string", optional=False),
                pinview.Attribute("place", "string", optional=False),
                pinview.Attribute("magnitude", "double", optional=False),
                pinview.Attribute("time", "date", optional=False),
                pinview.Attribute("latitude", "double", optional=False),
                pinview.Attribute("longitude", "double", optional=False),
                pinview.Attribute("depth", "double", optional=False),
            ],
            relationships=[pinview.Relationship("region", "Region", inverse="quakes", optional=False)],
            uniqueness_constraints=[["code"]],
        ),
        pinview.Entity(
            "Region",
            attributes=[pinview.Attribute("name", "string", optional=False)],
            relationships=[
                pinview.Relationship(
                    "quakes",
                    "Quake",
                    inverse="region",
                    to_many=True,
                    delete_rule="cascade",
                )
            ],
            uniqueness_constraints=[["name"]],
        ),
    ]
)
VALUES = ("code", "place", "magnitude", "time", "latitude", "longitude", "depth")


def open_store(path: str) -> tuple[pinview.Coordinator, pinview.Store]:
    coordinator = pinview.Coordinator(MODEL)
    return coordinator, coordinator.add_store(path)


def insert_quake(context: pinview.Context, quake: FeedQuake) -> None:
    """Inserts a quake; its region is looked up by name, or inserted too. The caller saves."""
    regions = context.fetch("Region", "name == %@", [quake.region], limit=1)
    region = regions[0] if regions else context.insert("Region", name=quake.region)
    context.insert("Quake", region=region, **{name: getattr(quake, name) for name in VALUES})


def read_quakes(context: pinview.Context) -> dict[str, FeedQuake]:
    """All quakes as a view sees them, by code. The name of a region fires a fault of that
    region.
    """
    return {
        quake.code: FeedQuake(region=quake.region.name, **{name: getattr(quake, name) for name in VALUES})
        for quake in context.fetch("Quake", sort=["code"])
    }


def ask(context: pinview.Context, quakes: dict[str, FeedQuake] | None = None) -> Answers:
    """Asks a view the demo's questions: how many quakes are there, and what are all their
    values?
    """
    counted = context.count("Quake")
    if quakes is None:
        quakes = read_quakes(context)
    return Answers(
        quakes=counted,
        mean_magnitude=sum(quake.magnitude for quake in quakes.values()) / max(1, len(quakes)),
        checksum=zlib.crc32(repr(quakes).encode()),
    )
