"""Descriptors: the properties of an entity as attributes of its objects.

The accelerator implements Attribute and ToOne too; see `hot_paths`.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable

from .._ffi.implementation import accelerated
from .._ffi.pending_releases import pending_fires
from .._support.annotating import Any
from .._support.forward import ManagedObject, Self
from .blocks import CLOSED, UNRESOLVED, block_of
from .views import ViewOfOne, set_view


def _attribute_methods(name: str) -> tuple[Callable[[ManagedObject], Any], Callable[[ManagedObject, Any], None]]:
    """What gets and sets an attribute."""

    def get_attribute(self: ManagedObject) -> Any:
        view = self._view
        clock = view.clock
        if clock.version == clock.value:
            try:
                return view[name][self._place]
            except KeyError:
                return self[name]
        # The first access to an object, usually one of many in a row.
        following = view.next
        if following is None:
            if isinstance(view, ViewOfOne):
                clock = view.own
                if clock.version == clock.value and name in view:
                    return view[name]
        elif (
            name in following
            and not following.unknown
            and (not following.cache_version or following.cache_version == view.block.cache_changes.value)
        ):
            clock = following.clock
            if clock.version == clock.value:
                place = self._place
                if following.faults[place]:
                    following.faults[place] = 0  # type: ignore[index]
                    if not following.fired:
                        pending_fires.append(weakref.ref(following))
                    following.fired.append(place)
                set_view(self, following)
                return following[name][place]
        return self[name]

    def set_attribute(self: ManagedObject, value: Any) -> None:
        block = block_of(self)
        block.write(self, block.entity.properties[name], value)

    return get_attribute, set_attribute


@accelerated
class Attribute(property):
    """The descriptor of an attribute. Subclasses have arguments of their own."""

    def __new__(cls, name: str) -> Self:
        made = super().__new__(cls)
        property.__init__(made, *_attribute_methods(name), doc=f"The property {name}.")
        return made

    def __init__(self, name: str) -> None:
        pass


@accelerated
def ToOne(name: str, on_class: object = None) -> property:
    """The descriptor of a to-one relationship, and what it is on the class, by default itself."""

    def get_relationship(self: ManagedObject) -> Any:
        view = self._view
        clock = view.clock
        if clock.version == clock.value and name in view:
            place = self._place
            target: Any = view[name][place]
            if target is None or (target is not UNRESOLVED and target._view is not CLOSED):
                return target
            return view.block.destination(view, name, place)
        if isinstance(view, ViewOfOne) and view.own.version == view.own.value and name in view:
            target = view[name]
            if target is None or target._view is not CLOSED:
                return target
        return self[name]

    kind = property if on_class is None else _OnClass
    made = kind(get_relationship, _setter(name), doc=f"The property {name}.")
    if on_class is not None:
        made.on_class = on_class  # type: ignore[attr-defined]
    return made


class _OnClass(property):
    """A property that is something else on the class."""

    on_class: object

    def __get__(self, instance: Any, owner: type[Any] | None = None) -> Any:
        return self.on_class if instance is None else super().__get__(instance, owner)


def ToMany(name: str) -> property:
    """The descriptor of a to-many relationship, whose value is a live view, of an attribute whose
    values are transformed, and of a composite attribute.
    """

    def get_members(self: ManagedObject) -> Any:
        return self[name]

    return property(get_members, _setter(name), doc=f"The property {name}.")


def _setter(name: str) -> Callable[[ManagedObject, Any], None]:
    def set_relationship(self: ManagedObject, value: Any) -> None:
        self[name] = value

    return set_relationship
