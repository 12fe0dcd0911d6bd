import PinviewModel
import PinviewPredicates
import RandomSupport
import XCTest

/// A malformed predicate gives an error that says where, what was found and what was expected
/// (FET-19).
final class PredicateMistakeTests: PredicateTestCase {
    func test_FET_19_errorsNameThePosition() {
        let mistakes: [(String, String)] = [
            ("", "'the end' (character 1"), ("   ", "(character 4"), ("name", "(character 5"), ("name = = 3", "(character 8"),
            ("name == ", "(character 9"),
            ("name == 'x' age == 3", "(character 13"), ("äöü == \u{1F600}", "(character 8"), ("name == 'a' AND", "(character 16"),
        ]
        for (format, position) in mistakes { assertBad(format, says: position.replacingOccurrences(of: "'the end' ", with: "")) }
        assertBad("name = = 3", says: "'=' was found where a key path or a value was expected")
        assertBad("name 3", says: "the number 3 was found where an operator")
        assertBad("", says: "the end was found")
    }

    func test_FET_19_malformedTexts() {
        let mistakes: [(String, String)] = [
            ("name == 'x", "no closing quote (character 9"), ("name == \"x'", "no closing quote"), ("name == 'x\\", "no closing quote"),
            ("name == '\\*'", "is not an escape"), ("name == 'ab\\q'", "(character 12"), ("name == '\\u12'", "four hexadecimal digits"),
            ("name == '\\uD800'", "followed by a character code"), ("name == '\\u{110000}'", "followed by a character code"),
            ("name == '\\u{}'", "followed by a character code"),
            ("name == '\\u{1F600'", "followed by a character code"),
        ]
        for (format, part) in mistakes { assertBad(format, says: part) }
    }

    func test_FET_19_malformedNumbers() {
        let mistakes: [(String, String)] = [
            ("age == 9223372036854775808", "out of range"), ("age == 99999999999999999999", "out of range"),
            ("age == 1e999", "out of range"),
            ("age == 1e", "exponent"), ("age == 3rd", "followed by 'r'"), ("age == 0x", "hexadecimal"),
            ("age == 0xFFFFFFFFFFFFFFFF", "hexadecimal"),
            ("age == 0xG", "hexadecimal"), ("age == -", "a value was expected"),
            ("age == -'x'", "takes numbers, not a string"),
            ("age == 1.", "found"), ("age == .5", "found"), ("age == 1.2.3", "found"), ("age == +1", "'+' was found"),
        ]
        for (format, part) in mistakes {
            // "0xG" may be read as "0x" and a word; it is an error either way.
            guard let error = error(format) else { continue }
            XCTAssertTrue(error.hasCode(.badPredicate), format)
            if format != "age == 0xG" { XCTAssertTrue(error.message.contains(part), "\(format): \(error.message)") }
        }
    }

    func test_FET_19_malformedStructure() {
        let mistakes = [
            "(", ")", "()", "(name == 'x'", "name == 'x')", "((name == 'x')", "AND", "name == 'x' AND", "AND name == 'x'",
            "name == 'x' OR OR age == 1", "NOT",
            "name == 'x' NOT", "name NOT == 'x'", "name NOT LIKE 'x'", "ANY", "ANY ALL cars.wheels == 1", "name & age", "name | age",
            "name == 'x' & age == 1",
            "name ! 'x'", "name === 'x'", "name ==", "== name", "TRUEPREDICATE TRUEPREDICATE", "name", "isMember", "NOT isMember",
            "age IN (1, 2)", "name; age", "name == `x`", "name == x y", "name CONTAINS", "IN {1}", "name == IN", "name == AND",
            "name == LIKE", "# == 1", "$ == 1",
            "$1 == 1", "#1 == 1", "name. == 1", "name..age == 1", ".name == 1", "name.'x' == 1", "cars.@ == 1", "cars.@sum == 1",
            "@count == 1",
            "cars[0] == 1", "cars.@count[c] == 1", "\u{0} == 1", "name == \u{1F600}",
        ]
        for format in mistakes { XCTAssertEqual(error(format)?.hasCode(.badPredicate), true, format) }
    }

    func test_FET_19_malformedLists() {
        let mistakes: [(String, String)] = [
            ("age IN {", "found"), ("age IN {1", "',' or '}'"), ("age IN {1,", "found"), ("age IN {1,}", "found"), ("age IN {,}", "found"),
            ("age IN {1 2}", "',' or '}'"),
            ("age IN }", "found"), ("age IN {1}}", "found"), ("age IN {{1}", "',' or '}'"),
            ("age IN {{1}}", "a list cannot contain a list"),
            ("age IN 1", "IN needs a list"),
            ("age IN nil", "IN needs a list"), ("age IN name", "IN needs a list"), ("age == {1}", "follow IN or BETWEEN"),
            ("{1} == age", "on the left"),
            ("{1} IN {1}", "on the left"), ("age BETWEEN {1}", "this one has 1 (character 13"), ("age BETWEEN {1, 2, 3}", "this one has 3"),
            ("age BETWEEN 1", "BETWEEN needs"),
            ("age BETWEEN {{1}, 2}", "a list cannot contain a list"), ("name CONTAINS {'a'}", "follow IN or BETWEEN"),
        ]
        for (format, part) in mistakes { assertBad(format, says: part) }
    }

    func test_FET_19_malformedOptionsAndFunctions() {
        let mistakes: [(String, String)] = [
            ("name ==[] 'x'", "c, d, cd, n or l"), ("name ==[x] 'x'", "'x' is not an option"), ("name ==[cx] 'x'", "'x' is not an option"),
            ("name ==[c 'x'", "']'"), ("name LIKE[l] 'x'", "LIKE does not support it"),
            ("name CONTAINS[l] 'x'", "CONTAINS does not support it"),
            ("age ==[l] 3", "only for strings"),
            ("name ==[1] 'x'", "c, d, cd, n or l"), ("name MATCHES '('", "of MATCHES is invalid"),
            ("name MATCHES nick", "must be a constant"), ("age ==[c] 3", "only for strings"),
            ("age IN[c] {3}", "only for strings"),
            ("boss ==[c] nil", "only for strings"), ("upper(name) == 'X'", "Unknown function upper"),
            ("uppercase(age) == 'X'", "takes a string, not a number"),
            ("CAST(1) == age", "','"),
            ("age == CAST(1, NSDate)", "type in quotes"), ("age == CAST('x', 'NSFoo')", "CAST does not support the type"),
            ("born == CAST('x', 'NSDate')", "CAST to NSDate needs seconds"),
            ("key == CAST('x', 'NSUUID')", "CAST to NSUUID"), ("photo == CAST('abc', 'NSData')", "pairs of hexadecimal"),
            ("photo == CAST('zz', 'NSData')", "pairs of hexadecimal"),
            ("wealth == CAST('1,5', 'NSDecimalNumber')", "38 digits"), ("age == CAST(name, 'NSDate')", "cannot be compared with a date"),
            ("age == CAST(name, 'NSUUID')", "needs a string"),
            ("age == CAST(1, 'NSDate'", "')'"),
            ("boss == CAST('http://x', 'NSManagedObjectID')", "not the URI of an object ID"),
        ]
        for (format, part) in mistakes { assertBad(format, says: part) }
    }

    func test_FET_19_invalidArguments() {
        assertBad("name == %@", says: "'%@' has no argument: 0 arguments were given")
        assertBad("name == %@ AND age == %d", ["x"], says: "'%d' has no argument: 1 argument was given")
        assertBad("name == 'x'", ["x"], says: "1 argument was given, but the predicate uses 0")
        assertBad("name == %@", ["x", "y"], says: "but the predicate uses 1")
        assertBad("name == '%@'", ["x"], says: "but the predicate uses 0")
        assertBad("age == %d", ["3"], says: "must be a number")
        assertBad("age == %f", [Value.null], says: "must be a number")
        assertBad("%K == 1", [1], says: "key path as a string")
        assertBad("%K == 1", [""], says: "is not a key path")
        assertBad("%K == 1", ["a..b"], says: "is not a key path")
        for format in ["age == %", "age == %z", "age == %l", "age == % d", "age == %llld", "age == %s"] {
            assertBad(format, [1], says: "followed by one of @ K")
        }
        assertBad("age == %1@", [1], says: "followed by '$'")
        assertBad("age == %0$@", [1], says: "counts from 1")
        assertBad("age == %99999999999999999999$@", [1], says: "counts from 1")
        assertBad("age == %2$@", [1], says: "'%2$@' has no argument: 1 argument was given")
        assertBad("age == %1$@", [1, 2], says: "2 arguments were given, but the predicate uses 1")
        assertBad("age == %%", says: "'%%' was found where")
    }

    func test_FET_19_unknownKeyErrorsNameEntityKeyAndPosition() throws {
        for (format, parts) in [
            ("nam == 'x'", ["Person", "\"nam\""]), ("boss.nam == 'x'", ["Person", "\"nam\"", "Key 2 of 'boss.nam'"]),
            ("ANY cars.name == 'x'", ["Car", "\"name\"", "Key 2"]), ("hours > 1", ["Person", "\"hours\""]),
            ("cats.@count == 1", ["\"cats\""]),
            ("name.length == 1", ["continues after Person.name"]), ("'x' IN {nick, nam}", ["\"nam\""]), ("#SELF == nil", ["\"SELF\""]),
            ("NAME == 'x'", ["\"NAME\""]),
        ] {
            let error = try XCTUnwrap(error(format))
            XCTAssertTrue(error.hasCode(.unknownKey), "\(format): \(error)")
            for part in parts { XCTAssertTrue(error.message.contains(part), "\(format): \(error.message)") }
        }
        XCTAssertEqual(error("boss == CAST('x-coredata://A/Nobody/p1', 'NSManagedObjectID')")?.hasCode(.unknownEntity), true)
    }

    func test_FET_19_impossibleComparisons() throws {
        let boat = TestObject(try XCTUnwrap(model.entity(named: "Boat"))).evaluableID
        for (format, part) in [
            ("name < 3", "a string cannot be compared with a number"), ("age == 'x'", "a number cannot be compared with a string"),
            ("age == name", "a number cannot be compared with a string"),
            ("born > 3", "a date cannot be compared with a number"), ("key == 'x'", "a UUID cannot be compared with a string"),
            ("boss == 1", "an object cannot be compared with a number"),
            ("boss == 'x'", "an object cannot be compared with a string"), ("boss == name", "an object cannot be compared"),
            ("age IN {1, 'x'}", "a number cannot be compared with a string"),
            ("age BETWEEN {1, 'x'}", "a number cannot be compared with a string"),
            ("1 == 'x'", "a number cannot be compared with a string"),
            ("age CONTAINS '1'", "CONTAINS compares strings, not a number"),
            ("name LIKE 3", "LIKE compares strings"), ("born BEGINSWITH '2'", "BEGINSWITH compares strings"),
            ("boss ENDSWITH 'x'", "ENDSWITH compares strings"), ("boss < SELF", "has no order"),
            ("boss < nil", "has no order"), ("key < CAST('6F9619FF-8B86-D011-B42D-00C04FC964FF', 'NSUUID')", "a UUID has no order"),
            ("photo >= nil", "binary data has no order"),
            ("cars.@count == 'x'", "a number cannot be compared"), ("fullName == 'x'", "transient"), ("boss.fullName == 'x'", "transient"),
            ("name == $NAME", "has no value"),
            ("name IN {$NAME}", "has no value"),
        ] { assertBad(format, says: part) }
        assertBad("boss == %@", [boat], says: "an object of entity Person is never an object of entity Boat")
        assertBad("SELF == %@", [boat], says: "Boat")
    }

    func test_FET_19_toManyRelationshipsNeedAModifier() {
        for (format, part) in [
            ("cars.wheels == 1", "needs ANY, ALL or NONE"), ("cars == nil", "needs ANY, ALL or NONE"),
            ("boss.staff.name == 'x'", "needs ANY, ALL or NONE"),
            ("cars.wheels IN {1}", "needs ANY, ALL or NONE"), ("ANY name == 'x'", "ANY needs a key path over a to-many"),
            ("ALL boss.age == 1", "ALL needs"),
            ("NONE 1 == 1", "NONE needs"), ("ANY cars.parts.@count > 1", "only a to-many relationship"),
            ("boss.@count == 1", "cannot be counted"), ("name.@count == 1", "exactly one to-many relationship"),
            ("ANY cars == cars", "only one side"), ("ANY cars.@count == 1", "ANY needs"),
            ("'x' LIKE cars.plate", "only be on the left of LIKE"),
            ("ANY cars.wheels IN {1, age}", "only values"),
        ] {
            guard let error = error(format) else { continue }
            XCTAssertTrue(error.hasCode(.badPredicate) || error.hasCode(.unknownKey), format)
            XCTAssertTrue(error.message.contains(part), "\(format): \(error.message)")
        }
    }

    func test_FET_19_invalidSortKeys() throws {
        func error(_ descriptor: PinviewSortDescriptor) throws -> PinviewError {
            do {
                _ = try descriptor.resolved(for: person, in: model)
            } catch { return error }
            throw PinviewError(.badPredicate, "no error for \(descriptor.keyPath)")
        }
        for key in ["nam", "boss.nam", "", ".", "name.x", "SELF", "cars.@count"] {
            XCTAssertTrue(try error(PinviewSortDescriptor(keyPath: key)).hasCode(.unknownKey), key)
        }
        for key in ["boss", "cars", "cars.wheels", "fullName"] {
            XCTAssertTrue(try error(PinviewSortDescriptor(keyPath: key)).hasCode(.invalidArgument), key)
        }
        XCTAssertTrue(try error(PinviewSortDescriptor(keyPath: "age", comparator: .caseInsensitive)).message.contains("integer64"))
    }

    func test_FET_19_randomTextsNeverCrash() {
        var generator = SeededGenerator.announced(name)
        let pieces = [
            "name", "age", "boss", "cars", ".", "@count", "==", "<", "!", "NOT", "AND", "OR", "(", ")", "{", "}", "[", "]", "[c]", ",",
            "'x'", "'", "\"", "1", "1.5", "-", "nil", "%@",
            "%K", "%d", "%", "$X", "#", "\\", "IN", "BETWEEN", "LIKE", "ANY", "SELF", "CAST(", "é", "\u{301}", "\0", "e", "0x", " ",
        ]
        for _ in 0..<20_000 {
            let format = (0..<Int.random(in: 1...12, using: &generator)).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined(
                separator: Bool.random(using: &generator) ? " " : "")
            do throws(PinviewError) {
                let predicate = try PinviewPredicate(format: format, arguments: ["name"])
                _ = try? predicate.resolved(for: person, in: model)
                XCTAssertEqual(try? PinviewPredicate(format: predicate.description), predicate, format)
            } catch {
                XCTAssertTrue(error.hasCode(.badPredicate), "\(format): \(error)")
            }
        }
    }

    /// No store has a transient relationship, whatever a key path reads at its end.
    func test_FET_19_transientRelationshipsCannotBeSearchedInAnyWay() throws {
        let transient = try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Person",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string),
                    AttributeDescription(name: "age", attributeType: .integer64),
                ],
                relationships: [
                    RelationshipDescription(
                        name: "friend", destinationEntityName: "Person", inverseRelationshipName: "friends", isTransient: true),
                    RelationshipDescription(
                        name: "friends", destinationEntityName: "Person", inverseRelationshipName: "friend", isToMany: true,
                        isTransient: true),
                ])
        ])
        let entity = try XCTUnwrap(transient.entity(named: "Person"))
        let formats = [
            "friend == nil", "friend.name == 'x'", "friend.objectID == nil", "friend.entity == 'Person'", "friend.entity.name == 'Person'",
            "friend.friend.entity.name == 'Person'", "ANY friends.name == 'x'", "friends.@count == 0", "friends.@sum.age == 0",
            "ANY friends.entity.name == 'Person'", "friend.friends.@count == 0", "SUBQUERY(friends, $f, $f.age > 1).@count > 0",
        ]
        for format in formats {
            let predicate = try PinviewPredicate(format: format)
            XCTAssertThrowsError(try predicate.resolved(for: entity, in: transient), format) { error in
                XCTAssertEqual((error as? PinviewError)?.hasCode(.badPredicate), true, "\(format): \(error)")
                XCTAssertTrue("\(error)".contains("is transient"), "\(format): \(error)")
            }
        }
    }
}
