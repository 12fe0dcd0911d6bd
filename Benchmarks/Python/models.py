"""The models of the stores of Workloads.md."""

from __future__ import annotations

from pinview import Attribute, Entity, Index, Model, Relationship

INTEGER, DOUBLE, STRING, DATE = "integer16", "double", "string", "date"

# The attributes of each entity, with the column of the data set and the type.
FLIGHT = {
    "year": ("year", INTEGER),
    "month": ("month", INTEGER),
    "day": ("day", INTEGER),
    "departureTime": ("dep_time", INTEGER),
    "scheduledDepartureTime": ("sched_dep_time", INTEGER),
    "departureDelay": ("dep_delay", INTEGER),
    "arrivalTime": ("arr_time", INTEGER),
    "scheduledArrivalTime": ("sched_arr_time", INTEGER),
    "arrivalDelay": ("arr_delay", INTEGER),
    "carrier": ("carrier", STRING),
    "number": ("flight", INTEGER),
    "tailNumber": ("tailnum", STRING),
    "origin": ("origin", STRING),
    "destination": ("dest", STRING),
    "airTime": ("air_time", INTEGER),
    "distance": ("distance", INTEGER),
    "hour": ("hour", INTEGER),
    "minute": ("minute", INTEGER),
    "scheduledHour": ("time_hour", DATE),
}
AIRLINE = {"code": ("carrier", STRING), "name": ("name", STRING)}
AIRPORT = {
    "code": ("faa", STRING),
    "name": ("name", STRING),
    "latitude": ("lat", DOUBLE),
    "longitude": ("lon", DOUBLE),
    "altitude": ("alt", INTEGER),
    "timeZone": ("tz", INTEGER),
    "daylightSaving": ("dst", STRING),
    "zoneName": ("tzone", STRING),
}
PLANE = {
    "tailNumber": ("tailnum", STRING),
    "year": ("year", INTEGER),
    "type": ("type", STRING),
    "manufacturer": ("manufacturer", STRING),
    "model": ("model", STRING),
    "engines": ("engines", INTEGER),
    "seats": ("seats", INTEGER),
    "speed": ("speed", INTEGER),
    "engine": ("engine", STRING),
}


def _attributes(columns: dict[str, tuple[str, str]]) -> list[Attribute]:
    return [Attribute(name, kind) for name, (_, kind) in columns.items()]


def flights_model() -> Model:
    """The model of flights.sqlite, which is also kept in the store."""
    return Model(
        [
            Entity("Airline", _attributes(AIRLINE), [Relationship("flights", "Flight", inverse="airline", to_many=True)]),
            Entity(
                "Airport",
                _attributes(AIRPORT),
                [
                    Relationship("departures", "Flight", inverse="originAirport", to_many=True),
                    Relationship("arrivals", "Flight", inverse="destinationAirport", to_many=True),
                ],
            ),
            Entity(
                "Flight",
                _attributes(FLIGHT),
                [
                    Relationship("airline", "Airline", inverse="flights"),
                    Relationship("plane", "Plane", inverse="flights"),
                    Relationship("originAirport", "Airport", inverse="departures"),
                    Relationship("destinationAirport", "Airport", inverse="arrivals"),
                ],
                indexes=[Index("byDestination", ["destination"])],
            ),
            Entity("Plane", _attributes(PLANE), [Relationship("flights", "Flight", inverse="plane", to_many=True)]),
        ]
    )


def people_model() -> Model:
    """The model of people.sqlite."""
    return Model(
        [
            Entity(
                "Person",
                [
                    Attribute("firstName", STRING),
                    Attribute("lastName", STRING),
                    Attribute("email", STRING),
                    Attribute("age", INTEGER),
                    Attribute("height", DOUBLE),
                ],
                [Relationship("cars", "Car", inverse="owner", to_many=True)],
            ),
            Entity(
                "Car",
                [Attribute("plate", STRING), Attribute("brand", STRING), Attribute("year", INTEGER), Attribute("price", DOUBLE)],
                [Relationship("owner", "Person", inverse="cars")],
            ),
        ]
    )
