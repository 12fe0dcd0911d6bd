import Dispatch
import Foundation
import Pinview
import StressSupport
import XCTest

/// Contexts that merge each other's saves from their observers, while others use them: ONE-08.
final class CrossMergingTests: StackTestCase {
    /// A barrier for a number of threads.
    private final class Meeting: @unchecked Sendable {  // guarded by `condition`
        private let condition = NSCondition()
        private var missing: Int
        init(_ count: Int) { missing = count }

        func wait() {
            condition.lock()
            missing -= 1
            condition.broadcast()
            // Who is late fails the test rather than hold it up.
            let deadline = Date(timeIntervalSinceNow: 60)
            while missing > 0, condition.wait(until: deadline) {}
            condition.unlock()
        }
    }

    /// Runs a body on each of some threads; if they do not end, the failure says which thread waits
    /// for which.
    private func withThreads(_ bodies: [@Sendable () throws -> Void]) throws {
        let group = startThreads(bodies.count) { number in
            do { try bodies[number]() } catch { XCTFail("thread \(number): \(error)") }
        }
        XCTAssertEqual(group.wait(timeout: .now() + 120), .success, "the threads hang:\n\(WaitingThreads.shared.description)")
    }

    private func observe(
        _ name: PinviewNotification.Name, of context: ManagedObjectContext, _ block: @escaping (PinviewNotification) -> Void
    ) {
        let observer = PinviewNotificationCenter.default.addObserver(forName: name, object: context, using: block)
        addTeardownBlock { PinviewNotificationCenter.default.removeObserver(observer) }
    }

    /// Every context merges the saves of those that `receivers` gives, when all of them have saved.
    private func mergeSaves(of contexts: [ManagedObjectContext], into receivers: @escaping (Int) -> [ManagedObjectContext]) {
        let meeting = Meeting(contexts.count)
        for (number, context) in contexts.enumerated() {
            observe(.didSave, of: context) { save in
                meeting.wait()
                for receiver in receivers(number) {
                    do { try receiver.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
                }
            }
        }
    }

    func test_ONE_08_twoContextsMergeEachOthersSaves() throws {
        let contexts = [try XCTUnwrap(context), try XCTUnwrap(other)]
        let people = try contexts.enumerated().map { number, context in
            let person = try context.person("dave\(1 - number)")
            _ = try person.string("name")
            return person
        }
        mergeSaves(of: contexts) { [contexts[1 - $0]] }
        try withThreads([0, 1].map { number in { try rename("dave\(number)", to: "renamed\(number)", in: contexts[number]) } })
        for (number, context) in contexts.enumerated() {
            try context.performAndWait {}
            XCTAssertEqual(try people[number].string("name"), "renamed\(1 - number)")
        }
    }

    func test_ONE_08_threeContextsInARing() throws {
        let contexts = [try XCTUnwrap(context), try XCTUnwrap(other), try makeContext(coordinator)]
        let people = try contexts.enumerated().map { number, context in
            let person = try context.person("dave\((number + 2) % 3)")
            _ = try person.string("name")
            return person
        }
        mergeSaves(of: contexts) { [contexts[($0 + 1) % 3]] }
        try withThreads((0..<3).map { number in { try rename("dave\(number)", to: "renamed\(number)", in: contexts[number]) } })
        for (number, context) in contexts.enumerated() {
            try context.performAndWait {}
            XCTAssertEqual(try people[number].string("name"), "renamed\((number + 2) % 3)")
        }
    }

    func test_ONE_08_everybodyMergesEverybody() throws {
        let contexts = try (0..<4).map { _ in try makeContext(coordinator) }
        for context in contexts {
            observe(.didSave, of: context) { save in
                for receiver in contexts where receiver !== context {
                    do { try receiver.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
                }
            }
        }
        try withThreads(
            contexts.enumerated().map { number, context in
                {
                    for round in 0..<50 {
                        try context.performAndWait {
                            try context.insertNewObject(forEntityName: "Car").setValue("\(number)-\(round)", forKey: "name")
                            try context.save()
                        }
                    }
                }
            })
        for context in contexts { try context.performAndWait { XCTAssertEqual(try context.names("Car").count, 203) } }
    }

    /// A parent's observer merges into a child that is asking the parent.
    func test_ONE_08_aParentMergesIntoAChildThatAsksIt() throws {
        let parent = try XCTUnwrap(context)
        let child = ManagedObjectContext(concurrencyType: .privateQueue)
        try child.setParent(parent)
        let shown = try child.person("dave0")
        _ = try shown.string("name")
        let meeting = Meeting(2)
        observe(.didSave, of: parent) { save in
            meeting.wait()
            do { try child.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
        }
        try withThreads([
            { try rename("dave0", to: "renamed", in: parent) },
            {
                try child.performAndWait {
                    meeting.wait()
                    _ = try child.names()
                }
            },
        ])
        try child.performAndWait {}
        XCTAssertEqual(try shown.string("name"), "renamed")
    }

    /// The children of two roots take in the other root's saves: in the middle of a merge a child
    /// asks its parent.
    func test_ONE_08_rootsMergeIntoEachOthersChildren() throws {
        let roots = [try XCTUnwrap(context), try XCTUnwrap(other)]
        let children = try roots.map { root in
            let child = ManagedObjectContext(concurrencyType: .privateQueue)
            try child.setParent(root)
            return child
        }
        // With a local change the merge has to read what the parent has.
        for (number, child) in children.enumerated() { try child.person("dave\(1 - number)").setValue(50, forKey: "age") }
        mergeSaves(of: roots) { [children[1 - $0]] }
        try withThreads([0, 1].map { number in { try rename("dave\(number)", to: "renamed\(number)", in: roots[number]) } })
        for child in children { try child.performAndWait { try child.save() } }
    }

    func test_ONE_08_theMainQueueIsPartOfTheCircle() throws {
        let main = try makeContext(coordinator, .mainQueue)
        let worker = try XCTUnwrap(other)
        let shown = try worker.person("dave0")
        _ = try shown.string("name")
        let isInside = DispatchSemaphore(value: 0), log = Log()
        observe(.didSave, of: main) { save in
            isInside.wait()
            do { try worker.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
        }
        let group = startThreads(1) { _ in
            do {
                try worker.performAndWait {
                    isInside.signal()
                    try main.performAndWait { log.add(Thread.isMainThread ? "main" : "another thread") }
                }
            } catch { XCTFail("\(error)") }
        }
        try main.person("dave0").setValue("renamed", forKey: "name")
        try main.save()
        try MainQueue.run { !log.entries.isEmpty }
        XCTAssertEqual(log.entries, ["main"])
        XCTAssertEqual(group.wait(timeout: .now() + 60), .success)
        try worker.performAndWait {}
        XCTAssertEqual(try shown.string("name"), "renamed")
    }

    func test_ONE_08_twoContextsMoveEachOtherToTheirSaves() throws {
        let contexts = [try XCTUnwrap(context), try XCTUnwrap(other)]
        for context in contexts { try context.setQueryGeneration(from: .current) }
        let meeting = Meeting(2)
        for (number, context) in contexts.enumerated() {
            observe(.didSave, of: context) { save in
                meeting.wait()
                do { try contexts[1 - number].setQueryGeneration(from: save.queryGenerationToken) } catch { XCTFail("\(error)") }
            }
        }
        try withThreads([0, 1].map { number in { try rename("dave\(number)", to: "renamed\(number)", in: contexts[number]) } })
        for context in contexts {
            try context.performAndWait {}
            XCTAssertEqual(context.queryGenerationState, .pinned)
        }
    }

    // MRG-01 holds where there is no circle of waiting threads: the merge waits for the context.
    func test_ONE_08_aMergeIntoABusyContextWaitsForIt() throws {
        let receiver = try XCTUnwrap(other), saver = try XCTUnwrap(context)
        let shown = try receiver.person("dave0")
        _ = try shown.string("name")
        let log = Log(), isBusy = DispatchSemaphore(value: 0), goOn = DispatchSemaphore(value: 0)
        observe(.objectsDidChange, of: receiver) { _ in log.add("merged") }
        observe(.didSave, of: saver) { save in
            goOn.signal()
            do { try receiver.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
            log.add("returned")
        }
        try withThreads([
            {
                try receiver.performAndWait {
                    isBusy.signal()
                    goOn.wait()
                    for _ in 0..<20 { _ = try receiver.names() }
                }
            },
            {
                isBusy.wait()
                try rename("dave0", to: "renamed", in: saver)
            },
        ])
        XCTAssertEqual(log.entries, ["merged", "returned"])
        XCTAssertEqual(try shown.string("name"), "renamed")
    }

    /// If a deferred merge fails while no thread waits for it, the context's next save throws its
    /// error, once, and writes nothing.
    func test_ONE_08_theErrorOfAMergeThatWasPutOffIsNotLost() throws {
        struct Refused: Error {}
        var hooks = EntityHooks()
        hooks.awakeFromFetch = { person in if try person.string("name") == "refused" { throw Refused() } }
        let model = try people()
        try model.setHooks(hooks, forEntityNamed: "Person")
        let coordinator = try makeCoordinator(model)
        let main = try makeContext(coordinator, .mainQueue), worker = try XCTUnwrap(other)
        let person = try main.person("dave0")
        // With a local change, the merge reads the row, and the hook is called.
        try person.setValue(50, forKey: "age")
        observe(.didSave, of: worker) { save in
            do { try main.mergeChanges(fromContextDidSave: save) } catch { XCTFail("\(error)") }
        }
        try withThreads([{ try rename("dave0", to: "refused", in: worker) }])
        try MainQueue.drain()
        XCTAssertThrowsError(try main.save()) { XCTAssertTrue(($0 as? PinviewError)?.programError is Refused, "\($0)") }
        XCTAssertEqual(main.updatedObjects, [person])
        try main.save()
        XCTAssertEqual(try sqlite3("SELECT ZNAME, ZAGE FROM ZPERSON WHERE ZAGE = 50"), "refused|50")
    }
}

/// Changes one person and saves, in a block of the context.
private func rename(_ name: String, to newName: String, in context: ManagedObjectContext) throws {
    try context.performAndWait {
        try context.person(name).setValue(newName, forKey: "name")
        try context.save()
    }
}
