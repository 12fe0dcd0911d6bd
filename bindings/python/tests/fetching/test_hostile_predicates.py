"""Hostile predicates give a clear error or the right result, in bounded time and memory, and never
crash (FET-17, FET-19).
"""

from __future__ import annotations

import time

import pytest

import pinview
from pinview import Predicate, PredicateError

LIMIT = 120  # seconds of CPU time; each predicate takes a few at most


@pytest.fixture(autouse=True)
def in_bounded_time() -> object:
    start = time.process_time()
    yield
    assert time.process_time() - start < LIMIT


DEEP = {
    "parentheses": "(" * 10_000 + "age == 1" + ")" * 10_000,
    "open parentheses": "(" * 2_000_000,
    "negations": "NOT " * 10_000 + "age == 1",
    "lists": "age IN " + "{" * 10_000 + "}" * 10_000,
    "arithmetic": "age == " + "(" * 10_000 + "1" + ")" * 10_000,
    "minus signs": "age == " + "-" * 10_000 + "1",
    "sum": "age == " + "+".join(["1"] * 10_000),
    "TERNARY": "age == " + "TERNARY(TRUEPREDICATE, 1, " * 10_000 + "2" + ")" * 10_000,
    "SUBQUERY": "SUBQUERY(cars, $c, " * 10_000 + "TRUEPREDICATE" + ").@count > 0" * 10_000,
    "functions": "age == " + "abs(" * 10_000 + "1" + ")" * 10_000,
}


@pytest.mark.parametrize("text", DEEP.values(), ids=DEEP.keys())
def test_FET_19_tooDeepPredicatesAreRejected(text: str) -> None:
    with pytest.raises(PredicateError, match="levels"):
        Predicate(text)


def test_FET_19_longPredicatesAreAccepted(context: pinview.Context) -> None:
    assert context.count("Person", " AND ".join(f"age != {number}" for number in range(100, 2000))) == 24
    assert context.count("Person", " OR ".join(f"age == {number}" for number in range(10_000))) == 24
    assert context.count("Person", "age IN {" + ", ".join(map(str, range(100_000))) + "}") == 24
    assert context.count("Person", "age IN %@", [list(range(30, 100_030))]) == 14
    assert context.count("Person", "name IN %@", [[f"dave{number}" for number in range(100_000)]]) == 24
    assert context.count("Person", "name IN[cd] %@", [[f"DÁVE{number}" for number in range(100_000)]]) == 24
    assert context.count("Person", "ANY cars.name IN %@", [[f"car{number}" for number in range(5, 100_000)]]) == 19


def test_FET_17_textsOfFiftyMegabytes(context: pinview.Context) -> None:
    large = "aB" * 25_000_000
    context.insert("Person", name=large, age=1)
    context.save()
    count = context.count
    assert count("Person", "name == %@", [large]) == 1 and count("Person", f"name == '{large}'") == 1
    assert count("Person", "name ==[c] %@", [large.lower()]) == 1
    assert count("Person", "name CONTAINS %@", ["Bb"]) == 0 and count("Person", "name ENDSWITH[c] %@", ["AB"]) == 1
    assert count("Person", "name LIKE %@", ["*" + "aB" * 1000 + "x"]) == 0 and count("Person", "name LIKE %@", ["?B*a?"]) == 1
    assert count("Person", "length:(name) == 50000000") == 1
    assert count("Person", "name MATCHES %@", ["(?:aB)++"]) == 1
    with pytest.raises(PredicateError, match="too much memory"):
        count("Person", "name MATCHES %@", ["(aB)+"])
    with pytest.raises(PredicateError, match="longer than"):
        count("Person", "name MATCHES %@", [large])
    for text in (large, f"'{large}", f"{large} == ", f"age == '{large}'"):
        with pytest.raises(PredicateError) as raised:
            count("Person", text)
        assert len(str(raised.value)) < 5000
    context.batch_delete("Person", "age == 1")
    context.reset()


@pytest.mark.parametrize("pattern", ["(a+)+b", "(a|aa)+b", "(.*a){20}.*x", "(a*)*b", "((a|b)*)*c"])
@pytest.mark.parametrize("saves", [False, True])
def test_FET_19_explodingRegularExpressions(context: pinview.Context, pattern: str, saves: bool) -> None:
    person = context.insert("Person", name="a" * 20_000)
    if saves:
        context.save()
    for comparison in ("name MATCHES %@", "NOT name MATCHES[cd] %@"):
        with pytest.raises(PredicateError, match="cannot be matched against a text"):
            context.count("Person", comparison, [pattern])
    context.delete(person)
    context.save()


@pytest.mark.parametrize("pattern", ["(x+x+)+y|a*c", "a{0,1000}a{0,1000}b"])
def test_FET_19_slowRegularExpressions(context: pinview.Context, pattern: str) -> None:
    context.insert("Person", name="a" * 20_000)
    context.insert("Person", name="é" + "a" * 5_000)
    assert context.count("Person", "name MATCHES %@", [pattern]) == 0
    assert context.count("Person", "name MATCHES[cd] %@", [pattern]) == 0
    context.rollback()


@pytest.mark.parametrize(
    "pattern", ["(", "[", "a{2,1}", "*a", "\\", "\\1", "(" * 1000, "((((a{999}){999}){999}){999})", "a" + "+" * 80, "(?R)", r"\N{SPACE}"]
)
def test_FET_19_invalidRegularExpressions(context: pinview.Context, pattern: str) -> None:
    with pytest.raises(PredicateError, match="MATCHES"):
        context.count("Person", "name MATCHES %@", [pattern])


def test_FET_17_NULCharactersAreOrdinary(context: pinview.Context) -> None:
    context.insert("Person", name="a\0b")
    context.save()
    assert context.count("Person", "name == %@", ["a\0b"]) == 1 and context.count("Person", "name == %@", ["a"]) == 0
    assert context.count("Person", "name ENDSWITH %@", ["\0b"]) == 1 and context.count("Person", r"name CONTAINS '\0'") == 1
    assert context.count("Person", "name LIKE %@", ["a?b"]) == 1 and context.count("Person", "name MATCHES %@", ["a[^x]b"]) == 1
    with pytest.raises(PredicateError, match="character 13"):
        Predicate("name == 'x' \0 OR age == 2")
    with pytest.raises(pinview.UnknownKeyError):
        context.count("Person", "%K == 1", ["na\0me"])


def test_FET_19_keyPathsOfAnyLength(context: pinview.Context) -> None:
    assert context.count("Person", "ANY " + "cars.owner." * 6 + "name == 'dave3'") == 1
    with pytest.raises(PredicateError, match="is too long"):
        context.count("Person", "ANY " + "cars.owner." * 7 + "name == 'x'")
    with pytest.raises(PredicateError, match="is too long"):
        context.count("Person", "cars.owner." * 50_000 + "name == 'x'")


def test_FET_19_errorsNameThePlace() -> None:
    for text, place in (("age = = 1", 7), ("age == 1 AND", 13), ("age == 1 1", 10), ("größe == 'x' ¿", 14)):
        with pytest.raises(PredicateError, match=rf"\(character {place} of the predicate\)"):
            Predicate(text)
