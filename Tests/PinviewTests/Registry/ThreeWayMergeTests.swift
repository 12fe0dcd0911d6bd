import Pinview
import XCTest

/// A to-many relationship with pending changes merges others' commits: ONE-03, and both sides
/// agree: ONE-02.
final class ThreeWayMergeTests: OneTruthTestCase {
    private var here: ManagedObjectContext!
    private var there: ManagedObjectContext!

    /// How what was committed there reaches the context.
    private enum Way: CaseIterable { case notification, automatic, refreshOwner, refreshAll, history, remote }

    override func setUpWithError() throws {
        try super.setUpWithError()
        here = try makeContext(coordinator)
        there = try makeContext(coordinator)
    }

    override func tearDownWithError() throws {
        here = nil
        there = nil
        try super.tearDownWithError()
    }

    private func bring(_ way: Way, _ owner: ManagedObject, into context: ManagedObjectContext? = nil) throws {
        let context: ManagedObjectContext = context ?? here
        switch way {
        case .notification: try merge(try saved(there), into: context)
        case .automatic:
            try context.setAutomaticallyMergesChangesFromParent(true)
            try there.save()
        case .refreshOwner:
            try there.save()
            try context.refresh(owner, mergeChanges: true)
        case .refreshAll:
            try there.save()
            try context.refreshAllObjects()
        case .history:
            let token = try coordinator.currentPersistentHistoryToken()
            try there.save()
            guard case .transactions(let transactions) = try context.execute(PersistentHistoryChangeRequest.fetchHistory(after: token))
            else {
                return XCTFail("no transactions")
            }
            try context.mergeChanges(fromHistory: transactions)
        case .remote:
            let changed = there.updatedObjects.union(there.insertedObjects)
            try there.save()
            try ManagedObjectContext.mergeChanges(
                fromRemoteContextSave: [PinviewNotification.updatedObjectsKey: changed.map(\.objectID)], into: [context])
        }
    }

    /// A scenario for each way in which changes can arrive, on a store of its own.
    private func inEachWay(_ body: (Way) throws -> Void) throws {
        for way in Way.allCases {
            try tearDownWithError()
            try setUpWithError()
            try body(way)
        }
    }

    func test_ONE_03_anAdditionElsewhereJoinsThoseMadeHere() throws {
        try inEachWay { way in
            let d = try here.department("d1")
            XCTAssertEqual(try d.members("staff"), [])
            try here.member("p").setRelatedObject(d, forKey: "dept")
            try there.member("q").setRelatedObject(try there.department("d1"), forKey: "dept")
            try bring(way, d)
            XCTAssertEqual(try d.members("staff"), ["p", "q"], "\(way)")
            XCTAssertEqual(try here.member("q").destination("dept"), "d1", "\(way)")
            try here.save()
            XCTAssertEqual(try d.members("staff"), ["p", "q"], "\(way)")
            XCTAssertFalse(d.hasChanges, "\(way)")
            XCTAssertEqual(try stored("d1", "staff"), ["p", "q"], "\(way)")
        }
    }

    func test_ONE_03_aRemovalElsewhereIsTakenIn() throws {
        try inEachWay { way in
            try there.member("q").setRelatedObject(try there.department("d1"), forKey: "dept")
            try there.member("r").setRelatedObject(try there.department("d1"), forKey: "dept")
            try there.save()
            let d = try here.department("d1"), q = try here.member("q")
            XCTAssertEqual(try d.members("staff"), ["q", "r"])
            XCTAssertEqual(try q.destination("dept"), "d1")
            try here.member("p").setRelatedObject(d, forKey: "dept")
            try here.member("r").setRelatedObject(nil, forKey: "dept")
            try there.member("q").setRelatedObject(nil, forKey: "dept")
            try bring(way, d)
            if way == .refreshOwner { try here.refresh(q, mergeChanges: true) }
            XCTAssertEqual(try d.members("staff"), ["p"], "\(way)")
            XCTAssertNil(try q.destination("dept"), "\(way)")
            try here.save()
            XCTAssertEqual(try d.members("staff"), ["p"], "\(way)")
            XCTAssertEqual(try stored("d1", "staff"), ["p"], "\(way)")
        }
    }

    func test_ONE_03_aMoveElsewhereLeavesOneSetAndJoinsAnother() throws {
        try inEachWay { way in
            try there.member("q").setRelatedObject(try there.department("d1"), forKey: "dept")
            try there.save()
            let d1 = try here.department("d1"), d2 = try here.department("d2"), q = try here.member("q")
            XCTAssertEqual(try d1.members("staff"), ["q"])
            XCTAssertEqual(try d2.members("staff"), [])
            try here.member("p").setRelatedObject(d2, forKey: "dept")
            try there.member("q").setRelatedObject(try there.department("d2"), forKey: "dept")
            try bring(way, q)
            XCTAssertEqual(try q.destination("dept"), "d2", "\(way)")
            XCTAssertEqual(try d1.members("staff"), [], "\(way)")
            XCTAssertEqual(try d2.members("staff"), ["p", "q"], "\(way)")
        }
    }

    func test_ONE_03_whatWasMovedHereStaysWhereItIsHere() throws {
        try inEachWay { way in
            let d1 = try here.department("d1"), d2 = try here.department("d2"), d3 = try here.department("d3")
            let p = try here.member("p")
            for d in [d1, d2, d3] { XCTAssertEqual(try d.members("staff"), []) }
            try p.setRelatedObject(d1, forKey: "dept")
            try there.member("p").setRelatedObject(try there.department("d2"), forKey: "dept")
            try bring(way, p)
            XCTAssertEqual(try p.destination("dept"), "d1", "\(way)")
            XCTAssertEqual(try d1.members("staff"), ["p"], "\(way)")
            XCTAssertEqual(try d2.members("staff"), [], "\(way)")
            try here.rollback()
            XCTAssertEqual(try p.destination("dept"), "d2", "\(way)")
            XCTAssertEqual(try d1.members("staff"), [], "\(way)")
            XCTAssertEqual(try d2.members("staff"), ["p"], "\(way)")
        }
    }

    func test_ONE_03_manyToMany() throws {
        try inEachWay { way in
            let d = try here.department("d1"), red = try here.tag("red"), blue = try here.tag("blue")
            XCTAssertEqual(try d.members("tags"), [])
            XCTAssertEqual(try blue.members("departments"), [])
            try d.addRelatedObject(red, forKey: "tags")
            try there.department("d1").addRelatedObject(try there.tag("blue"), forKey: "tags")
            try bring(way, d)
            XCTAssertEqual(try d.members("tags"), ["blue", "red"], "\(way)")
            XCTAssertEqual(try blue.members("departments"), ["d1"], "\(way)")
            try here.save()
            XCTAssertEqual(try d.members("tags"), ["blue", "red"], "\(way)")
            XCTAssertEqual(try stored("d1", "tags"), ["blue", "red"], "\(way)")
            try d.removeRelatedObject(red, forKey: "tags")
            try there.refreshAllObjects()
            try there.department("d1").removeRelatedObject(try there.tag("blue"), forKey: "tags")
            try bring(way, d)
            XCTAssertEqual(try d.members("tags"), [], "\(way)")
            XCTAssertEqual(try blue.members("departments"), [], "\(way)")
        }
    }

    func test_ONE_03_selfRelationship() throws {
        try inEachWay { way in
            let p = try here.member("p"), q = try here.member("q"), r = try here.member("r")
            for person in [p, q, r] { XCTAssertEqual(try person.members("friends"), []) }
            try p.addRelatedObject(q, forKey: "friends")
            try there.member("p").addRelatedObject(try there.member("r"), forKey: "friends")
            try there.member("r").setRelatedObject(try there.member("p"), forKey: "boss")
            try bring(way, p)
            if way == .refreshOwner { try here.refresh(r, mergeChanges: true) }
            XCTAssertEqual(try p.members("friends"), ["q", "r"], "\(way)")
            XCTAssertEqual(try r.members("friends"), ["p"], "\(way)")
            XCTAssertEqual(try q.members("friends"), ["p"], "\(way)")
            XCTAssertEqual(try p.members("reports"), ["r"], "\(way)")
        }
    }

    func test_ONE_03_ordered() throws {
        for key in ["queue", "ranking"] {
            try inEachWay { way in
                let names = key == "queue" ? ["p", "q", "r"] : ["red", "blue", "green"]
                let kind = key == "queue" ? "Person" : "Tag"
                if key == "ranking" { try there.insert("Tag", "green") }
                try there.department("d1").setRelatedObjects([try there.one(names[0], kind)], forKey: key)
                try there.save()
                let d = try here.department("d1")
                XCTAssertEqual(try d.members(key), [names[0]])
                try d.insertRelatedObject(try here.one(names[1], kind), at: 0, forKey: key)
                try there.department("d1").addRelatedObject(try there.one(names[2], kind), forKey: key)
                try bring(way, d)
                XCTAssertEqual(try d.members(key), [names[1], names[0], names[2]], "\(key) \(way)")
                try here.save()
                XCTAssertEqual(try d.members(key), [names[1], names[0], names[2]], "\(key) \(way)")
                XCTAssertEqual(try stored("d1", key), [names[1], names[0], names[2]], "\(key) \(way)")
            }
        }
    }

    func test_ONE_03_anOrderChangedHereIsKept() throws {
        try there.department("d1").setRelatedObjects([try there.member("p"), try there.member("q")], forKey: "queue")
        try there.save()
        let d = try here.department("d1")
        XCTAssertEqual(try d.members("queue"), ["p", "q"])
        try d.insertRelatedObject(try here.member("q"), at: 0, forKey: "queue")
        try there.department("d1").addRelatedObject(try there.member("r"), forKey: "queue")
        try merge(try saved(there), into: here)
        XCTAssertTrue(d.hasChanges)
        XCTAssertEqual(try d.members("queue"), ["q", "p", "r"])
        try here.save()
        XCTAssertEqual(try stored("d1", "queue"), ["q", "p", "r"])
    }

    /// An order that was changed here is no change any more once the members that were moved have
    /// left.
    func test_ONE_03_anOrderOfMembersThatLeaveIsNoChange() throws {
        for (name, readsAgain) in [("d1", true), ("d2", false)] {
            here = try makeContext(coordinator)
            try there.department(name).setRelatedObjects([try there.member("p"), try there.member("q")], forKey: "queue")
            try there.save()
            let d = try here.department(name), q = try here.member("q")
            XCTAssertEqual(try d.members("queue"), ["p", "q"])
            try d.insertRelatedObject(q, at: 0, forKey: "queue")
            try here.refresh(d, mergeChanges: true)
            if readsAgain { XCTAssertEqual(try d.members("queue"), ["q", "p"]) }
            try here.refresh(d, mergeChanges: true)
            try there.member("q").setRelatedObject(nil, forKey: "waitsAt")
            try there.save()
            try here.refresh(q, mergeChanges: true)
            XCTAssertNil(try q.destination("waitsAt"))
            XCTAssertFalse(d.hasChanges)
            XCTAssertFalse(here.hasChanges)
            XCTAssertEqual(try d.members("queue"), ["p"])
            try here.save()
            XCTAssertEqual(try stored(name, "queue"), ["p"])
        }
    }

    func test_ONE_03_childrenTakeInWhatTheirParentHas() throws {
        let child = try makeChild(of: here), sibling = try makeChild(of: here)
        let d = try child.department("d1")
        XCTAssertEqual(try d.members("staff"), [])
        try child.member("p").setRelatedObject(d, forKey: "dept")
        try sibling.member("q").setRelatedObject(try sibling.department("d1"), forKey: "dept")
        try merge(try saved(sibling), into: child)
        XCTAssertEqual(try d.members("staff"), ["p", "q"])
        try child.save()
        XCTAssertEqual(try d.members("staff"), ["p", "q"])
        XCTAssertEqual(try here.department("d1").members("staff"), ["p", "q"])
        try here.save()
        XCTAssertEqual(try stored("d1", "staff"), ["p", "q"])
    }

    func test_ONE_04_afterASaveWithoutAMergeTheOwnerShowsWhatTheStoreHas() throws {
        for key in ["dept", "waitsAt"] {
            let set = key == "dept" ? "staff" : "queue"
            let d = try here.department("d1")
            let q = try here.member("q")
            XCTAssertNil(try q.destination(key))
            XCTAssertEqual(try d.members(set), [])
            try here.member("p").setRelatedObject(d, forKey: key)
            try there.member("q").setRelatedObject(try there.department("d1"), forKey: key)
            try there.save()
            try here.save()
            XCTAssertFalse(d.hasChanges)
            XCTAssertEqual(try d.members(set).sorted(), ["p", "q"], key)
            XCTAssertEqual(try d.members(set), try stored("d1", set), key)
            XCTAssertEqual(try q.destination(key), "d1", key)
        }
    }

    func test_ONE_04_mergePoliciesLeaveBothSidesInAgreement() throws {
        for policy in [MergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback] {
            try tearDownWithError()
            try setUpWithError()
            here.mergePolicy = policy
            let p = try here.member("p"), d1 = try here.department("d1"), d2 = try here.department("d2")
            XCTAssertEqual(try d1.members("staff"), [])
            XCTAssertEqual(try d2.members("staff"), [])
            try p.setRelatedObject(d1, forKey: "dept")
            try there.member("p").setRelatedObject(try there.department("d2"), forKey: "dept")
            try there.member("q").setRelatedObject(try there.department("d1"), forKey: "dept")
            try there.save()
            try here.save()
            let isHere = policy == .mergeByPropertyObjectTrump || policy == .overwrite
            XCTAssertEqual(try p.destination("dept"), isHere ? "d1" : "d2", "\(policy)")
            XCTAssertEqual(try d1.members("staff"), isHere ? ["p", "q"] : ["q"], "\(policy)")
            XCTAssertEqual(try d2.members("staff"), isHere ? [] : ["p"], "\(policy)")
            for (object, name) in [(d1, "d1"), (d2, "d2")] {
                XCTAssertEqual(try object.members("staff"), try stored(name, "staff"), "\(policy)")
            }
        }
    }

    func test_ONE_02_aSetThatIsLoadedLateAgreesWithWhatTheMembersSay() throws {
        let q = try here.member("q")
        XCTAssertNil(try q.destination("dept"))
        try there.member("q").setRelatedObject(try there.department("d1"), forKey: "dept")
        try there.save()
        let d = try here.department("d1")
        XCTAssertEqual(try d.members("staff").contains("q"), try q.relatedObject(forKey: "dept") === d)
        XCTAssertEqual(here.checkInvariants(), [])
    }

    func test_ONE_02_refreshingWithoutMergingDropsBothSides() throws {
        let p = try here.member("p"), d = try here.department("d1"), red = try here.tag("red")
        try p.setRelatedObject(d, forKey: "dept")
        try d.addRelatedObject(red, forKey: "tags")
        try here.refresh(p, mergeChanges: false)
        XCTAssertEqual(try d.members("staff"), [])
        XCTAssertNil(try p.destination("dept"))
        try here.refresh(red, mergeChanges: false)
        XCTAssertEqual(try d.members("tags"), [])
        XCTAssertEqual(try red.members("departments"), [])
        XCTAssertFalse(here.hasChanges)
    }

    func test_ONE_02_aMergedDeletionLeavesNoReferences() throws {
        let p = try here.member("p"), d = try here.department("d1")
        XCTAssertEqual(try d.members("staff"), [])
        try p.setRelatedObject(d, forKey: "dept")
        try there.delete(try there.member("p"))
        try merge(try saved(there), into: here)
        XCTAssertEqual(try d.members("staff"), [])
        let q = try here.member("q")
        try q.setRelatedObject(d, forKey: "dept")
        try there.delete(try there.department("d1"))
        try merge(try saved(there), into: here)
        XCTAssertNil(try q.relatedObject(forKey: "dept"))
        try here.save()
    }

    func test_ONE_02_undoAfterAMergePutsBothSidesBack() throws {
        let p = try here.member("p"), d1 = try here.department("d1"), d2 = try here.department("d2")
        XCTAssertEqual(try d1.members("staff"), [])
        XCTAssertEqual(try d2.members("staff"), [])
        try p.setRelatedObject(d1, forKey: "dept")
        try here.save()
        try there.member("p").setRelatedObject(try there.department("d2"), forKey: "dept")
        try merge(try saved(there), into: here)
        XCTAssertEqual(try d2.members("staff"), ["p"])
        try here.undo()
        XCTAssertNil(try p.relatedObject(forKey: "dept"))
        XCTAssertEqual(try d1.members("staff"), [])
        XCTAssertEqual(try d2.members("staff"), [])
    }

    func test_ONE_02_aPartnerThatWasGivenToAnotherElsewhereLeavesNoOneSidedRow() throws {
        for way in [Way.notification, .refreshAll] {
            try tearDownWithError()
            try setUpWithError()
            let d1 = try here.department("d1"), d2 = try here.department("d2"), p = try here.member("p")
            XCTAssertNil(try d2.relatedObject(forKey: "head"))
            try d1.setRelatedObject(p, forKey: "head")
            try there.department("d2").setRelatedObject(try there.member("p"), forKey: "head")
            try bring(way, p)
            XCTAssertEqual(try p.destination("heads"), "d1", "\(way)")
            XCTAssertEqual(try d1.destination("head"), "p", "\(way)")
            XCTAssertNil(try d2.relatedObject(forKey: "head"), "\(way)")
            try here.save()
            XCTAssertEqual(
                try sqlite3("SELECT D.ZNAME FROM ZDEPARTMENT D JOIN ZPERSON P ON D.ZHEAD = P.Z_PK"), "d1", "\(way)")
            XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZDEPARTMENT D, ZPERSON P WHERE P.ZHEADS = D.Z_PK AND D.ZHEAD = P.Z_PK"), "1")
        }
    }

    func test_ONE_01_aChangeOfAnObjectWhoseInsertionTheParentHasUndoneGoesWithIt() throws {
        let child = try makeChild(of: here)
        let inserted = try here.insert("Tag", "green")
        let own = try child.object(with: inserted.objectID)
        try own.setValue("lime", forKey: "name")
        try here.undo()
        try child.save()
        XCTAssertEqual(child.checkInvariants(), [])
        XCTAssertFalse(child.hasChanges)
        XCTAssertEqual(try here.fetch(FetchRequest("Tag", "name == 'lime'")).count, 0)
    }

    // MARK: Without an inverse

    func test_ONE_02_takingAMemberWithoutAnInverseTakesItFromItsOwner() throws {
        for key in ["things", "list"] {
            try tearDownWithError()
            try setUpWithError()
            try there.box("b1").addRelatedObject(try there.thing("t1"), forKey: key)
            try there.box("b1").addRelatedObject(try there.thing("t2"), forKey: key)
            try there.save()
            let b1 = try here.box("b1"), b2 = try here.box("b2"), t1 = try here.thing("t1")
            XCTAssertEqual(try b1.members(key), ["t1", "t2"])
            try b2.addRelatedObject(t1, forKey: key)
            XCTAssertEqual(try b1.members(key), ["t2"], key)
            XCTAssertTrue(here.updatedObjects.contains(b1))
            try here.undo()
            XCTAssertEqual(try b1.members(key), ["t1", "t2"], key)
            XCTAssertEqual(try b2.members(key), [], key)
            XCTAssertFalse(here.hasChanges)
            try here.redo()
            XCTAssertEqual(try b1.members(key), ["t2"], key)
            try here.save()
            XCTAssertEqual(try stored("b1", key, "Box"), ["t2"], key)
            XCTAssertEqual(try stored("b2", key, "Box"), ["t1"], key)
        }
    }

    func test_ONE_02_takingAMemberWithoutAnInverseTakesItFromAnOwnerThatIsNotLoaded() throws {
        try there.box("b1").addRelatedObject(try there.thing("t1"), forKey: "things")
        try there.save()
        let child = try makeChild(of: here)
        for context in [here!, child] {
            let b2 = try context.box("b2")
            try b2.addRelatedObject(try context.thing("t1"), forKey: "things")
            let b1 = try context.box("b1")
            XCTAssertEqual(try b1.members("things"), [])
            XCTAssertTrue(b1.hasChanges)
            try context.undo()
            XCTAssertEqual(try b1.members("things"), ["t1"])
            XCTAssertEqual(try b2.members("things"), [])
        }
        try child.redo()
        try child.save()
        XCTAssertEqual(try here.box("b1").members("things"), [])
        try here.save()
        XCTAssertEqual(try stored("b2", "things", "Box"), ["t1"])
    }

    // MARK: Re-inserted by a merge policy

    func test_ONE_10_whatAPolicyInsertsAgainAgreesWithItsInverses() throws {
        for policy in [MergePolicy.mergeByPropertyObjectTrump, .overwrite] {
            for deletesOwner in [true, false] {
                try tearDownWithError()
                try setUpWithError()
                let setUp = try makeContext(coordinator)
                try setUp.member("p").setRelatedObject(try setUp.department("d1"), forKey: "dept")
                try setUp.department("d1").addRelatedObject(try setUp.tag("red"), forKey: "tags")
                try setUp.save()
                here.mergePolicy = policy
                let p = try here.member("p"), d = try here.department("d1"), red = try here.tag("red")
                XCTAssertEqual(try p.destination("dept"), "d1")
                XCTAssertEqual(try d.members("staff"), ["p"])
                XCTAssertEqual(try red.members("departments"), ["d1"])
                try (deletesOwner ? d : p).setValue("again", forKey: "note")
                try there.delete(deletesOwner ? try there.department("d1") : try there.member("p"))
                try there.save()
                try here.save()
                let what = "\(policy), \(deletesOwner ? "owner" : "member") deleted"
                XCTAssertEqual(here.checkInvariants(), [], what)
                XCTAssertEqual(try d.relatedObjects(forKey: "staff").contains(p), try p.relatedObject(forKey: "dept") === d, what)
                XCTAssertEqual(try d.members("staff"), try stored("d1", "staff"), what)
                XCTAssertEqual(try d.members("tags"), try stored("d1", "tags"), what)
                XCTAssertEqual(
                    try red.relatedObjects(forKey: "departments").contains(d), try d.relatedObjects(forKey: "tags").contains(red), what)
            }
        }
    }

    func test_ONE_10_aReinsertedObjectRefersToNoRowThatIsGone() throws {
        let setUp = try makeContext(coordinator)
        try setUp.member("p").setRelatedObject(try setUp.department("d1"), forKey: "dept")
        try setUp.save()
        here.mergePolicy = .mergeByPropertyObjectTrump
        let p = try here.member("p"), d = try here.department("d1")
        XCTAssertEqual(try d.members("staff"), ["p"])
        try p.setValue("again", forKey: "note")
        try there.delete(try there.member("p"))
        try there.delete(try there.department("d1"))
        try there.save()
        try here.save()
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZDEPT NOT IN (SELECT Z_PK FROM ZDEPARTMENT)"), "0")
        XCTAssertNil(try p.relatedObject(forKey: "dept"))
    }
}
