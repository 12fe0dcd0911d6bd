"""The second process: keeps inserting, revising and deleting quakes until its standard input is
closed.
"""

from __future__ import annotations

import dataclasses
import datetime
import random
import select
import sys

import pinview
from feed import FeedQuake
from store import insert_quake, open_store, read_quakes

PAUSE = 0.04  # seconds between two transactions
PREFIX = "aftershock of "


def aftershock(chance: random.Random, main: FeedQuake, code: str) -> FeedQuake:
    return dataclasses.replace(
        main,
        code=code,
        place=main.place if main.place.startswith(PREFIX) else PREFIX + main.place,
        magnitude=round(max(0.1, main.magnitude - 0.5 - chance.randrange(16) / 10), 1),
        time=main.time + datetime.timedelta(seconds=60 + chance.randrange(86400)),
    )


def write(path: str) -> int:
    """Writes to another process's store and prints a line after the first commit; returns the
    number of transactions.
    """
    coordinator, _ = open_store(path)
    chance = random.Random(1906)
    transactions = 0
    while not select.select([sys.stdin], [], [], PAUSE)[0]:
        with pinview.Context(coordinator) as context:
            quakes = list(read_quakes(context).values())
            if len(quakes) >= 2:
                revised, deleted = chance.sample(quakes, 2)
                context.fetch("Quake", "code == %@", [revised.code])[0].magnitude = round(revised.magnitude + chance.choice((-0.1, 0.1)), 1)
                context.delete(context.fetch("Quake", "code == %@", [deleted.code])[0])
            for number in range(3):
                insert_quake(
                    context,
                    aftershock(
                        chance,
                        chance.choice(quakes),
                        f"aftershock-{transactions:05}-{number}",
                    ),
                )
            context.save()
        transactions += 1
        if transactions == 1:
            print("begun", flush=True)
    return transactions
