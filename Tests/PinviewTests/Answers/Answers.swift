import AnswerSupport
import Foundation
import Pinview

/// What one answer says, and how it contradicts itself.
struct Facts {
    private(set) var contradictions: [String] = []
    private var k: Int64?

    /// The next calls are another answer, which may be from another state.
    mutating func beginNextAnswer() { k = nil }

    mutating func see(k value: Int64?, _ what: String) {
        guard let value else { return note("\(what) has no k") }
        if let k, k != value { note("k is \(k) and, in \(what), \(value)") }
        k = value
    }

    mutating func expect<T: Equatable>(_ value: T, _ wanted: T, _ what: String) {
        if value != wanted { note("\(what) is \(value), not \(wanted)") }
    }

    private mutating func note(_ contradiction: String) { if contradictions.count < 3 { contradictions.append(contradiction) } }

    // MARK: Objects

    /// - Parameter areAll: whether they are all items of the store.
    mutating func see(items: some Collection<ManagedObject>, areAll: Bool = false) throws {
        var sum: Int64 = 0
        for item in items {
            let k = try item.attributeValue(forKey: "k").integerValue
            see(k: k, "an item")
            expect(try item.attributeValue(forKey: "twin").integerValue, k, "twin")
            expect(try item.attributeValue(forKey: "label").stringValue, k.map { "k\($0)" }, "label")
            sum += try item.attributeValue(forKey: "balance").integerValue ?? 0
        }
        guard areAll else { return }
        expect(items.count, Ledger.itemCount, "the number of items")
        expect(sum, Ledger.total, "the sum of all balances")
    }

    mutating func see(groups: some Collection<ManagedObject>) throws {
        for group in groups { see(k: try group.attributeValue(forKey: "k").integerValue, "a group") }
        expect(groups.count, Ledger.groupCount, "the number of groups")
    }

    /// Members of groups, whose relationships and values are from one state.
    mutating func seeMembers(of groups: some Collection<ManagedObject>) throws {
        for group in groups {
            let number = try group.attributeValue(forKey: "number")
            let items = try group.relatedObjects(forKey: "items"), line = try group.relatedObjects(forKey: "line")
            try see(items: items)
            try see(items: line)
            expect(items.count, Ledger.itemsPerGroup, "the number of a group's items")
            for item in items { expect(try item.attributeValue(forKey: "groupNumber"), number, "an item's number of its group") }
            for (place, item) in line.enumerated() {
                expect(try item.attributeValue(forKey: "place").integerValue, Int64(place), "an item's place in its line")
            }
        }
    }
}

/// A way of reading, made from public functions only.
struct WayOfReading: Sendable {
    let name: String
    /// The declarations that it goes through, as `PublicMembers` names them.
    let covers: [String]
    /// Whether it works in a child context.
    var worksInChildren = true
    /// Whether it needs generations: it makes several statements.
    var needsGenerations = false
    let read: @Sendable (inout Facts, Reader) throws -> Void
}

/// How contexts read that a checker makes.
enum ReaderKind: String, CaseIterable {
    case unpinned, pinned, childOfUnpinned, grandchildOfUnpinned, childOfPinned

    var isChild: Bool { ![.unpinned, .pinned].contains(self) }
}

/// Makes the contexts of the readers.
final class Reader {
    let coordinator: PersistentStoreCoordinator
    let itemIDs, groupIDs: [ManagedObjectID]
    let kind: ReaderKind
    /// A context that has no objects of earlier answers.
    private(set) var context: ManagedObjectContext

    init(_ coordinator: PersistentStoreCoordinator, _ kind: ReaderKind) throws {
        self.coordinator = coordinator
        self.kind = kind
        context = try Self.makeContext(coordinator, kind)
        itemIDs = try context.fetchObjectIDs(FetchRequest(entityName: "Item"))
        groupIDs = try context.fetchObjectIDs(FetchRequest(entityName: "Group"))
    }

    func renewContext() throws { context = try Self.makeContext(coordinator, kind) }

    private static func makeContext(_ coordinator: PersistentStoreCoordinator, _ kind: ReaderKind) throws -> ManagedObjectContext {
        let root = ManagedObjectContext(concurrencyType: .privateQueue)
        try root.setPersistentStoreCoordinator(coordinator)
        if [.pinned, .childOfPinned].contains(kind) { try root.setQueryGeneration(from: .current) }
        var context = root
        for _ in 0..<(kind == .grandchildOfUnpinned ? 2 : kind.isChild ? 1 : 0) {
            let child = ManagedObjectContext(concurrencyType: .privateQueue)
            try child.setParent(context)
            context = child
        }
        return context
    }

    /// A request for objects with their values.
    func request(_ entityName: String = "Item", _ change: (inout FetchRequest) throws -> Void = { _ in }) rethrows -> FetchRequest {
        var request = FetchRequest(entityName: entityName)
        request.returnsObjectsAsFaults = false
        try change(&request)
        return request
    }
}
