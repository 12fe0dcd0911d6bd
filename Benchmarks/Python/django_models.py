"""Django's settings, and the tables as its models."""

from __future__ import annotations

import sys
from typing import Any

import django
from django.apps import AppConfig
from django.conf import settings

PRAGMAS = "PRAGMA journal_mode=wal; PRAGMA synchronous=normal; PRAGMA cache_size=-65536; PRAGMA mmap_size=0"

# Without detect_types=0 it treats numbers in columns of the type TIMESTAMP as strings.
_OPTIONS = {"init_command": PRAGMAS, "timeout": 60, "detect_types": 0}

settings.configure(
    DATABASES={name: {"ENGINE": "django.db.backends.sqlite3", "NAME": "", "OPTIONS": _OPTIONS} for name in ("default", "writer")},
    DEFAULT_AUTO_FIELD="django.db.models.AutoField",
    # Relationships are followed backwards in queries between models of an installed app only.
    INSTALLED_APPS=[AppConfig("benchmarks", sys.modules[__name__])],
    USE_TZ=True,
)
django.setup()

from django.db import models


def _integer(name: str) -> Any:
    return models.IntegerField(db_column="Z" + name.upper(), null=True)


def _text(name: str) -> Any:
    return models.TextField(db_column="Z" + name.upper(), null=True)


def _double(name: str) -> Any:
    return models.FloatField(db_column="Z" + name.upper(), null=True)


class Plane(models.Model):
    """A plane."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    tailNumber = _text("tailNumber")
    year = _integer("year")
    type = _text("type")
    manufacturer = _text("manufacturer")
    model = _text("model")
    engines = _integer("engines")
    seats = _integer("seats")
    speed = _integer("speed")
    engine = _text("engine")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZPLANE"


class Flight(models.Model):
    """A flight. The date is a number, as in SQLite."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    year = _integer("year")
    month = _integer("month")
    day = _integer("day")
    departureTime = _integer("departureTime")
    scheduledDepartureTime = _integer("scheduledDepartureTime")
    departureDelay = _integer("departureDelay")
    arrivalTime = _integer("arrivalTime")
    scheduledArrivalTime = _integer("scheduledArrivalTime")
    arrivalDelay = _integer("arrivalDelay")
    carrier = _text("carrier")
    number = _integer("number")
    tailNumber = _text("tailNumber")
    origin = _text("origin")
    destination = _text("destination")
    airTime = _integer("airTime")
    distance = _integer("distance")
    hour = _integer("hour")
    minute = _integer("minute")
    scheduledHour = _double("scheduledHour")
    airline_id = _integer("airline")
    plane = models.ForeignKey(Plane, models.DO_NOTHING, db_column="ZPLANE", null=True)
    origin_airport_id = _integer("originAirport")
    destination_airport_id = _integer("destinationAirport")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZFLIGHT"


class Person(models.Model):
    """A person."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    entity = models.IntegerField(db_column="Z_ENT", default=2)
    version = models.IntegerField(db_column="Z_OPT", default=1)
    firstName = _text("firstName")
    lastName = _text("lastName")
    email = _text("email")
    age = _integer("age")
    height = _double("height")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZPERSON"


class Car(models.Model):
    """A car."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    plate = _text("plate")
    brand = _text("brand")
    year = _integer("year")
    price = _double("price")
    owner_id = _integer("owner")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZCAR"


class User(models.Model):
    """A user."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    name = _text("name")
    age = _integer("age")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZUSER"


class Tag(models.Model):
    """A tag."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    name = _text("name")
    weight = _integer("weight")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZTAG"


class Post(models.Model):
    """A post."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    title = _text("title")
    body = _text("body")
    score = _integer("score")
    author = models.ForeignKey(User, models.DO_NOTHING, db_column="ZAUTHOR", null=True, related_name="posts")
    tags = models.ManyToManyField(Tag, through="PostTag", related_name="posts")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZPOST"


class PostTag(models.Model):
    """That a post has a tag."""

    pk = models.CompositePrimaryKey("post_id", "tag_id")
    post = models.ForeignKey(Post, models.DO_NOTHING, db_column="Z_2POSTS")
    tag = models.ForeignKey(Tag, models.DO_NOTHING, db_column="Z_3TAGS")

    class Meta:
        app_label = "benchmarks"
        db_table = "Z_2TAGS"


class Comment(models.Model):
    """A comment."""

    id = models.AutoField(primary_key=True, db_column="Z_PK")
    version = models.IntegerField(db_column="Z_OPT")
    text = _text("text")
    likes = _integer("likes")
    post = models.ForeignKey(Post, models.DO_NOTHING, db_column="ZPOST", null=True, related_name="comments")

    class Meta:
        app_label = "benchmarks"
        db_table = "ZCOMMENT"
