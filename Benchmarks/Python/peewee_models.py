"""The tables as peewee's models."""

from __future__ import annotations

from typing import Any

import peewee

database: Any = peewee.SqliteDatabase(
    None, pragmas={"journal_mode": "wal", "synchronous": "normal", "cache_size": -65536, "mmap_size": 0}, timeout=60
)


def _integer(name: str) -> Any:
    return peewee.IntegerField(column_name="Z" + name.upper(), null=True)


def _text(name: str) -> Any:
    return peewee.TextField(column_name="Z" + name.upper(), null=True)


def _double(name: str) -> Any:
    return peewee.FloatField(column_name="Z" + name.upper(), null=True)


class Plane(peewee.Model):
    """A plane."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
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
        database = database
        table_name = "ZPLANE"


class Flight(peewee.Model):
    """A flight. The date is a number, as in SQLite."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
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
    plane = peewee.ForeignKeyField(Plane, column_name="ZPLANE", null=True, lazy_load=True)
    origin_airport_id = _integer("originAirport")
    destination_airport_id = _integer("destinationAirport")

    class Meta:
        database = database
        table_name = "ZFLIGHT"


class Person(peewee.Model):
    """A person."""

    id = peewee.AutoField(column_name="Z_PK")
    entity = peewee.IntegerField(column_name="Z_ENT", default=2)
    version = peewee.IntegerField(column_name="Z_OPT", default=1)
    firstName = _text("firstName")
    lastName = _text("lastName")
    email = _text("email")
    age = _integer("age")
    height = _double("height")

    class Meta:
        database = database
        table_name = "ZPERSON"


class Car(peewee.Model):
    """A car."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    plate = _text("plate")
    brand = _text("brand")
    year = _integer("year")
    price = _double("price")
    owner_id = _integer("owner")

    class Meta:
        database = database
        table_name = "ZCAR"


class User(peewee.Model):
    """A user."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    name = _text("name")
    age = _integer("age")

    class Meta:
        database = database
        table_name = "ZUSER"


class Tag(peewee.Model):
    """A tag."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    name = _text("name")
    weight = _integer("weight")

    class Meta:
        database = database
        table_name = "ZTAG"


_PostsAndTags: Any = peewee.DeferredThroughModel()


class Post(peewee.Model):
    """A post."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    title = _text("title")
    body = _text("body")
    score = _integer("score")
    author = peewee.ForeignKeyField(User, column_name="ZAUTHOR", backref="posts", null=True)
    tags = peewee.ManyToManyField(Tag, through_model=_PostsAndTags)

    class Meta:
        database = database
        table_name = "ZPOST"


class PostTag(peewee.Model):
    """That a post has a tag."""

    post = peewee.ForeignKeyField(Post, column_name="Z_2POSTS", backref="links")
    tag = peewee.ForeignKeyField(Tag, column_name="Z_3TAGS", backref="links")

    class Meta:
        database = database
        table_name = "Z_2TAGS"
        primary_key = peewee.CompositeKey("post", "tag")


_PostsAndTags.set_model(PostTag)


class Comment(peewee.Model):
    """A comment."""

    id = peewee.AutoField(column_name="Z_PK")
    version = peewee.IntegerField(column_name="Z_OPT")
    text = _text("text")
    likes = _integer("likes")
    post = peewee.ForeignKeyField(Post, column_name="ZPOST", backref="comments", null=True)

    class Meta:
        database = database
        table_name = "ZCOMMENT"
