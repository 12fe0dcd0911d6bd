"""Data classes that are cheap to define: `record` does what dataclasses.dataclass does, without
compiling code.

With `dataclasses`, defining the data classes would take longer than everything else that importing
the package does. Records still work as data classes: dataclasses.fields, replace and asdict accept
them, and they can be subclassed. Type checkers read `records.pyi`, where `record` is
dataclasses.dataclass itself.
"""

from __future__ import annotations

from . import lazy

__all__ = ["field", "record"]


class field:
    """dataclasses.field, with the options that the package uses."""

    __slots__ = ("options",)

    def __init__(self, **options):
        self.options = options


def record(*, frozen=False, eq=True):
    """dataclasses.dataclass, with the options that the package uses."""

    def decorate(kind):
        _complete(kind, frozen, eq)
        return kind

    return decorate


def _complete(kind, frozen, eq):
    annotations = dict(kind.__annotations__)
    given = {name: vars(kind)[name] for name in annotations if name in vars(kind)}
    fields = {name: value.options for name, value in given.items() if isinstance(value, field)}
    for name in fields:
        delattr(kind, name)
    defaults = {name: value for name, value in given.items() if name not in fields}
    factories = {name: options["default_factory"] for name, options in fields.items() if "default_factory" in options}
    names = tuple(annotations)
    methods = _methods(kind, names, defaults, factories, fields, eq)
    if frozen:
        methods += _refusals(kind, names)
    for method in methods:
        if method.__name__ not in vars(kind):
            method.__qualname__ = f"{kind.__qualname__}.{method.__name__}"
            setattr(kind, method.__name__, method)
    if eq and not frozen:
        kind.__hash__ = None
    kind.__match_args__ = names
    for name in ("__dataclass_fields__", "__dataclass_params__", "__signature__"):
        setattr(kind, name, _DataclassAttribute(kind, name, annotations, given, frozen, eq))


def _methods(kind, names, defaults, factories, fields, eq):
    known = frozenset(names)
    shown = [name for name in names if fields.get(name, {}).get("repr", True)]
    compared = [name for name in names if fields.get(name, {}).get("compare", True)]

    def __init__(self, /, *arguments, **keywords):
        values = self.__dict__
        if len(arguments) > len(names):
            raise TypeError(f"{kind.__name__} takes at most {len(names)} positional arguments, got {len(arguments)}.")
        for name in keywords:
            if name not in known:
                near = lazy.near_misses.near_miss(name, names)
                raise TypeError(f"{kind.__name__} got an unexpected keyword argument {name!r}{near}.")
        values.update(defaults)
        values.update(zip(names, arguments))
        for name in names[: len(arguments)] if keywords else ():
            if name in keywords:
                raise TypeError(f"{kind.__name__} got multiple values for the argument {name!r}.")
        values.update(keywords)
        if len(values) < len(names):
            for name, factory in factories.items():
                if name not in values:
                    values[name] = factory()
            missing = [repr(name) for name in names if name not in values]
            if missing:
                raise TypeError(f"{kind.__name__} is missing the arguments {', '.join(missing)}.")

    def __repr__(self):
        return f"{type(self).__qualname__}({', '.join(f'{name}={getattr(self, name)!r}' for name in shown)})"

    def __eq__(self, other):
        if type(other) is not type(self):
            return NotImplemented
        return tuple(getattr(self, name) for name in compared) == tuple(getattr(other, name) for name in compared)

    def __hash__(self):
        return hash(tuple(getattr(self, name) for name in compared))

    def __replace__(self, /, **changes):
        return lazy.dataclasses.replace(self, **changes)

    return [__init__, __repr__, __replace__, *((__eq__, __hash__) if eq else ())]


def _refusals(kind, names):
    def refuse(self, what, name):
        if type(self) is kind or name in names:
            raise lazy.dataclasses.FrozenInstanceError(f"cannot {what} field {name!r}")

    def __setattr__(self, name, value):
        refuse(self, "assign to", name)
        super(kind, self).__setattr__(name, value)

    def __delattr__(self, name):
        refuse(self, "delete", name)
        super(kind, self).__delattr__(name)

    return [__setattr__, __delattr__]


class _DataclassAttribute:
    """An attribute that `dataclasses` or `inspect` look for: made by `dataclasses` from the same
    fields when asked for.
    """

    __slots__ = ("annotations", "given", "kind", "name", "options")

    def __init__(self, kind, name, annotations, given, frozen, eq):
        self.kind, self.name, self.annotations, self.given = kind, name, annotations, given
        self.options = {"frozen": frozen, "eq": eq}

    def __get__(self, owner, kind):
        dataclasses = lazy.dataclasses
        is_signature = self.name == "__signature__"
        if is_signature and kind is not self.kind:
            raise AttributeError(self.name)
        given = {name: dataclasses.field(**value.options) if isinstance(value, field) else value for name, value in self.given.items()}
        contents = {"__annotations__": self.annotations, "__module__": self.kind.__module__, **given}
        made = dataclasses.dataclass(**self.options)(type(self.kind.__name__, (), contents))
        return lazy.inspect.signature(made) if is_signature else getattr(made, self.name)
