import Pinview
import XCTest

/// Uniqueness conflicts of a save: UNQ-01 to UNQ-08 and UNQ-10.
final class UniquenessTests: UniquenessTestCase {
    // MARK: The error policy

    func test_UNQ_01_aConflictNamesTheRowOfTheStoreAndTheObject() throws {
        let stored = try store(["mail": "a@b", "name": "old"])[0]
        let new = try insert(["mail": "a@b", "name": "new"])
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
        XCTAssertEqual(error.code, 133021)
        let conflict = try XCTUnwrap(error.constraintConflicts.first)
        XCTAssertEqual(error.constraintConflicts.count, 1)
        XCTAssertEqual(conflict.entityName, "Person")
        XCTAssertEqual(conflict.constraint, ["mail"])
        XCTAssertEqual(conflict.constraintValues, ["mail": "a@b"])
        XCTAssertEqual(conflict.databaseObjectID, stored)
        XCTAssertEqual(conflict.databaseSnapshot?["name"], "old")
        XCTAssertEqual(conflict.conflictingObjectIDs, [new.objectID])
        XCTAssertEqual(conflict.conflictingSnapshots.first?["name"], "new")
        XCTAssertEqual(error.affectedObjectIDs, [new.objectID])
        XCTAssertEqual(error.conflicts.count, 0)
        XCTAssertTrue(
            error.message.contains("a@b") && error.message.contains("mail") && error.message.contains("in the store"), error.message)
        guard case .constraintConflicts = error.userInfo[PinviewError.NSPersistentStoreSaveConflictsErrorKey] else {
            return XCTFail("userInfo has no conflicts")
        }
        XCTAssertEqual(context.insertedObjects, [new])
        XCTAssertEqual(try storedPeople(), "a@b||old|0")
        try new.setValue("c@d", forKey: "mail")
        try context.save()
        XCTAssertEqual(try storedPeople(), "a@b||old|0\nc@d||new|0")
    }

    func test_UNQ_01_allConflictsOfTheSaveAreFound() throws {
        try store(["mail": "a"], ["mail": "b"], ["phone": 7])
        try insert(["mail": "a", "phone": 7])
        try insert(["mail": "b"])
        try insert(["mail": "c"])
        try insert(["mail": "c"])
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
        XCTAssertEqual(error.constraintConflicts.map(\.constraint), [["mail"], ["mail"], ["mail"], ["phone"]])
        XCTAssertEqual(error.constraintConflicts.map { $0.databaseObjectID == nil }, [false, false, true, false])
        XCTAssertEqual(error.affectedObjectIDs.count, 4)
        XCTAssertTrue(error.message.contains("3 more"), error.message)
    }

    func test_UNQ_05_twoOffendersOfOneContextHaveNoDatabaseObject() throws {
        let first = try insert(["mail": "a"]), second = try insert(["mail": "a"])
        let conflict = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save())?.constraintConflicts.first)
        XCTAssertNil(conflict.databaseObjectID)
        XCTAssertNil(conflict.databaseSnapshot)
        XCTAssertEqual(conflict.conflictingObjectIDs, [first.objectID, second.objectID])
        XCTAssertEqual(context.insertedObjects, [first, second])
    }

    // MARK: The other policies

    /// What the row is after a save of a new person with that mail address.
    private func saved(_ policy: MergePolicy) throws -> String {
        context.mergePolicy = policy
        try store(["mail": "a", "name": "old", "age": 30])
        let new = try insert(["mail": "a", "name": "new", "phone": 5])
        try context.save()
        XCTAssertFalse(context.hasChanges)
        XCTAssertEqual(try new.string("mail"), "a", "the new object became the row's")
        XCTAssertFalse(new.objectID.isTemporaryID)
        XCTAssertTrue(new.objectID.uriRepresentation.hasSuffix("p1"), new.objectID.uriRepresentation)
        XCTAssertEqual("\(try new.string("name") ?? "")|\(try new.integer("age") ?? 0)", try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON"))
        return try storedPeople()
    }

    func test_UNQ_02_objectTrumpWritesTheValuesThatWereSet() throws {
        XCTAssertEqual(try saved(.mergeByPropertyObjectTrump), "a|5|new|30")
    }

    func test_UNQ_03_storeTrumpFillsWhatTheRowLacks() throws {
        XCTAssertEqual(try saved(.mergeByPropertyStoreTrump), "a|5|old|30")
    }

    func test_UNQ_04_overwriteWritesTheWholeObject() throws { XCTAssertEqual(try saved(.overwrite), "a|5|new|0") }

    func test_UNQ_04_rollbackKeepsTheRow() throws { XCTAssertEqual(try saved(.rollback), "a||old|30") }

    func test_UNQ_02_aValueThatIsTheDefaultCountsAsSetIfItWasSet() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        try store(["mail": "a", "age": 30])
        try insert(["mail": "a", "age": 0])
        try context.save()
        XCTAssertEqual(try storedPeople(), "a|||0")
    }

    func test_UNQ_02_anObjectThatTheContextHasForTheRowStays() throws {
        for policy in Self.policies {
            let stored = try store(["mail": .string("\(policy.rawValue)"), "name": "old"])[0]
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let known = try context.existingObject(with: stored)
            let new = try insert(["mail": .string("\(policy.rawValue)"), "age": 9], in: context)
            let car = try insert("Car", ["plate": "x"], in: context)
            try car.setRelatedObject(new, forKey: "owner")
            try context.save()
            XCTAssertTrue(try car.relatedObject(forKey: "owner") === known, "\(policy)")
            XCTAssertEqual(try known.relatedObjects(forKey: "cars"), [car], "\(policy)")
            XCTAssertFalse(context.registeredObjects.contains(new))
            XCTAssertEqual(try known.integer("age"), policy == .mergeByPropertyObjectTrump || policy == .overwrite ? 9 : 0, "\(policy)")
            XCTAssertFalse(context.hasChanges)
            try known.setValue("again", forKey: "name")
            try context.save()
        }
    }

    func test_UNQ_02_everyReferenceLeadsToTheRow() throws {
        for policy in Self.policies {
            let mail = "m\(policy.rawValue)"
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let storedPerson = try insert(["mail": .string(mail)], in: other)
            let oldCar = try insert("Car", ["plate": "old"], in: other), oldTag = try insert("Tag", ["name": "old"], in: other)
            try oldCar.setRelatedObject(storedPerson, forKey: "owner")
            try oldTag.setRelatedObjects([storedPerson], forKey: "people")
            try other.save()
            let new = try insert(["mail": .string(mail)], in: context)
            let city = try insert("City", ["name": "Rome"], in: context), tag = try insert("Tag", ["name": "new"], in: context)
            let car = try insert("Car", ["plate": "new"], in: context), passport = try insert("Passport", ["name": "p"], in: context)
            try new.setRelatedObject(city, forKey: "home")
            try new.setRelatedObject(passport, forKey: "passport")
            try car.setRelatedObject(new, forKey: "owner")
            try tag.setRelatedObjects([new], forKey: "people")
            try context.save()
            let person = try XCTUnwrap(try context.fetch(FetchRequest("Person", "mail == %@", mail)).first)
            XCTAssertTrue(person === new)
            XCTAssertEqual(try person.relatedObjects(forKey: "cars").count, 2, "\(policy)")
            XCTAssertEqual(try person.relatedObjects(forKey: "tags").count, 2, "\(policy)")
            XCTAssertTrue(try car.relatedObject(forKey: "owner") === person)
            let isTaken = policy != .rollback
            XCTAssertTrue(try person.relatedObject(forKey: "home") === (isTaken ? city : nil), "\(policy)")
            XCTAssertEqual(try city.relatedObjects(forKey: "people"), isTaken ? [person] : [], "\(policy)")
            XCTAssertTrue(try passport.relatedObject(forKey: "holder") === (isTaken ? person : nil), "\(policy)")
            XCTAssertTrue(try person.relatedObject(forKey: "passport") === (isTaken ? passport : nil), "\(policy)")
            let fresh = try makeContext(coordinator)
            let again = try fresh.existingObject(with: person.objectID)
            XCTAssertEqual(try again.relatedObjects(forKey: "cars").count, 2)
            XCTAssertEqual(try again.relatedObject(forKey: "passport")?.string("name"), isTaken ? "p" : nil, "\(policy)")
        }
    }

    func test_UNQ_02_aOneToOneRelationshipHasOnePartner() throws {
        for policy in Self.policies {
            let mail = "m\(policy.rawValue)"
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let storedPerson = try insert(["mail": .string(mail)], in: other)
            let old = try insert("Passport", ["name": "old"], in: other)
            try old.setRelatedObject(storedPerson, forKey: "holder")
            try other.save()
            let known = try context.existingObject(with: old.objectID)
            let new = try insert(["mail": .string(mail)], in: context)
            let passport = try insert("Passport", ["name": "new"], in: context)
            try new.setRelatedObject(passport, forKey: "passport")
            try context.save()
            let keepsOld = policy == .mergeByPropertyStoreTrump || policy == .rollback
            XCTAssertEqual(try new.relatedObject(forKey: "passport")?.string("name"), keepsOld ? "old" : "new", "\(policy)")
            XCTAssertTrue(try known.relatedObject(forKey: "holder") === (keepsOld ? new : nil), "\(policy)")
            XCTAssertTrue(try passport.relatedObject(forKey: "holder") === (keepsOld ? nil : new), "\(policy)")
            XCTAssertEqual(
                try sqlite3("SELECT count(*) FROM ZPASSPORT JOIN ZPERSON ON ZHOLDER = ZPERSON.Z_PK WHERE ZMAIL = '\(mail)'"), "1")
            try known.setValue("touched", forKey: "name")
            try context.save()
        }
    }

    func test_UNQ_05_theObjectChangedLastIsMemory() throws {
        let expected: [(MergePolicy, String)] = [
            (.mergeByPropertyObjectTrump, "|2|last|30"), (.mergeByPropertyStoreTrump, "|2|first|30"), (.overwrite, "|2|last|0"),
            (.rollback, "||first|30"),
        ]
        for (policy, row) in expected {
            let mail = "m\(policy.rawValue)"
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let first = try insert(["mail": .string(mail), "name": "first", "age": 30], in: context)
            let last = try insert(["mail": .string(mail), "name": "last", "phone": .integer(2)], in: context)
            let car = try insert("Car", ["plate": "x"], in: context)
            try car.setRelatedObject(last, forKey: "owner")
            try context.save()
            XCTAssertEqual(try sqlite3("SELECT ZMAIL, ZPHONE, ZNAME, ZAGE FROM ZPERSON WHERE ZMAIL = '\(mail)'"), mail + row)
            XCTAssertTrue(try car.relatedObject(forKey: "owner") === first, "\(policy)")
            XCTAssertFalse(context.registeredObjects.contains(last))
            try sqlite3("DELETE FROM ZPERSON")
        }
    }

    /// Changed last, not inserted or first changed last.
    func test_UNQ_05_aLaterChangeDecides() throws {
        let orders: [(String, [String: Value], (ManagedObject, ManagedObject) throws -> Void)] = [
            ("an attribute", ["name": "first"], { first, _ in try first.setAttributeValue("first", forKey: "name") }),
            (
                "back and forth", ["name": "last"],
                { first, last in
                    try first.setAttributeValue("1", forKey: "name")
                    try last.setAttributeValue("last", forKey: "name")
                }
            ),
            (
                "a relationship", ["name": "1"],
                { first, _ in
                    let city = try XCTUnwrap(first.managedObjectContext).insertNewObject(forEntityName: "City")
                    try first.setRelatedObject(city, forKey: "home")
                }
            ),
        ]
        for isStored in [false, true] {
            for (label, expected, change) in orders {
                let context = try makeContext(coordinator)
                let first = try insert(["name": "1"], in: context), last = try insert(["name": "2"], in: context)
                if isStored { try context.save() }
                context.mergePolicy = .mergeByPropertyObjectTrump
                for (person, name) in [(first, "1"), (last, "2")] {
                    try person.setAttributeValue("m", forKey: "mail")
                    try person.setAttributeValue(.string(name + "!"), forKey: "name")
                    try person.setAttributeValue(.string(name), forKey: "name")
                }
                // What was set back to the stored value is not set.
                for (person, age) in [(first, 1), (last, 2)] { try person.setAttributeValue(.integer(Int64(age)), forKey: "age") }
                try change(first, last)
                try context.save()
                let isFirst = label != "back and forth"
                XCTAssertEqual(
                    try sqlite3("SELECT ZAGE, ZMAIL FROM ZPERSON"), "\(isFirst ? 1 : 2)|m", "\(label), stored: \(isStored)")
                if !isStored { XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON"), expected["name"]?.stringValue, label) }
                try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCITY")
            }
        }
    }

    func test_UNQ_10_theOrderOfAChildsChangesDecidesInTheRoot() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        context.mergePolicy = .mergeByPropertyObjectTrump
        let first = try insert(["mail": "m", "name": "first"], in: child)
        try insert(["mail": "m", "name": "last"], in: child)
        try first.setAttributeValue("changed last", forKey: "name")
        try child.save()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME FROM ZPERSON"), "changed last")
    }

    // MARK: Updates

    func test_UNQ_06_anUpdateThatRunsIntoAnotherRow() throws {
        for policy in Self.policies {
            let identifiers = try store(["mail": "keeps", "name": "k"], ["mail": "moves", "name": "m", "phone": 4])
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            let moving = try context.existingObject(with: identifiers[1])
            let car = try insert("Car", ["plate": "x"], in: other)
            try car.setRelatedObject(try other.existingObject(with: identifiers[1]), forKey: "owner")
            try other.save()
            try moving.setValue("keeps", forKey: "mail")
            try moving.setValue(50, forKey: "age")
            try context.save()
            let owner = try sqlite3("SELECT ZMAIL FROM ZPERSON JOIN ZCAR ON ZOWNER = ZPERSON.Z_PK")
            switch policy {
            case .mergeByPropertyObjectTrump:
                XCTAssertEqual(try storedPeople(), "keeps||k|50")
                XCTAssertEqual(owner, "keeps")
                XCTAssertFalse(context.registeredObjects.contains(moving))
            case .overwrite:
                XCTAssertEqual(try storedPeople(), "keeps|4|m|50")
                XCTAssertEqual(owner, "keeps")
            case .mergeByPropertyStoreTrump:
                XCTAssertEqual(try storedPeople(), "keeps||k|0\nmoves|4|m|50")
                XCTAssertEqual(try moving.string("mail"), "moves")
                XCTAssertEqual(owner, "moves")
            default:
                XCTAssertEqual(try storedPeople(), "keeps||k|0\nmoves|4|m|0")
                XCTAssertEqual(try moving.integer("age"), 0)
            }
            try other.reset()
            try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCAR")
        }
    }

    func test_UNQ_06_valuesAreSwappedAndRotated() throws {
        try store(["mail": "a", "name": "1"], ["mail": "b", "name": "2"], ["mail": "c", "name": "3"])
        let people = try ["a", "b", "c"].map { try XCTUnwrap(try context.fetch(FetchRequest("Person", "mail == %@", $0)).first) }
        try people[0].setValue("b", forKey: "mail")
        try people[1].setValue("c", forKey: "mail")
        try people[2].setValue("a", forKey: "mail")
        try context.save()
        XCTAssertEqual(try storedPeople(), "b||1|0\nc||2|0\na||3|0")
        try people[0].setValue("c", forKey: "mail")
        try people[1].setValue("b", forKey: "mail")
        try context.save()
        XCTAssertEqual(try storedPeople(), "c||1|0\nb||2|0\na||3|0")
        XCTAssertEqual(try sqlite3("SELECT Z_OPT FROM ZPERSON ORDER BY Z_PK"), "3\n3\n2")
    }

    func test_UNQ_06_aDeletionOrAnUpdateMakesRoomForAnInsertion() throws {
        try store(["mail": "a", "name": "deleted"], ["mail": "b", "name": "moved"])
        try context.delete(try context.person("deleted"))
        try context.person("moved").setValue("c", forKey: "mail")
        try insert(["mail": "a", "name": "new a"])
        try insert(["mail": "b", "name": "new b"])
        try context.save()
        XCTAssertEqual(try storedPeople(), "c||moved|0\na||new a|0\nb||new b|0")
    }

    // MARK: Kinds of constraints

    func test_UNQ_07_severalPropertiesAndInheritedOnes() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        try insert("Employee", ["name": "x", "number": 1, "age": 1])
        try insert("Employee", ["name": "x", "number": 2])
        try insert(["name": "x"])
        try context.save()
        try insert("Employee", ["name": "x", "number": 1, "age": 5])
        try insert("Employee", ["name": "x"])
        try insert("Employee", ["name": "x"])
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZNUMBER, ZAGE FROM ZPERSON ORDER BY Z_PK"), "x|1|5\nx|2|0\nx||0\nx||0\nx||0")
    }

    func test_UNQ_07_anEmployeeMeetsAPerson() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let person = try store(["mail": "a", "name": "p"])[0]
        let employee = try insert("Employee", ["mail": "a", "number": 3, "age": 4])
        let car = try insert("Car", ["plate": "x"])
        try car.setRelatedObject(employee, forKey: "owner")
        try context.save()
        XCTAssertEqual(try storedPeople(), "a||p|4")
        XCTAssertEqual(try car.relatedObject(forKey: "owner")?.objectID, person)
        XCTAssertFalse(context.registeredObjects.contains(employee))
    }

    func test_UNQ_07_aConstraintOnARelationshipFollowsTheMerge() throws {
        for round in 1...3 {
            let context = try makeContext(coordinator)
            context.mergePolicy = .mergeByPropertyObjectTrump
            let owner = try insert(["mail": "a"], in: context)
            for plate in ["x", "y"] {
                let car = try insert("Car", ["plate": .string(plate), "colour": .string("\(round)")], in: context)
                try car.setRelatedObject(owner, forKey: "owner")
            }
            try context.save()
            XCTAssertEqual(try owner.relatedObjects(forKey: "cars").count, 2)
        }
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON; SELECT ZPLATE, ZCOLOUR FROM ZCAR ORDER BY 1"), "1\nx|3\ny|3")
    }

    /// Two people of the store become one; each has a car with the plate x.
    private func uniteOwners(_ policy: MergePolicy) throws -> ManagedObjectContext {
        let identifiers = try store(["mail": "keeps"], ["mail": "moves"])
        let writer = try makeContext(coordinator)
        for (number, identifier) in identifiers.enumerated() {
            for plate in number == 0 ? ["x"] : ["x", "y"] {
                let car = try insert("Car", ["plate": .string(plate), "colour": .string("\(number)")], in: writer)
                try car.setRelatedObject(try writer.existingObject(with: identifier), forKey: "owner")
            }
        }
        try writer.save()
        let context = try makeContext(coordinator)
        context.mergePolicy = policy
        try context.existingObject(with: identifiers[1]).setAttributeValue("keeps", forKey: "mail")
        return context
    }

    func test_UNQ_07_rowsThatFollowAMergeCollideLikeOthers() throws {
        for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            let context = try uniteOwners(policy)
            let cars = Array(try context.fetch(FetchRequest("Car")))
            for car in cars { _ = try car.attributeValue(forKey: "colour") }
            try context.save()
            XCTAssertEqual(
                try sqlite3("SELECT ZPLATE, ZCOLOUR, count(ZOWNER), count(DISTINCT ZOWNER) FROM ZCAR GROUP BY 1 ORDER BY 1"),
                "x|0|1|1\ny|1|1|1",
                "\(policy)")
            let owner = try XCTUnwrap(try context.fetch(FetchRequest("Person")).first)
            XCTAssertEqual(try owner.relatedObjects(forKey: "cars").count, 2)
            XCTAssertEqual(cars.filter { context.registeredObjects.contains($0) }.count, 2)
            try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCAR")
        }
    }

    func test_UNQ_08_aPolicyIsAskedAboutRowsThatFollowAMerge() throws {
        let asked = Log()
        let context = try uniteOwners(
            .custom { conflicts in
                conflicts.map { conflict in
                    asked.add(conflict.constraint?.entityName ?? "none")
                    return conflict.constraint?.entityName == "Car"
                        ? .values(["plate": "z"]) : .policy(.mergeByPropertyObjectTrump)
                }
            })
        try context.save()
        XCTAssertEqual(asked.entries, ["Person", "Car"])
        XCTAssertEqual(try sqlite3("SELECT ZPLATE, ZCOLOUR FROM ZCAR ORDER BY 1"), "x|0\ny|1\nz|1")
        try sqlite3("DELETE FROM ZPERSON; DELETE FROM ZCAR")
        let refusing = try uniteOwners(
            .custom { conflicts in
                conflicts.map { .policy($0.constraint?.entityName == "Car" ? .error : .mergeByPropertyObjectTrump) }
            })
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try refusing.save()))
        XCTAssertEqual(error.constraintConflicts.map(\.entityName), ["Car"])
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZCAR"), "3")
    }

    func test_UNQ_07_textComparesByItsBytes() throws {
        try store(["mail": "\u{e9}"])
        try insert(["mail": "e\u{301}"])
        try insert(["mail": "\u{c9}"])
        XCTAssertNoThrow(try context.save())
        try insert(["mail": "e\u{301}"])
        assertError(.managedObjectConstraintMerge, try context.save())
    }

    func test_UNQ_07_nullsDoNotCollide() throws {
        try insert(["name": "x"])
        try insert(["name": "y"])
        XCTAssertNoThrow(try context.save())
    }

    // MARK: Two constraints

    func test_twoConstraintsThatNameTwoRowsAreAnErrorUnlessTheStoreWins() throws {
        for policy in Self.policies {
            try store(["mail": "a", "name": "A"], ["phone": 1, "name": "B"])
            let context = try makeContext(coordinator)
            context.mergePolicy = policy
            try insert(["mail": "a", "phone": 1, "name": "new"], in: context)
            if policy == .mergeByPropertyObjectTrump || policy == .overwrite {
                let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
                XCTAssertFalse(error.constraintConflicts.isEmpty)
                XCTAssertEqual(context.insertedObjects.count, 1)
            } else {
                try context.save()
            }
            XCTAssertEqual(try storedPeople(), "a||A|0\n|1|B|0", "\(policy)")
            try sqlite3("DELETE FROM ZPERSON")
        }
    }

    // MARK: The program's policy

    func test_UNQ_08_aCustomPolicySettlesConflicts() throws {
        let stored = try store(["mail": "a", "name": "old", "age": 30])[0]
        let seen = Seen()
        context.mergePolicy = .custom { conflicts in
            seen.conflicts += conflicts
            return conflicts.map { conflict in .values(["name": .string("\(conflict.theirs?["name"]?.stringValue ?? "")+")]) }
        }
        let new = try insert(["mail": "a", "name": "new"])
        try context.save()
        XCTAssertEqual(seen.conflicts.count, 1)
        XCTAssertEqual(seen.conflicts.first?.constraint?.databaseObjectID, stored)
        XCTAssertEqual(seen.conflicts.first?.constraint?.constraint, ["mail"])
        XCTAssertEqual(seen.conflicts.first?.mine["name"], "new")
        XCTAssertEqual(seen.conflicts.first?.theirs?["age"], 30)
        XCTAssertEqual(try storedPeople(), "a||old+|30")
        XCTAssertEqual(try new.string("name"), "old+")
        XCTAssertEqual(new.objectID, stored)
    }

    func test_UNQ_08_anotherValueKeepsTheObjectApart() throws {
        try store(["mail": "a", "name": "old"])
        context.mergePolicy = .custom { conflicts in
            conflicts.map { .values(["mail": .string(($0.mine["mail"]?.stringValue ?? "") + "'")]) }
        }
        let objects = try (0..<3).map { try insert(["mail": "a", "age": .integer(Int64($0))]) }
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZMAIL FROM ZPERSON ORDER BY 1"), "a\na'\na''\na'''")
        XCTAssertEqual(Set(try objects.map { try $0.string("mail") }), ["a'", "a''", "a'''"])
    }

    func test_UNQ_08_conflictsLeftUnresolvedFailTheSave() throws {
        try store(["mail": "a"], ["mail": "b"])
        context.mergePolicy = .custom { conflicts in
            conflicts.map { .policy($0.mine["mail"] == "a" ? .mergeByPropertyObjectTrump : .error) }
        }
        try insert(["mail": "a"])
        let left = try insert(["mail": "b"])
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
        XCTAssertEqual(error.constraintConflicts.map(\.conflictingObjectIDs), [[left.objectID]])
        XCTAssertEqual(context.insertedObjects.count, 2)
        XCTAssertEqual(try storedPeople(), "a|||0\nb|||0")
    }

    // MARK: Together with other features

    func test_aVersionConflictAndAUniquenessConflictInOneSave() throws {
        let identifiers = try store(["mail": "a", "name": "A"], ["mail": "b", "name": "B"])
        context.mergePolicy = .mergeByPropertyObjectTrump
        let mine = try context.existingObject(with: identifiers[0])
        try mine.setValue("mine", forKey: "name")
        try insert(["mail": "b", "age": 7])
        let theirs = try other.existingObject(with: identifiers[0])
        try theirs.setValue(99, forKey: "age")
        try other.save()
        try context.save()
        XCTAssertEqual(try storedPeople(), "a||mine|99\nb||B|7")
        XCTAssertEqual(try mine.integer("age"), 99)
        context.mergePolicy = .error
        try mine.setValue("more", forKey: "name")
        try insert(["mail": "b"])
        try theirs.setValue(100, forKey: "age")
        other.mergePolicy = .overwrite
        try other.save()
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
        XCTAssertEqual([error.conflicts.count, error.constraintConflicts.count], [1, 1])
    }

    func test_UNQ_10_theRootReportsItsOwnObjects() throws {
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let inRoot = try insert(["mail": "a"])
        let inChild = try insert(["mail": "a"], in: child)
        try child.save()
        let error = try XCTUnwrap(assertError(.managedObjectConstraintMerge, try context.save()))
        let conflict = try XCTUnwrap(error.constraintConflicts.first)
        XCTAssertEqual(conflict.conflictingObjectIDs.count, 2)
        XCTAssertEqual(Set(conflict.conflictingObjectIDs), Set(context.insertedObjects.map(\.objectID)))
        context.mergePolicy = .mergeByPropertyObjectTrump
        try context.save()
        XCTAssertEqual(try storedPeople(), "a|||0")
        let car = try insert("Car", ["plate": "x"], in: child)
        let person = try XCTUnwrap(try child.fetch(FetchRequest("Person")).first)
        XCTAssertTrue(person === inChild)
        XCTAssertEqual(person.objectID, inRoot.objectID)
        try car.setRelatedObject(person, forKey: "owner")
        try child.save()
        try context.save()
        XCTAssertEqual(try sqlite3("SELECT ZMAIL FROM ZPERSON JOIN ZCAR ON ZOWNER = ZPERSON.Z_PK"), "a")
    }

    func test_UNQ_10_aChildThatHasBothObjectsKeepsOne() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let stored = try store(["mail": "a", "name": "old"])[0]
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(context)
        let known = try child.existingObject(with: stored)
        let new = try insert(["mail": "a", "age": 3], in: child)
        let car = try insert("Car", ["plate": "x"], in: child)
        try car.setRelatedObject(new, forKey: "owner")
        try child.save()
        try context.save()
        let people = Array(try child.fetch(FetchRequest("Person")))
        XCTAssertEqual(people, [known])
        XCTAssertTrue(people.first === known)
        try child.refresh(known, mergeChanges: false)
        try child.refresh(car, mergeChanges: false)
        XCTAssertTrue(try car.relatedObject(forKey: "owner") === known)
        XCTAssertEqual(try known.relatedObjects(forKey: "cars"), [car])
        XCTAssertEqual(try known.integer("age"), 3)
    }

    func test_theNotificationsDescribeWhatHappened() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        try store(["mail": "a", "name": "old"])
        let notes = Seen()
        let observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: context) { notes.notes.append($0) }
        defer { PinviewNotificationCenter.default.removeObserver(observer) }
        let merged = try insert(["mail": "a", "name": "new"]), new = try insert(["mail": "b"])
        try context.save()
        XCTAssertEqual(notes.notes.first?.insertedObjects, [new])
        XCTAssertEqual(notes.notes.first?.updatedObjects, [merged])
        XCTAssertEqual(notes.notes.first?.deletedObjects, [])
        context.mergePolicy = .rollback
        try insert(["mail": "a", "name": "dropped"])
        let last = try insert(["mail": "c"])
        try context.save()
        XCTAssertEqual(notes.notes.last?.insertedObjects, [last])
        XCTAssertEqual(notes.notes.last?.updatedObjects, [])
        XCTAssertFalse(context.undoManager?.canUndo ?? false)
    }

    func test_otherContextsTakeTheMergedRow() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        let stored = try store(["mail": "a", "name": "old"])[0]
        try other.setAutomaticallyMergesChangesFromParent(true)
        let theirs = try other.existingObject(with: stored)
        try insert(["mail": "a", "name": "new"])
        try context.save()
        try other.performAndWait {}
        XCTAssertEqual(try theirs.string("name"), "new")
    }

    func test_aResultsControllerKeepsTheRowsObject() throws {
        context.mergePolicy = .mergeByPropertyObjectTrump
        try store(["mail": "a", "name": "a"], ["mail": "b", "name": "b"])
        var request = FetchRequest(entityName: "Person")
        request.sortDescriptors = [PinviewSortDescriptor(keyPath: "name", ascending: true)]
        let controller = try FetchedResultsController(fetchRequest: request, managedObjectContext: context)
        try controller.performFetch()
        let known = try XCTUnwrap(controller.fetchedObjects)
        try insert(["mail": "a", "name": "z"])
        try context.save()
        try context.processPendingChanges()
        XCTAssertEqual(controller.fetchedObjects, [known[1], known[0]])
    }

    func test_theHistoryNamesAnUpdate() throws {
        let coordinator = try makeCoordinator(try model(), name: "history.sqlite", options: ["NSPersistentHistoryTrackingKey": true])
        let context = try makeContext(coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        try insert(["mail": "a"], in: context)
        try context.save()
        try insert(["mail": "a", "name": "new"], in: context)
        try insert(["mail": "b"], in: context)
        try context.save()
        XCTAssertEqual(
            try sqlite3("SELECT ZCHANGETYPE, ZENTITYPK FROM ACHANGE ORDER BY Z_PK", file: "history.sqlite"), "0|1\n1|1\n0|3")
    }

    func test_severalStoresAreSavedTogether() throws {
        let coordinator = PersistentStoreCoordinator(managedObjectModel: try model())
        let first = try coordinator.addPersistentStore(type: .sqlite, at: path("one.sqlite"))
        let second = try coordinator.addPersistentStore(type: .sqlite, at: path("two.sqlite"))
        let context = try makeContext(coordinator)
        context.mergePolicy = .mergeByPropertyObjectTrump
        for round in 1...2 {
            for store in [first, second] {
                try context.assign(try insert(["mail": "a", "age": .integer(Int64(round))], in: context), to: store)
            }
            try context.save()
        }
        for file in ["one.sqlite", "two.sqlite"] { XCTAssertEqual(try sqlite3("SELECT ZMAIL, ZAGE FROM ZPERSON", file: file), "a|2") }
    }

    func test_aSaveThatDoesNotCollideAsksNothingMore() throws {
        try insert(["mail": "a"])
        let statements = try logged { try context.save() }
        XCTAssertFalse(statements.contains { $0.contains("WITH keys") })
    }
}

private final class Seen: @unchecked Sendable {  // used by the thread of the test only
    var conflicts: [MergeConflict] = []
    var notes: [PinviewNotification] = []
}
