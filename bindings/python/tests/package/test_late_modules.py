"""Modules that are loaded at their first use: that an import does without them, and that nobody can
tell otherwise.
"""

from __future__ import annotations

import ast
import datetime
import inspect
import pathlib
import random
import subprocess
import sys
import typing

import pytest

import pinview
from pinview._ffi import convert
from pinview._support import lazy

PACKAGE = pathlib.Path(pinview.__file__).resolve().parent
MODULES = sorted(
    {f"pinview.{module}" for module in pinview._LATER_NAMES} | {name for name in lazy._MODULES.values() if name.startswith("pinview.")}
)
# An optional requirement.
MODULES.remove("pinview._commands.watch_app")
ATTRIBUTES = sorted({*pinview.__all__, *pinview._LATER_MODULES})


def output(program: str) -> str:
    """What a program prints in an interpreter of its own."""
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout.strip()


def test_importingThePackageLoadsNoneOfThem() -> None:
    loaded = output("import sys; before = set(sys.modules); import pinview; print(*set(sys.modules) - before)").split()
    assert not set(MODULES) & set(loaded)
    assert not {"collections", "datetime", "enum", "importlib", "json", "re", "threading", "typing", "warnings"} & set(loaded)


def test_annotationsCanBeEvaluated() -> None:
    # Names whose modules are not loaded evaluate to object.
    hints = typing.get_type_hints(pinview.FetchRequest)
    assert hints["limit"] is int
    assert typing.get_type_hints(pinview.Context.first)["entity"] is object
    assert typing.get_args(pinview.FetchResult[pinview.ManagedObject]) == (pinview.ManagedObject,)


@pytest.mark.parametrize("module", MODULES)
def test_eachCanBeTheFirst(module: str) -> None:
    names = [name for name, home in pinview._LATER.items() if f"pinview.{home}" == module]
    program = f"import importlib, pinview; [getattr(pinview, name) for name in {names}]; importlib.import_module({module!r})"
    assert output(program) == ""


@pytest.mark.parametrize("seed", range(4))
def test_namesCanBeAskedForInAnyOrder(seed: int) -> None:
    names = random.Random(seed).sample(ATTRIBUTES, len(ATTRIBUTES))
    program = f"""
import pinview
for name in {names}:
    assert name in dir(pinview), name
    value = getattr(pinview, name)
    assert value is getattr(pinview, name), name
"""
    assert output(program) == ""


@pytest.mark.parametrize("seed", range(4))
def test_threadsCanAskForNamesAtOnce(seed: int) -> None:
    program = f"""
import random, sys, threading
import pinview
sys.setswitchinterval(1e-6)
numbers, names, threads = random.Random({seed}), {ATTRIBUTES}, 8
found = [[] for _ in range(threads)]
barrier = threading.Barrier(threads)

def ask(mine, order):
    barrier.wait()
    mine += [(name, id(getattr(pinview, name))) for name in order]

workers = [threading.Thread(target=ask, args=(mine, numbers.sample(names, len(names)))) for mine in found]
for worker in workers:
    worker.start()
for worker in workers:
    worker.join()
assert all(sorted(mine) == sorted(found[0]) for mine in found)
print(len(found[0]) == len(names))
"""
    assert output(program) == "True"


def test_starImport() -> None:
    program = "from pinview import *; import pinview; print(sorted(set(pinview.__all__) - set(globals())))"
    assert output(program) == "[]"


def test_typeCheckersSeeTheSameNames() -> None:
    tree = ast.parse((PACKAGE / "__init__.py").read_text(encoding="utf-8"))
    (block,) = [node for node in tree.body if isinstance(node, ast.If)]
    seen = {node.module: tuple(alias.name for alias in node.names) for node in block.body if isinstance(node, ast.ImportFrom)}
    assert seen == pinview._LATER_NAMES
    assert set(pinview._LATER) <= set(pinview.__all__)


def test_namesThatAreNotThere() -> None:
    for module in (pinview, lazy):
        assert not hasattr(module, "missing")


STACK = """
import sys, pinview

def stack(*attributes):
    person = pinview.Entity("Person", attributes=[pinview.Attribute("name", "string"), *attributes])
    coordinator = pinview.Coordinator(pinview.Model([person]))
    coordinator.add_store()
    return pinview.Context(coordinator)

context = stack()
context.insert("Person", name="d")
context.save()
"""


def test_ordinaryWorkDoesWithoutTyping() -> None:
    program = f"""{STACK.replace("import sys, pinview", "import sys; before = set(sys.modules); import pinview")}
context.pin()
(person,) = context.fetch("Person", "name BEGINSWITH %@", ["d"], sort=["name"])
person.name = repr(person)
context.save()
assert "typing" not in set(sys.modules) - before
"""
    assert output(program) == ""


def test_theFirstDates() -> None:
    program = f"""{STACK}
assert context.fetch("Person", "name = 'd'", sort="name")[0].name == "d"
assert "datetime" not in sys.modules
context = stack(pinview.Attribute("born", "date"))
import datetime
moments = [datetime.datetime(2001, 1, day, 12, 30, 15, 250, tzinfo=datetime.timezone.utc) for day in (1, 2, 3)]
for moment in moments:
    context.insert("Person", name="e", born=moment)
context.save()
with pinview.Context(context.coordinator) as other:
    found = [each.born for each in other.fetch("Person", "name = 'e'", sort="born")]
    assert found == moments and {{type(each) for each in found}} == {{datetime.datetime}}
    assert {{each.tzinfo for each in found}} == {{datetime.timezone.utc}}
"""
    assert output(program) == ""


def test_aDateBeforeAnyModelWithDates() -> None:
    moment = datetime.datetime(2001, 2, 3, 4, 5, 6, 7, tzinfo=datetime.timezone.utc)
    assert convert._first_date(moment.__reduce__()[1][0], None) == moment  # type: ignore[index]
    assert convert._date_of_seconds(86400) == datetime.datetime(2001, 1, 2, tzinfo=datetime.timezone.utc)


def test_observersOutliveTheExitHandlersOfTheProgram() -> None:
    program = f"""{STACK}
import atexit

def at_the_end():
    context.insert("Person", name="d")
    context.save()

atexit.register(at_the_end)
observer = context.observe(pinview.DID_SAVE, lambda notification: print(len(notification.inserted_objects)))
"""
    assert output(program) == "1"


def test_exitHandlersOfTheProgramComeFirst() -> None:
    """Also those that were registered before the package was used."""
    program = """
import atexit, pinview

def at_the_end():
    context.insert("Person", name="d")
    context.save()
    context.insert("Person", name="")
    try:
        context.save()
    except ValueError as error:
        print(error)

atexit.register(at_the_end)

def validate(person):
    if not person.name:
        raise ValueError("no name")

model = pinview.Model([pinview.Entity("Person", attributes=[pinview.Attribute("name", "string")])])
model.set_hooks("Person", validate_for_insert=validate)
coordinator = pinview.Coordinator(model)
coordinator.add_store()
context = pinview.Context(coordinator)
observer = context.observe(pinview.DID_SAVE, lambda notification: print(len(notification.inserted_objects)))
"""
    assert output(program).split("\n") == ["1", "no name"]


def test_forkHandlersOfTheProgramComeLast() -> None:
    """Also those that were registered before the package was used."""
    program = """
import os, pinview

def in_the_child():
    try:
        predicate.handle
    except pinview.ForkedError:
        print("refused", flush=True)

os.register_at_fork(after_in_child=in_the_child)
predicate = pinview.Predicate("name == 'd'")
child = os.fork()
if child == 0:
    os._exit(0)
os.waitpid(child, 0)
"""
    assert output(program) == "refused"


@pytest.mark.parametrize("name", sorted(name for name in pinview.__all__ if inspect.isfunction(getattr(pinview, name))))
def test_eachFunctionCanBeCalledFirst(name: str) -> None:
    """Without arguments, or with ones that are wrong: a call fails as it does later."""
    call = f"""
try:
    pinview.{name}(*arguments)
except (TypeError, pinview.Error) as error:
    print(type(error).__name__)
else:
    print("done")
"""
    program = "import pinview\nfor arguments in ((), (False,), (None,)):" + call.replace("\n", "\n    ")
    everything = program.replace("import pinview", "import pinview; from pinview import *", 1)
    assert output(program) == output(everything)


def test_aDateForAModelWithoutDates() -> None:
    program = f"""{STACK}
assert "datetime" not in sys.modules
import datetime
moment = datetime.datetime(2001, 1, 1, tzinfo=datetime.timezone.utc)
for _ in range(2):
    try:
        context.insert("Person", name=moment)
    except pinview.WrongTypeError as error:
        print("refused")
"""
    assert output(program).split() == ["refused"] * 2
