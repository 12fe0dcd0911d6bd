"""Reads earthquakes from a GeoJSON file, for example a feed of the USGS."""

from __future__ import annotations

import datetime
import json
from dataclasses import dataclass

EPOCH = datetime.datetime(1970, 1, 1, tzinfo=datetime.timezone.utc)


class FeedError(Exception):
    """The file cannot be used, for the reason in the message."""


@dataclass(frozen=True)
class FeedQuake:
    """One earthquake of the feed."""

    code: str
    place: str
    region: str
    magnitude: float
    time: datetime.datetime
    latitude: float
    longitude: float
    depth: float  # kilometres


def read_feed(path: str) -> list[FeedQuake]:
    """The earthquakes of the file that have a magnitude, oldest first."""
    try:
        with open(path, encoding="utf-8") as file:
            features = json.load(file)["features"]
    except OSError as error:
        raise FeedError(f"cannot open {path}: {error.strerror}") from error
    except (ValueError, KeyError, TypeError) as error:
        raise FeedError(f"{path} is not a GeoJSON feed: {error}") from error
    quakes = {}
    for feature in features:
        try:
            quake = _quake(feature)
        except (KeyError, TypeError, ValueError, IndexError) as error:
            raise FeedError(f"{path} is not a GeoJSON feed: unexpected feature ({error})") from error
        if quake is not None:
            quakes[quake.code] = quake
    if not quakes:
        raise FeedError(f"{path} has no earthquakes with code, magnitude, time and coordinates")
    return sorted(quakes.values(), key=lambda quake: (quake.time, quake.code))


def _quake(feature: dict) -> FeedQuake | None:
    properties = feature["properties"]
    longitude, latitude, depth = (feature["geometry"]["coordinates"] + [None])[:3]
    required = (
        feature["id"],
        properties["mag"],
        properties["time"],
        latitude,
        longitude,
    )
    if any(value is None for value in required):
        return None
    place = properties.get("place") or "unnamed place"
    return FeedQuake(
        code=str(feature["id"]),
        place=place,
        # The region is a separate property, or the text after the last comma of the place.
        region=properties.get("region") or place.rpartition(",")[2].strip() or "unnamed region",
        magnitude=float(properties["mag"]),
        time=EPOCH + datetime.timedelta(milliseconds=properties["time"]),
        latitude=float(latitude),
        longitude=float(longitude),
        depth=float(depth or 0),
    )
