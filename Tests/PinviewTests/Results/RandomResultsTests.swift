import Foundation
import Pinview
import RandomSupport
import XCTest

/// Random changes under a fetched results controller, whose callbacks are replayed onto arrays and
/// whose content is compared with a fetch. `PINVIEW_SEED=…` runs one seed, `PINVIEW_ROUNDS=…`
/// another number of them.
final class RandomResultsTests: StoreTestCase {
    private struct Setting: CustomStringConvertible {
        var isPinned = false
        var mergesAutomatically = false
        var hasSections = true
        var limit = 0
        var batchSize = 0
        var predicate: String? = "score >= 3"
        var description: String {
            "pinned \(isPinned), merging \(mergesAutomatically), sections \(hasSections), limit \(limit), batches \(batchSize)"
        }
    }

    private func items() throws -> ManagedObjectModel {
        try ManagedObjectModel(entities: [
            EntityDescription(
                name: "Item",
                attributes: [
                    AttributeDescription(name: "name", attributeType: .string), AttributeDescription(name: "group", attributeType: .string),
                    AttributeDescription(name: "score", attributeType: .integer64),
                    AttributeDescription(name: "number", attributeType: .integer64),
                ])
        ])
    }

    private final class Run {
        let setting: Setting
        let context: ManagedObjectContext
        let other: ManagedObjectContext
        let controller: FetchedResultsController
        let replayed: ReplayedResults
        var generator: SeededNumbers
        var steps: [String] = []
        private var number: Int64 = 0
        private var saves: [PinviewNotification] = []
        private var observer: PinviewNotificationCenter.Observer?
        /// Whether the store has changes that an unpinned context has not merged.
        var isBehind: Bool { !setting.isPinned && !saves.isEmpty }

        init(_ setting: Setting, _ seed: UInt64, _ context: ManagedObjectContext, _ other: ManagedObjectContext) throws {
            self.setting = setting
            self.context = context
            self.other = other
            generator = SeededNumbers(seed)
            for each in [context, other] { each.mergePolicy = .mergeByPropertyObjectTrump }
            for _ in 0..<20 {
                number += 1
                try Self.fill(try other.insertNewObject(forEntityName: "Item"), number, &generator)
            }
            try other.save()
            if setting.isPinned { try context.setQueryGeneration(from: .current) }
            try context.setAutomaticallyMergesChangesFromParent(setting.mergesAutomatically)
            var request = FetchRequest(entityName: "Item")
            if let predicate = setting.predicate { request.predicate = try PinviewPredicate(format: predicate) }
            request.sortDescriptors = [
                PinviewSortDescriptor(keyPath: "group", ascending: false, comparator: .caseInsensitive),
                PinviewSortDescriptor(keyPath: "group"),
                PinviewSortDescriptor(keyPath: "score"), PinviewSortDescriptor(keyPath: "number", ascending: false),
            ]
            request.fetchLimit = setting.limit
            request.fetchBatchSize = setting.batchSize
            controller = try FetchedResultsController(
                fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: setting.hasSections ? "group" : nil)
            try controller.performFetch()
            replayed = ReplayedResults(controller) { object in
                ["name", "group", "score", "number"].map { "\((try? object.value(forKey: $0)) ?? "nil")" }.joined(separator: " ")
            }
            if !setting.mergesAutomatically {
                observer = PinviewNotificationCenter.default.addObserver(forName: .didSave, object: other) { [weak self] in
                    self?.saves.append($0)
                }
            }
        }

        func end() {
            if let observer { PinviewNotificationCenter.default.removeObserver(observer) }
            observer = nil
        }

        private static func fill(_ item: ManagedObject, _ number: Int64, _ generator: inout SeededNumbers) throws {
            try item.setValue("item \(number)", forKey: "name")
            try item.setValue(["a", "b", "B", "c"][generator.next(4)], forKey: "group")
            try item.setValue(generator.next(8), forKey: "score")
            try item.setValue(number, forKey: "number")
        }

        private func anItem(in context: ManagedObjectContext) throws -> ManagedObject? {
            // In the controller's own context, from the objects that are shown: a fetch could find
            // others that the controller does not know yet.
            let items =
                context === self.context
                ? (controller.fetchedObjects ?? []) + context.insertedObjects.subtracting(controller.fetchedObjects ?? [])
                : Array(try context.fetch(FetchRequest(entityName: "Item")))
            let usable = items.filter { !$0.isDeleted }
            return try usable.map { (try $0.integer("number") ?? 0, $0) }.sorted { $0.0 < $1.0 }.map(\.1).element(generator.next(100))
        }

        private func edit(_ context: ManagedObjectContext, _ count: Int) throws {
            for _ in 0..<count {
                switch generator.next(6) {
                case 0, 1:
                    number += 1
                    try Self.fill(try context.insertNewObject(forEntityName: "Item"), number, &generator)
                case 2: if let item = try anItem(in: context) { try context.delete(item) }
                case 3: try anItem(in: context)?.setValue(["a", "b", "B", "c", "d"][generator.next(5)], forKey: "group")
                case 4: try anItem(in: context)?.setValue(generator.next(8), forKey: "score")
                default: try anItem(in: context)?.setValue("renamed \(generator.next(100))", forKey: "name")
                }
            }
            try context.processPendingChanges()
        }

        func step() throws {
            let kind = generator.next(18)
            switch kind {
            case 0...4:
                steps.append("edit")
                try edit(context, 1 + generator.next(4))
            case 5...8:
                steps.append("edit elsewhere")
                try edit(other, 1 + generator.next(6))
                try other.save()
            case 9...10:
                steps.append("merge")
                for save in saves { try context.mergeChanges(fromContextDidSave: save) }
                saves = []
            case 11:
                steps.append("save")
                try context.save()
            case 12:
                steps.append("rollback")
                try context.rollback()
            case 13:
                steps.append("undo")
                try context.undo()
                try context.processPendingChanges()
            case 14:
                steps.append("redo")
                try context.redo()
                try context.processPendingChanges()
            case 15:
                steps.append("refresh")
                if let item = try anItem(in: context) { try context.refresh(item, mergeChanges: generator.next(2) == 0) }
            case 16:
                steps.append("refresh all, or reset")
                if generator.next(3) == 0 { try context.reset() } else { try context.refreshAllObjects() }
            default:
                guard setting.isPinned, !setting.mergesAutomatically else { return }
                steps.append("advance")
                try context.setQueryGeneration(from: .current)
            }
            try context.performAndWait {}
        }

        /// What is wrong, nil for nothing.
        func problem() throws -> String? {
            if let mistake = replayed.mistakes.first { return mistake }
            if let failure = replayed.failures.first { return "failed: \(failure)" }
            if !replayed.isEqual(ReplayedResults.content(of: controller)) {
                return "the replayed sections are others than the controller's"
            }
            if let outdated = replayed.outdated { return "nobody was told that \(outdated)" }
            let objects = controller.fetchedObjects ?? []
            if objects != controller.sections?.flatMap(\.objects) { return "the sections are not the objects" }
            for (section, info) in (controller.sections ?? []).enumerated() {
                for (item, object) in info.objects.enumerated() {
                    let place = PinviewIndexPath(item: item, section: section)
                    guard controller.indexPath(forObject: object) == place, try controller.object(at: place) === object else {
                        return "\(place) is wrong"
                    }
                    if setting.hasSections, try object.string("group") != info.name { return "\(place) is in the wrong section" }
                }
            }
            if isBehind { return nil }
            let fetched = Array(try context.fetch(controller.fetchRequest))
            if fetched != objects {
                let numbers = [fetched, objects].map { $0.map { (try? $0.integer("number")).map { $0.map(String.init) ?? "nil" } ?? "?" } }
                return "fetched \(numbers[0]), arranged \(numbers[1])"
            }
            return nil
        }
    }

    private func run(_ setting: Setting) throws {
        let environment = ProcessInfo.processInfo.environment
        let seeds: [UInt64]
        if let seed = SeededGenerator.givenSeed {
            seeds = [seed]
        } else {
            seeds = Array(1...(environment["PINVIEW_ROUNDS"].flatMap(UInt64.init) ?? 3))
        }
        print("\(setting): seeds \(seeds.first ?? 0)...\(seeds.last ?? 0)")
        for seed in seeds {
            let coordinator = try makeCoordinator(try items(), name: "\(UUID().uuidString).sqlite")
            let run = try Run(setting, seed, try makeContext(coordinator), try makeContext(coordinator))
            defer { run.end() }
            for _ in 0..<60 {
                try run.step()
                if let problem = try run.problem() {
                    return XCTFail("PINVIEW_SEED=\(seed), \(setting): \(problem) after \(run.steps.joined(separator: ", "))")
                }
            }
        }
    }

    func test_anUnpinnedControllerFollowsEveryChange() throws { try run(Setting()) }

    func test_anUnpinnedControllerWithoutSections() throws { try run(Setting(hasSections: false)) }

    func test_anUnpinnedControllerFollowsAutomaticMerges() throws { try run(Setting(mergesAutomatically: true)) }

    func test_aPinnedControllerFollowsItsGeneration() throws { try run(Setting(isPinned: true)) }

    func test_aPinnedControllerWithoutSections() throws { try run(Setting(isPinned: true, hasSections: false)) }

    func test_aPinnedControllerWithoutSectionsAndCondition() throws {
        try run(Setting(isPinned: true, hasSections: false, predicate: nil))
    }

    func test_aPinnedControllerFollowsAutomaticMerges() throws { try run(Setting(isPinned: true, mergesAutomatically: true)) }

    func test_aPinnedControllerWithALimit() throws { try run(Setting(isPinned: true, limit: 7)) }

    func test_aPinnedControllerWithBatches() throws { try run(Setting(isPinned: true, hasSections: false, batchSize: 5, predicate: nil)) }
}

/// A generator of numbers that gives the same ones for the same seed.
struct SeededNumbers {
    private var state: UInt64

    init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 &+ 1 }

    mutating func next(_ bound: Int) -> Int {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return Int(state % UInt64(bound))
    }
}

extension [ManagedObject] {
    fileprivate func element(_ number: Int) -> ManagedObject? { isEmpty ? nil : self[number % count] }
}
