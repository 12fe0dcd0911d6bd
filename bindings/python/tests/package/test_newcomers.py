"""What people try who know other libraries, or mistype: the message says what to do instead."""

from __future__ import annotations

import datetime
import enum
import pathlib
import re
from collections.abc import Callable, Iterator
from typing import Any

import pytest

import pinview
from pinview import Attr, FetchedResultsController, Model, One, Related, attribute, inverse


class State(enum.Enum):
    OPEN = "open"
    CLOSED = "closed"


class Person(pinview.Object):
    name: Attr[str] = attribute(unique=True)
    born: Attr[datetime.date | None] = attribute(default=None)
    issues: Related[Issue] = inverse("assignee")


class Label(pinview.Object):
    name: Attr[str]
    issues: Related[Issue] = inverse("labels")


class Issue(pinview.Object):
    title: Attr[str]
    state: Attr[State] = attribute(default=State.OPEN)
    priority: Attr[int] = attribute(default=0)
    assignee: One[Person | None] = inverse("issues")
    labels: Related[Label] = inverse("issues")


class Scene:
    """An issue with a label, and a person."""

    def __init__(self, context: pinview.Context) -> None:
        self.context = context
        self.bug = context.insert(Label, name="bug")
        self.ada = context.insert(Person, name="Ada")
        self.issue = context.insert(Issue, title="Crash", labels={self.bug})


@pytest.fixture
def scene() -> Iterator[Scene]:
    with pinview.Coordinator(Model([Person, Label, Issue])) as coordinator:
        coordinator.add_store()
        with pinview.Context(coordinator) as context:
            scene = Scene(context)
            yield scene
            vars(scene).clear()


def changed(target: Any, **values: Any) -> None:
    for name, value in values.items():
        setattr(target, name, value)


Any_: Any = Issue
Try = Callable[[Scene], Any]
TRIES: list[tuple[Try, type[Exception], str]] = [
    # Objects
    (lambda _: Person(name="Ada"), TypeError, "context.insert(Person, name=value, …), not Person(…)"),
    (lambda it: it.ada.save(), AttributeError, "Person objects have no save(); their context does: context.save()."),
    (lambda it: it.ada.delete(), AttributeError, "context.delete(object)"),
    (lambda it: it.ada.nmae, AttributeError, "no property 'nmae' (did you mean 'name'?)"),
    (lambda it: changed(it.ada, nmae="x"), AttributeError, "no property 'nmae' (did you mean 'name'?)"),
    (lambda it: list(it.ada), TypeError, "'Person' object is not iterable"),
    (lambda it: changed(it.issue, labels=it.bug), TypeError, "relationship labels must be set to an iterable of objects, got Label"),
    (lambda it: it.context.insert(Issue, title="x", labels=it.bug), TypeError, "must be set to an iterable of objects, got Label"),
    (lambda it: changed(it.issue, state="opn"), TypeError, "Issue.state: 'opn' is not a State; expected one of 'open', 'closed'"),
    (lambda it: changed(it.ada, born="1815-12-10"), TypeError, "Person.born: Expected a datetime.date or None, got '1815-12-10' (str)"),
    # Fetches
    (lambda it: it.context.fetch(Person, name="Ada"), TypeError, "use a condition to find objects by their values, or get(Person, name=…)"),
    (lambda it: it.context.fetch(Person, where="name == 'x'"), TypeError, "no option 'where'; it is called predicate"),
    (lambda it: it.context.fetch(Person, order_by="name"), TypeError, "no option 'order_by'; it is called sort"),
    (lambda it: it.context.fetch(Person, limt=3), TypeError, "'limt' (did you mean 'limit'?)"),
    (lambda it: it.context.fetch(Person, sort="name DESC"), ValueError, "write 'name' for ascending and '-name' for descending order"),
    (
        lambda it: it.context.fetch(Person, "name == %@", "Ada"),
        TypeError,
        "arguments of a predicate are a list; for a single one pass ['Ada']",
    ),
    # Conditions
    (lambda _: Any_.labels == "bug", TypeError, "labels is a to-many relationship, which cannot be compared; use contains(object)"),
    (lambda _: Any_.labels.name == "bug", AttributeError, "use any({class}.name == …)"),
    (lambda _: not Any_.labels, TypeError, "labels has no truth value"),
    (lambda _: Any_.title == "x" & Any_.priority, TypeError, "compare it with a value, in brackets: (a == 1) & (b == 2)"),
    (lambda _: ~Any_.title, TypeError, "title is not a condition, so ~ cannot negate it"),
    (lambda _: Any_.state.in_("open"), TypeError, "state is compared with several values here, in a list or another collection"),
    (lambda _: Any_.priority.in_(3), TypeError, "priority is compared with several values here"),
    # Models and classes
    (lambda _: Model(Person), TypeError, "Model([Person, …])"),
    (lambda _: pinview.Attribute("name", "string", optinal=True), TypeError, "'optinal' (did you mean 'optional'?)"),
    (lambda _: Model([declared(x="Attr[Nope]")]), ValueError, "Odd.x has the type 'Nope', but nothing of that name is defined"),
    (lambda _: type("Odd", (pinview.Object,), {"x": attribute(default="a")}), ValueError, "Odd.x has no annotation"),
    # The rest
    (
        lambda it: it.context.observe("did_save", print),
        ValueError,
        "expected pinview.OBJECTS_DID_CHANGE, pinview.WILL_SAVE, pinview.DID_SAVE",
    ),
    (lambda it: FetchedResultsController(Person, it.context), ValueError, "needs a request with a sort descriptor"),
]


def declared(**annotations: str) -> type[pinview.Object]:
    return type("Odd", (pinview.Object,), {"__annotations__": annotations})


@pytest.mark.parametrize(("attempt", "kind", "message"), TRIES, ids=[message[:40] for _, _, message in TRIES])
def test_the_message_says_what_to_do(scene: Scene, attempt: Try, kind: type[Exception], message: str) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        attempt(scene)


def test_a_store_in_a_folder_that_does_not_exist(tmp_path: pathlib.Path) -> None:
    folder = tmp_path / "none"
    with pinview.Coordinator(Model([Person, Label, Issue])) as coordinator:
        with pytest.raises(pinview.StoreOpenError, match=re.escape(f"the folder '{folder}' does not exist")):
            coordinator.add_store(folder / "a.sqlite")


def test_a_list_is_sorted_by_one_attribute_of_a_class(scene: Scene) -> None:
    """Without a list around it: a comparison of an attribute makes a condition."""
    with FetchedResultsController(Person, scene.context, sort=Person.name, predicate=Person.name == "Ada") as people:
        people.perform_fetch()
        assert list(people) == [scene.ada]
