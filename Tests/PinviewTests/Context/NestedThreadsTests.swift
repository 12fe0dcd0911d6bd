import Dispatch
import Foundation
import Pinview
import XCTest

/// Contexts of one family that save and merge at the same time: CON-13, NST-09, MRG-07, MRG-08.
final class NestedThreadsTests: StoreTestCase {
    func test_MRG_08_siblingsThatMergeAutomaticallySaveAtTheSameTime() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 4)
        let parent = try makeContext(coordinator)
        let children = try (0..<4).map { _ in
            let child = ManagedObjectContext(concurrencyType: .privateQueue)
            try child.setParent(parent)
            try child.setAutomaticallyMergesChangesFromParent(true)
            return child
        }
        onThreads(5) { thread in
            for round in 0..<25 {
                if thread == 4 {
                    try parent.performAndWait { try parent.save() }
                    continue
                }
                let child = children[thread]
                try child.performAndWait {
                    try child.person("dave\(thread)").setValue(round, forKey: "age")
                    try child.insertNewObject(forEntityName: "Car").setValue("\(thread)-\(round)", forKey: "name")
                    try child.save()
                    XCTAssertEqual(try child.count(for: FetchRequest("Car", "name BEGINSWITH %@", "\(thread)-")), round + 1)
                }
            }
        }
        for child in children { try child.performAndWait {} }
        try parent.save()
        XCTAssertEqual(try sqlite3("SELECT count(*), count(DISTINCT ZNAME) FROM ZCAR WHERE ZNAME LIKE '%-%'"), "100|100")
        XCTAssertEqual(try sqlite3("SELECT count(*) FROM ZPERSON WHERE ZAGE = 24"), "4")
        for child in children { XCTAssertEqual(try child.count(for: FetchRequest(entityName: "Car")), 104) }
    }

    func test_MRG_07_rootContextsThatMergeAutomaticallySaveAtTheSameTime() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 4)
        let contexts = try (0..<4).map { number in
            let context = try makeContext(coordinator)
            if number % 2 == 0 { try context.setQueryGeneration(from: .current) }
            try context.setAutomaticallyMergesChangesFromParent(true)
            return context
        }
        onThreads(4) { thread in
            let context = contexts[thread]
            for round in 0..<25 {
                try context.performAndWait {
                    try context.person("dave\(thread)").setValue(round, forKey: "age")
                    try context.insertNewObject(forEntityName: "Car").setValue("\(thread)-\(round)", forKey: "name")
                    try context.save()
                }
            }
        }
        for context in contexts {
            try context.performAndWait {}
            XCTAssertEqual(try context.count(for: FetchRequest("Person", "age == 24")), 4)
            XCTAssertEqual(try context.count(for: FetchRequest(entityName: "Car")), 104)
            XCTAssertFalse(context.hasChanges)
        }
    }

    func test_CON_13_contextsComeAndGoOnEightThreads() throws {
        let coordinator = try makeCoordinator()
        try fill(coordinator, count: 4)
        onThreads(8) { thread in
            for round in 0..<20 {
                let context = ManagedObjectContext(concurrencyType: .privateQueue)
                try context.setPersistentStoreCoordinator(coordinator)
                if round % 2 == 0 { try context.setQueryGeneration(from: .current) }
                let before = try context.count(for: FetchRequest(entityName: "Person"))
                try context.insertNewObject(forEntityName: "Person").setValue("\(thread)-\(round)", forKey: "name")
                XCTAssertEqual(try context.count(for: FetchRequest("Person", "name == %@", "\(thread)-\(round)")), 1)
                try context.save()
                XCTAssertGreaterThan(try context.count(for: FetchRequest(entityName: "Person")), before)
            }
        }
        XCTAssertEqual(try sqlite3("SELECT count(*), count(DISTINCT ZNAME) FROM ZPERSON"), "164|164")
        XCTAssertTrue(try coordinator.persistentStores[0].checkpoint())
    }
}
