"""Value transformers: what transformable attributes hold, as values of the program."""

from __future__ import annotations

import datetime
import plistlib
import uuid
from collections.abc import Callable, Mapping
from decimal import Decimal

from ._ffi.dates import seconds_since_reference_date
from ._objects import transforming
from ._support.annotating import Any
from ._support.records import record
from .errors import InvalidArgumentError, WrongTypeError

_EPOCH = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
_MAXIMUM_DEPTH = 100
_MAXIMUM_COUNT = 500_000


@record(frozen=True)
class ValueTransformer:
    """Turns the bytes that a transformable attribute stores into a value of the program, and back.

    Attributes:
        decode: Makes the value from the stored bytes.
        encode: Makes the bytes from a value.
    """

    decode: Callable[[bytes], Any]
    encode: Callable[[Any], bytes]


def set_value_transformer(name: str, transformer: ValueTransformer | None) -> None:
    """Registers a transformer under a name that models give, or removes it (None).

        pinview.set_value_transformer("Colours", pinview.ValueTransformer(Colour.parse, bytes))
        pinview.set_value_transformer("NSSecureUnarchiveFromData", pinview.KEYED_ARCHIVE)

    Attributes with that transformer then have values of the program, for reading and setting:
    `thing.colour`, `thing["colour"]`, `context.insert("Thing", colour=...)`. Each read makes the
    value anew, so a value that is changed in place must be set again. Values of many objects at
    once (`values()`, columns, dictionaries, `insert_many`) and predicates have the stored bytes.
    Without a transformer, an attribute has the bytes everywhere.

    Transformers belong to the process. Register them before objects are read.
    """
    if not isinstance(name, str):
        raise WrongTypeError(f"The name of a transformer must be a str, got {name!r:.100} ({type(name).__name__}).")
    if transformer is not None and not isinstance(transformer, ValueTransformer):
        raise WrongTypeError(f"Expected a ValueTransformer or None, got {transformer!r:.100} ({type(transformer).__name__}).")
    if transformer is None:
        transforming.transformers.pop(name, None)
    else:
        transforming.transformers[name] = (transformer.decode, transformer.encode)


def value_transformer(name: str) -> ValueTransformer | None:
    """The transformer that is registered under a name."""
    found = transforming.transformers.get(name)
    return None if found is None else ValueTransformer(*found)


class _Reader:
    """Looks up the objects of a keyed archive. No object of a class that it names is made."""

    def __init__(self, objects: list[Any]) -> None:
        self.objects = objects
        self.count = 0
        self.plain = _Plain()

    def value(self, member: Any, depth: int = 0) -> Any:
        self.count += 1
        if depth > _MAXIMUM_DEPTH or self.count > _MAXIMUM_COUNT:
            raise InvalidArgumentError("The archive cannot be read: its objects contain each other, or are too many.")
        if isinstance(member, plistlib.UID):
            if member.data >= len(self.objects):
                raise InvalidArgumentError(f"The archive cannot be read: it has no object {member.data}.")
            member = self.objects[member.data]
            if member == "$null":
                return None
        if not isinstance(member, dict):
            return self.plain.value(member, depth)
        kind = self._class(member)
        try:
            return self._object(kind, member, depth)
        except (KeyError, TypeError, ValueError, OverflowError) as error:
            raise InvalidArgumentError(f"The archive cannot be read: an object of the class {kind} is damaged ({error}).") from None

    def _class(self, members: Mapping[str, Any]) -> str:
        reference = members.get("$class")
        if isinstance(reference, plistlib.UID) and reference.data < len(self.objects):
            kind = self.objects[reference.data]
            if isinstance(kind, dict):
                return str(kind.get("$classname"))
        raise InvalidArgumentError("The archive cannot be read: it has an object without a class.")

    def _object(self, kind: str, members: Mapping[str, Any], depth: int) -> Any:
        if kind in ("NSArray", "NSMutableArray", "NSOrderedSet", "NSMutableOrderedSet"):
            return [self.value(each, depth + 1) for each in members["NS.objects"]]
        if kind in ("NSSet", "NSMutableSet"):
            return _set([self.value(each, depth + 1) for each in members["NS.objects"]])
        if kind in ("NSDictionary", "NSMutableDictionary"):
            keys = [self.value(each, depth + 1) for each in members["NS.keys"]]
            return dict(zip(keys, [self.value(each, depth + 1) for each in members["NS.objects"]]))
        if kind == "NSDate":
            return _EPOCH + datetime.timedelta(seconds=float(members["NS.time"]))
        if kind in ("NSData", "NSMutableData"):
            return bytes(self.value(members["NS.data"], depth + 1))
        if kind in ("NSString", "NSMutableString"):
            return str(members["NS.string"])
        if kind == "NSUUID":
            return uuid.UUID(bytes=members["NS.uuidbytes"])
        if kind == "NSURL":
            base = self.value(members.get("NS.base"), depth + 1) if members.get("NS.base") is not None else None
            return f"{base or ''}{self.value(members['NS.relative'], depth + 1)}"
        if kind in ("NSDecimalNumber", "NSDecimalNumberPlaceholder"):
            length = int(members["NS.length"])
            if length == 0:
                return Decimal("NaN") if members["NS.negative"] else Decimal(0)
            order = "big" if members.get("NS.mantissa.bo") == 2 else "little"
            units = [int.from_bytes(members["NS.mantissa"][2 * at : 2 * at + 2], order) for at in range(min(length, 8))]  # type: ignore[arg-type]
            digits = sum(unit << 16 * at for at, unit in enumerate(units))
            return Decimal(
                (int(bool(members["NS.negative"])), tuple(map(int, str(digits))), max(-200, min(200, int(members["NS.exponent"]))))
            )
        if kind == "NSNull":
            return None
        raise InvalidArgumentError(f"The archive cannot be read: it has an object of the class {kind!r}.")


def _set(members: list[Any]) -> Any:
    """A set, or a list if a member cannot be in a set."""
    try:
        return set(members)
    except TypeError:
        return members


class _Plain:
    """Reads a property list. Lists can contain one list many times, so that few bytes can describe
    very much.
    """

    def __init__(self) -> None:
        self.count = 0

    def value(self, value: Any, depth: int = 0) -> Any:
        """A value whose dates are UTC."""
        self.count += 1
        if depth > _MAXIMUM_DEPTH or self.count > _MAXIMUM_COUNT:
            raise InvalidArgumentError("The property list cannot be read: it is nested too deep, or has too many values.")
        if isinstance(value, datetime.datetime):
            return value.replace(tzinfo=datetime.timezone.utc)
        if isinstance(value, list):
            return [self.value(each, depth + 1) for each in value]
        if isinstance(value, dict):
            return {key: self.value(each, depth + 1) for key, each in value.items()}
        return value


def _decode(data: bytes) -> Any:
    try:
        content = plistlib.loads(data)
    except Exception as error:  # plistlib and expat raise many kinds for damaged data
        raise InvalidArgumentError(f"The archive cannot be read: it is not a property list ({type(error).__name__}).") from None
    if not (isinstance(content, dict) and content.get("$archiver") == "NSKeyedArchiver"):
        return _Plain().value(content)
    objects, top = content.get("$objects"), content.get("$top")
    if not isinstance(objects, list) or not isinstance(top, dict):
        raise InvalidArgumentError("The archive cannot be read: it has no objects.")
    return _Reader(objects).value(top.get("root"))


class _Writer:
    def __init__(self) -> None:
        self.objects: list[Any] = ["$null"]
        self.classes: dict[str, plistlib.UID] = {}

    def add(self, value: Any, depth: int = 0) -> plistlib.UID:
        if depth > _MAXIMUM_DEPTH:
            raise InvalidArgumentError("The value cannot be archived: it is nested too deep, or contains itself.")
        if value is None:
            return plistlib.UID(0)
        if isinstance(value, (bool, int, float, str, bytes)):
            return self._place(value)
        if isinstance(value, (bytearray, memoryview)):
            return self._place(bytes(value))
        if isinstance(value, datetime.datetime):
            return self._object("NSDate", {"NS.time": seconds_since_reference_date(value)})
        if isinstance(value, uuid.UUID):
            return self._object("NSUUID", {"NS.uuidbytes": value.bytes})
        if isinstance(value, Decimal):
            return self._object("NSDecimalNumber", _decimal(value))
        if isinstance(value, Mapping):
            keys = [self.add(key, depth + 1) for key in value]
            return self._object("NSDictionary", {"NS.keys": keys, "NS.objects": [self.add(each, depth + 1) for each in value.values()]})
        if isinstance(value, (set, frozenset)):
            return self._object("NSSet", {"NS.objects": [self.add(each, depth + 1) for each in value]})
        if isinstance(value, (list, tuple)):
            return self._object("NSArray", {"NS.objects": [self.add(each, depth + 1) for each in value]})
        raise WrongTypeError(f"A {type(value).__name__} cannot be archived; register a value transformer for the attribute.")

    def _place(self, value: Any) -> plistlib.UID:
        self.objects.append(value)
        return plistlib.UID(len(self.objects) - 1)

    def _object(self, kind: str, members: dict[str, Any]) -> plistlib.UID:
        if kind not in self.classes:
            self.classes[kind] = self._place({"$classname": kind, "$classes": [kind, "NSObject"]})
        return self._place({**members, "$class": self.classes[kind]})


def _decimal(value: Decimal) -> dict[str, Any]:
    sign, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        sign, digits, exponent = 1, (), 0
    mantissa = int("".join(map(str, digits)) or "0")
    if mantissa >= 1 << 128:
        raise WrongTypeError(f"The decimal {value} has too many digits to be archived.")
    data = mantissa.to_bytes(16, "little")
    length = (mantissa.bit_length() + 15) // 16
    return {
        "NS.mantissa": data,
        "NS.mantissa.bo": 1,
        "NS.exponent": exponent,
        "NS.length": length,
        "NS.negative": bool(sign),
        "NS.compact": True,
    }


def _encode(value: Any) -> bytes:
    writer = _Writer()
    root = writer.add(value)
    content = {"$archiver": "NSKeyedArchiver", "$version": 100000, "$objects": writer.objects, "$top": {"root": root}}
    try:
        return plistlib.dumps(content, fmt=plistlib.FMT_BINARY)
    except OverflowError as error:
        raise WrongTypeError(f"The value cannot be archived: {error}.") from None


KEYED_ARCHIVE = ValueTransformer(_decode, _encode)
"""Core Data's default form, for its names `NSSecureUnarchiveFromData` and
`NSSecureUnarchiveFromDataTransformer`: an archive of None, numbers, strings, bytes, dates, UUIDs,
decimals, lists, sets and dictionaries; URLs are read as strings. It reads property lists too.

Archives with objects of other classes are an InvalidArgumentError that names the class.
"""
