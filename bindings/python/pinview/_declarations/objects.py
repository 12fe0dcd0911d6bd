"""The base class of declared classes. Type checkers read `objects.pyi`."""

from __future__ import annotations

import sys
from types import MappingProxyType

from ..managed_object import ManagedObject
from .declaring import ClassOptions, declare


class Object(ManagedObject):
    """The base class of classes that declare an entity: its properties are annotations.

        class Person(pinview.Object):
            name: str
            age: int = 0
            employer: Company | None = inverse("staff")
            cars: Related["Car"] = inverse("owner")

    `Model([Person, Company, Car])` makes a model of the classes. `context.insert(Person,
    name="Ada")` and `context.fetch(Person, Person.age > 3, sort=-Person.age)` have objects of the
    class, whose hooks are its methods (see EntityHooks); a method validate_<property> checks one
    property.

    Annotations are of two kinds. A plain type such as `age: int` is that of the value. With
    `age: Attr[int]`, `employer: One[Company | None]`, type checkers also know what the attribute is
    on the class, so that `Person.name.startswith("A")` and `Person.employer.name` are checked. Both
    do the same when the program runs. Related and RelatedInOrder are to-many relationships. Names
    of classes that are declared later need no quotes with `from __future__ import annotations`.

    A subclass of a declared class declares a sub-entity. Arguments of the class statement:

        entity: The name of the entity; by default that of the class.
        abstract: Whether the entity has no objects of its own.
        mixin: Whether the class declares properties for its subclasses, but no entity.
        unique: Lists of names of properties whose values must be unique in combination.
        indexes: Lists of names of attributes for indexes; a leading minus sign means descending.
        renamed_from: The name of the entity in the model before, for migrations.
    """

    def __init_subclass__(cls, *, entity=None, abstract=False, mixin=False, unique=(), indexes=(), renamed_from=None, **more):
        super().__init_subclass__(**more)
        declare(cls, ClassOptions(entity, abstract, mixin, unique, indexes, renamed_from), sys._getframe(1))

    def update(self, values=MappingProxyType({}), /, **more):
        """Sets several properties."""
        for name, value in {**values, **more}.items():
            if name not in self._entity.properties:
                self._property(name)  # raises the error
            setattr(self, name, value)

    _usual_update = update
