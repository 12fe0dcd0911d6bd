"""Fetch requests and batch requests: FET-12, FET-18, FET-21, BAT-02, BAT-13."""

from __future__ import annotations

import copy
import decimal
import pathlib
import pickle
from collections.abc import Iterator

import pytest

import pinview
from pinview import Attribute, BatchResult, Entity, Expression, FetchRequest, Predicate, Relationship, Sort


@pytest.fixture
def league(tmp_path: pathlib.Path) -> Iterator[pinview.Context]:
    """Team red has ann (3 points) and bob (5), blue has cid (10), and dan (1) has no team."""
    model = pinview.Model(
        [
            Entity("Team", [Attribute("name", "string")], [Relationship("players", "Player", inverse="team", to_many=True)]),
            Entity(
                "Player",
                [Attribute("name", "string"), Attribute("points", "integer64", default=0)],
                [Relationship("team", "Team", inverse="players")],
            ),
        ]
    )
    with pinview.Coordinator(model) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "league.sqlite")
        teams = {name: context.insert("Team", name=name) for name in ("red", "blue")}
        for name, points, team in (("ann", 3, "red"), ("bob", 5, "red"), ("cid", 10, "blue"), ("dan", 1, "")):
            context.insert("Player", name=name, points=points, team=teams.get(team))
        context.save()
        del teams
        yield context


# Dictionaries


def test_FET_21_rowsOfNamedValues(league: pinview.Context) -> None:
    rows = league.fetch_dictionaries("Player", ["name", "team.name"], "points > %@", [1], sort="-points", limit=2)
    assert rows == [{"name": "cid", "team.name": "blue"}, {"name": "bob", "team.name": "red"}]
    assert league.fetch_dictionaries("Team", sort="name") == [{"name": "blue"}, {"name": "red"}]


def test_FET_21_objectsComeAsTheirIDs(league: pinview.Context) -> None:
    ann = league.fetch("Player", "name == 'ann'")[0]
    (row,) = league.fetch_dictionaries("Player", ["objectID", "team"], "name == 'ann'")
    assert row == {"objectID": ann.object_id, "team": ann.team.object_id}
    (row,) = league.fetch_dictionaries("Player", ["team"], "name == 'dan'")
    assert row == {"team": None}


def test_FET_21_computedValues(league: pinview.Context) -> None:
    values = {"name": "name", "double": "points * 2", "mates": "team.players.@count", "title": Expression("uppercase:(name)")}
    assert league.fetch_dictionaries("Player", values, "name == 'bob'") == [{"name": "bob", "double": 10, "mates": 2, "title": "BOB"}]


def test_FET_21_groupsAndAggregateFunctions(league: pinview.Context) -> None:
    values = {"team": "team.name", "players": "count:(SELF)", "sum": "sum:(points)"}
    assert league.fetch_dictionaries("Player", values, group_by="team.name", sort="sum") == [
        {"team": None, "players": 1, "sum": 1},
        {"team": "red", "players": 2, "sum": 8},
        {"team": "blue", "players": 1, "sum": 10},
    ]
    request = FetchRequest("Player", properties=values, group_by=["team"], having="sum:(points) > %@", having_arguments=[9])
    assert league.fetch_dictionaries(request) == [{"team": "blue", "players": 1, "sum": 10}]
    assert league.fetch_dictionaries("Player", {"all": "average:(points)"}) == [{"all": 4.75}]


def test_FET_21_namesOfComputedValuesStandForThem(league: pinview.Context) -> None:
    values = {"team": "team.name", "points": "count:(SELF)"}
    rows = league.fetch_dictionaries("Player", values, group_by="team", having="points >= 2 AND sum:(points) < 9", sort="-points")
    assert rows == [{"team": "red", "points": 2}]
    with pytest.raises(pinview.InvalidArgumentError, match="group by it as well"):
        league.fetch_dictionaries("Player", values, group_by="team", having="name == 'ann'")
    with pytest.raises(pinview.InvalidArgumentError, match="Sort by what"):
        league.fetch_dictionaries("Player", values, group_by="team", sort="name")


def test_FET_18_regularExpressions(league: pinview.Context) -> None:
    for pattern, names in ((r"[\w.]+", ["ann", "bob", "cid", "dan"]), (r"(?i)(?:ANN|B\p{L}+)", ["ann", "bob"]), (r"\x63\u0069d", ["cid"])):
        assert [each.name for each in league.fetch("Player", "name MATCHES %@", [pattern], sort="name")] == names
        assert [each.name for each in Predicate("name MATCHES %@", [pattern]).filter(league.fetch("Player", sort="name"))] == names
    with pytest.raises(pinview.PredicateError, match=r"\(character 4 of the pattern\)"):
        Predicate("name MATCHES %@", ["ann(x"])
    league.insert("Player", name="a" * 5000)
    hostile = Predicate("name MATCHES %@", ["(a+)+[xy]"])
    with pytest.raises(pinview.PredicateError, match="too many ways"):
        league.fetch("Player", hostile)
    league.save()
    with pytest.raises(pinview.PredicateError, match="too many ways"):
        league.fetch("Player", hostile)
    assert league.count("Player", "points & 1 == 1 AND name MATCHES '...'") == 3


def test_FET_18_numbersCompareByTheirExactValues(tmp_path: pathlib.Path) -> None:
    attributes = [Attribute("real", "double"), Attribute("money", "decimal"), Attribute("whole", "integer64")]
    with pinview.Coordinator(pinview.Model([Entity("Sum", attributes)])) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "sums.sqlite")
        sums = [context.insert("Sum", real=float(2**60), money=decimal.Decimal(2**60 + more), whole=2**60 + more) for more in (0, 1)]
        context.save()
        for format, expected in {
            "real == money": [0],
            "real > money": [],
            "money > real": [1],
            "whole == real": [0],
            "real + 0 == money": [0],
            "money - 1 == real": [1],
            "real IN {money}": [0],
        }.items():
            assert [sums.index(each) for each in context.fetch("Sum", format, sort="whole")] == expected, format
            assert [sums.index(each) for each in Predicate(format).filter(sums)] == expected, format
        del sums


def test_aPredicateWithAnObjectIsPrintedAsOneThatFindsIt(league: pinview.Context) -> None:
    red, new = league.fetch("Team", "name == 'red'")[0], league.insert("Team", name="new")
    league.insert("Player", name="eve", team=new)
    for team, names in ((red, ["ann", "bob"]), (new, ["eve"])):
        given = Predicate("team == %@", [team])
        again = Predicate(str(given))
        assert again == given
        assert [each.name for each in league.fetch("Player", again, sort="name")] == names


def test_STO_18_patternsOfAttributes(tmp_path: pathlib.Path) -> None:
    address = Attribute("address", "string", regular_expression=r"(?i)[\w.]+@(?:\w+\.)+\p{L}{2,}")
    with pinview.Coordinator(pinview.Model([Entity("Mail", [address])])) as coordinator, pinview.Context(coordinator) as context:
        coordinator.add_store(tmp_path / "mail.sqlite")
        context.insert("Mail", address="A.\u00e9@Example.org")
        context.save()
        context.insert("Mail", address="a b@example.org")
        with pytest.raises(pinview.ValidationError, match="does not match the pattern"):
            context.save()
        context.rollback()
        context.insert("Mail", address="a.b@" + "c." * 20)
        with pytest.raises(pinview.ValidationError):
            context.save()
    with pytest.raises(pinview.ModelError, match=r"Mail.address .*\(character 2 of the pattern\)"):
        pinview.Model([Entity("Mail", [Attribute("address", "string", regular_expression="a(")])])


def test_FET_21_distinctRows(league: pinview.Context) -> None:
    rows = league.fetch_dictionaries("Player", {"big": "TERNARY(points > 2, 1, 0)"}, distinct=True, sort="big")
    assert rows == [{"big": 0}, {"big": 1}]


def test_FET_21_manyRowsComeInBlocks(league: pinview.Context) -> None:
    league.batch_insert("Player", columns={"points": list(range(1000, 2500))})
    rows = league.fetch_dictionaries("Player", ["points"], "points >= 1000", sort="points")
    assert [row["points"] for row in rows] == list(range(1000, 2500))


def test_FET_21_invalidDictionaryRequests(league: pinview.Context) -> None:
    with pytest.raises(pinview.UnknownKeyError):
        league.fetch_dictionaries("Player", ["nam"])
    with pytest.raises(pinview.PredicateError):
        league.fetch_dictionaries("Player", {"x": "points *"})
    with pytest.raises(pinview.InvalidArgumentError):
        league.fetch_dictionaries("Player", ["name"], having="count:(SELF) > 1")
    with pytest.raises(TypeError):
        league.fetch_dictionaries("Player", "name")


def test_explain(league: pinview.Context) -> None:
    (found,) = league.explain("Player", "name == %@ AND points > %@", arguments=["o'x", 3], limit=5)
    assert found.sql.startswith("SELECT") and "WHERE" in found.sql and "LIMIT" in found.sql
    assert found.values[:2] == ["'o''x'", "3"]
    assert any(line.lstrip().startswith(("SCAN", "SEARCH")) for line in found.plan)
    assert str(found).splitlines()[0] == found.sql
    (grouped,) = league.explain(FetchRequest("Player", properties={"n": "count:(SELF)"}, group_by="team"))
    assert "GROUP BY" in grouped.sql


# Order


def test_FET_12_ordersOfTexts(league: pinview.Context) -> None:
    league.batch_delete("Player")
    league.batch_insert("Player", columns={"name": ["file10", "File9", "file1", "file9"]})

    def names(comparator: str) -> list[str]:
        return [row["name"] for row in league.fetch_dictionaries("Player", ["name"], sort=[Sort("name", comparator=comparator), "points"])]

    assert names("binary") == ["File9", "file1", "file10", "file9"]
    assert names("numeric") == ["File9", "file1", "file9", "file10"]
    assert names("case_insensitive")[:2] == ["file1", "file10"]
    assert names("localized_standard")[0] == "file1" and names("localized_standard")[-1] == "file10"
    assert sorted(names("localized")) == sorted(names("localized_case_insensitive")) == ["File9", "file1", "file10", "file9"]
    fetched = league.fetch("Player", sort=[Sort("team.name"), Sort("name", ascending=False, comparator="numeric")])
    assert [player.name for player in fetched] == ["file10", "file9", "file1", "File9"]
    with pytest.raises(pinview.InvalidArgumentError):
        league.fetch("Player", sort=[Sort("points", comparator="numeric")])
    with pytest.raises(ValueError):
        league.fetch("Player", sort=[Sort("name", comparator="sideways")])


# Predicates and expressions as objects


def test_predicatesBuiltPartByPart(league: pinview.Context) -> None:
    built = Predicate.compare("points", "BETWEEN", [2, 6]) & ~Predicate.compare("name", "BEGINSWITH", "A", options="c")
    assert str(built) == 'points BETWEEN {2, 6} AND NOT name BEGINSWITH[c] "A"'
    assert built == Predicate(str(built)) and hash(built) == hash(Predicate(str(built)))
    assert built != Predicate("points > 2")
    assert [player.name for player in league.fetch("Player", built)] == ["bob"]
    some = Predicate.compare("players.name", "IN", ["cid", "x"], modifier="ANY") | Predicate.constant(False)
    assert [team.name for team in league.fetch("Team", some)] == ["blue"]
    assert str(Predicate.all_of([])) == "TRUEPREDICATE" and str(Predicate.any_of([])) == "FALSEPREDICATE"
    with pytest.raises(pinview.PredicateError):
        Predicate.compare("name", "RHYMES", "x")
    with pytest.raises(pinview.PredicateError):
        Predicate.compare("name", "==", "x", options="q")


def test_expressionsBuiltPartByPart(league: pinview.Context) -> None:
    built = (Expression.key_path("points") + 1) * 2
    assert str(built) == "(points + 1) * 2" and built == Expression("(points + %@) * %@", [1, 2])
    assert str(Expression.function("lowercase", Expression.key_path("team.name"))) == "lowercase:(team.name)"
    assert str(Expression.key_path("")) == "SELF" and str(Expression.variable("x")) == "$x"
    assert str(Expression.aggregate([1, "a", Expression.key_path("name")])) == '{1, "a", name}'
    assert str(Expression.constant([1, 2])) == "{1, 2}" and str(Expression.constant(None)) == "nil"
    rich = Predicate.compare(Expression.variable("p", "points"), ">", 4)
    count = Expression.function("count:", Expression.subquery("players", "p", rich))
    assert str(count) == "SUBQUERY(players, $p, $p.points > 4).@count"
    assert [team.name for team in league.fetch("Team", Predicate.compare(count, "==", 1), sort="name")] == ["blue", "red"]
    grade = Expression.conditional(Predicate("points > 4"), "high", "low")
    assert str(grade) == 'TERNARY(points > 4, "high", "low")'
    assert league.fetch_dictionaries("Player", {"g": grade}, "name == 'bob'") == [{"g": "high"}]
    assert str(Expression.key_path("points").cast("NSString") ** 2) == 'CAST(points, "NSString") ** 2'
    assert str((Expression("1") - 2) / 3) == "(1 - 2) / 3"
    with pytest.raises(pinview.PredicateError):
        Expression.function("frobnicate", 1)
    with pytest.raises(pinview.PredicateError):
        Expression.function("abs", 1, 2)
    with pytest.raises(pinview.PredicateError):
        Expression("1").cast("NSFoo")


def test_copiesAreEqual() -> None:
    for value in (Predicate("name LIKE %@", ['50%"*']), Expression("price * 2")):
        assert copy.copy(value) == value and copy.deepcopy(value) == value
        assert pickle.loads(pickle.dumps(value)) == value


def test_predicatesAreEvaluatedInMemory(league: pinview.Context) -> None:
    players = list(league.fetch("Player", sort="name"))
    players[0].points = 100
    rich = Predicate("points > 4")
    assert [player.name for player in rich.filter(players)] == ["ann", "bob", "cid"]
    assert rich.evaluate(players[1]) and not rich.evaluate(players[3])
    assert Expression("points * 2").evaluate(players[0]) == 200
    assert Expression("team.players.@max.points").evaluate(players[1]) == 100
    assert Expression("uppercase:(name)").evaluate(players[2]) == "CID"
    with pytest.raises(pinview.UnknownKeyError):
        Predicate("wings > 2").evaluate(players[0])


def test_positionalArguments(league: pinview.Context) -> None:
    predicate = Predicate("%2$K == %1$@ OR %2$K == %3$@", ["ann", "name", "dan"])
    assert sorted(player.name for player in league.fetch("Player", predicate)) == ["ann", "dan"]
    assert [player.name for player in league.fetch("Player", "points %% 2 == 0")] == ["cid"]


# Other properties of requests


def test_prefetchingAndFaultsOfRequests(league: pinview.Context, tmp_path: pathlib.Path) -> None:
    store = league.coordinator.stores[0]  # type: ignore[union-attr]
    assert league.count("Player", stores=[store]) == 4 and league.count("Player", stores=[]) == 0
    league.reset()
    assert all(player.is_fault for player in league.fetch("Player"))
    league.reset()
    assert not any(player.is_fault for player in league.fetch("Player", returns_objects_as_faults=False))
    league.reset()
    assert [player.is_fault for player in league.fetch("Player", includes_property_values=False)] == [True] * 4
    fetched = league.fetch("Player", sort="name", batch_size=2, prefetch=())
    assert [player.name for player in fetched] == ["ann", "bob", "cid", "dan"]
    fetched = league.fetch("Team", sort="name", prefetch=["players"])
    assert [len(team.players) for team in fetched] == [1, 2]
    league.insert("Player", name="new")
    assert league.count("Player") == 5 and league.count("Player", includes_pending_changes=False) == 4
    with pinview.Context(league.coordinator) as other:
        other.batch_update("Player", {"name": "changed"}, "name == 'ann'")
    ann = fetched[1].players and next(player for player in league.fetch("Player") if player.name == "ann")
    league.fetch("Player", refresh_refetched=True)
    assert ann.name == "changed"
    del ann, fetched


# Batches


def test_BAT_13_aRowThatIsNoneIsRejected(league: pinview.Context) -> None:
    before = league.count("Player")
    with pytest.raises(TypeError, match=r"Row 1 .* None"):
        league.batch_insert("Player", [{"name": "a"}, None, {"name": "b"}])  # type: ignore[list-item]
    with pytest.raises(TypeError, match=r"Row 0 .* None"):
        league.batch_insert("Player", iter([None, ["b"]]), ["name"])  # type: ignore[list-item]
    assert league.count("Player") == before


def test_BAT_13_rowsFromAnIteratorAndFromColumns(league: pinview.Context) -> None:
    assert league.batch_insert("Player", ({"name": f"n{number}", "points": number} for number in range(100, 300))) == 200
    assert league.batch_insert("Team", iter([["t1"], ["t2"]]), ["name"]) == 2
    ids = league.batch_insert("Team", columns={"name": ["t3", None]}, result=BatchResult.OBJECT_IDS)
    assert isinstance(ids, list) and [league.existing_object(each).name for each in ids] == ["t3", None]
    assert league.fetch_dictionaries("Player", {"n": "count:(SELF)", "s": "sum:(points)"}, "points >= 100") == [{"n": 200, "s": 39900}]
    assert league.batch_insert("Team", iter(())) == 0 and league.batch_insert("Team", columns={}) == 0


def test_BAT_13_anExceptionOfTheIteratorInsertsNothing(league: pinview.Context) -> None:
    def rows() -> Iterator[dict[str, object]]:
        yield {"name": "half"}
        raise KeyError("the other half")

    with pytest.raises(KeyError, match="the other half"):
        league.batch_insert("Team", rows())
    with pytest.raises(ValueError, match="Row 1"):
        league.batch_insert("Team", iter([{"name": "half"}, {"nam": 1}]))
    with pytest.raises(ValueError, match="column"):
        league.batch_insert("Player", columns={"name": ["a"], "points": []})
    assert league.count("Team") == 2


def test_BAT_02_expressionsAsValues(league: pinview.Context) -> None:
    count = league.batch_update("Player", {}, "points > 4", expressions={"points": Expression("points + %@", [1])}, result="count")
    assert count == 2
    assert sorted(row["points"] for row in league.fetch_dictionaries("Player", ["points"])) == [1, 3, 6, 11]
    assert league.batch_update("Player", {"points": 0}, stores=[], result=BatchResult.COUNT) == 0


def test_BAT_mergedIntoContextsOnRequest(league: pinview.Context) -> None:
    with pinview.Context(league.coordinator) as view:
        ann, dan = view.fetch("Player", "name IN {'ann', 'dan'}", sort="name", returns_objects_as_faults=False)
        changed = league.batch_update("Player", {}, "name == 'ann'", expressions={"points": "points + 1"}, result=BatchResult.OBJECT_IDS)
        gone = league.batch_delete("Player", "name == 'dan'", result=BatchResult.OBJECT_IDS)
        added = league.batch_insert("Player", [{"name": "eve"}], result=BatchResult.OBJECT_IDS)
        assert (ann.points, dan.name) == (3, "dan")
        assert isinstance(changed, list) and isinstance(gone, list) and isinstance(added, list)
        pinview.merge_remote_changes({"updated": changed, "deleted": gone, "inserted": added}, [view])
        assert ann.points == 4 and dan.is_deleted
        del ann, dan


def test_batchRequestsAreExecuted(context: pinview.Context) -> None:
    inserted = context.execute(
        pinview.BatchInsertRequest("Person", [{"name": "new", "age": 1}, {"name": "newer", "age": 2}], result="object_ids")
    )
    assert context.execute(pinview.BatchInsertRequest("Person", columns={"name": ["newest"]}, result="count")) == 1
    updated = context.execute(
        pinview.BatchUpdateRequest("Person", {}, "name BEGINSWITH 'new'", expressions={"age": "age + 10"}, result="count")
    )
    assert updated == 3
    assert {person.age for person in context.fetch("Person", "name BEGINSWITH 'new'")} == {11, 12, 10}
    assert context.execute(pinview.BatchDeleteRequest(object_ids=inserted, result="count")) == 2  # type: ignore[arg-type]
    assert context.execute(pinview.BatchDeleteRequest(pinview.FetchRequest("Person", "name == 'newest'"))) is None
    assert context.count("Person", "name BEGINSWITH 'new'") == 0


def test_batchUpdateComputesExpressions(context: pinview.Context) -> None:
    before = {person.name: person.age for person in context.fetch("Person")}
    context.batch_update("Person", expressions={"age": "age * 2"})
    context.refresh_all()
    assert {person.name: person.age for person in context.fetch("Person")} == {name: age * 2 for name, age in before.items()}


def test_changedValuesAreThoseInMemory(context: pinview.Context) -> None:
    person, other = context.fetch("Person", sort=["name"], limit=2)
    assert person.changed_values() == {}
    person.name, person.age = "changed", None
    assert person.changed_values() == {"name": "changed", "age": None}
    car = next(iter(other.cars))
    car.owner = person
    assert car.changed_values() == {"owner": person}
    assert set(person.changed_values()["cars"]) == set(person.cars)
    context.rollback()
    assert person.changed_values() == {}


def test_coordinatorsHaveNames(coordinator: pinview.Coordinator) -> None:
    assert coordinator.name is None
    coordinator.name = "Ünamed"
    assert coordinator.name == "Ünamed"
    coordinator.name = None
    assert coordinator.name is None


def test_attributesAreKeptInHistoryWhereTheModelSaysSo() -> None:
    attributes = [pinview.Attribute("name", "string", preserves_value_in_history_on_deletion=True), pinview.Attribute("age", "integer64")]
    with pinview.Coordinator(pinview.Model([pinview.Entity("Person", attributes=attributes)])) as coordinator:
        coordinator.add_store(history_tracking=True)
        with pinview.Context(coordinator) as context:
            person = context.insert("Person", name="gone", age=3)
            context.save()
            context.delete(person)
            context.save()
            change = list(context.history())[-1].changes[0]
            assert (change.tombstone("name"), change.tombstone("age")) == ("gone", None)


def test_remoteChangesAreMergedByURI(context: pinview.Context, other: pinview.Context) -> None:
    person, again = context.fetch("Person", limit=1)[0], other.fetch("Person", limit=1)[0]
    assert again.age == person.age
    person.age = 77
    context.save()
    pinview.merge_remote_changes({"updated": [person.object_id.uri]}, [other])
    assert again.age == 77


def test_valuesOfAKeyPathSayWhatReadsIt(context: pinview.Context) -> None:
    with pytest.raises(pinview.InvalidArgumentError, match=r"key path 'owner\.name' use fetch_dictionaries\(\) or fetch_columns\(\)"):
        context.values("Car", ["name", "owner.name"])
