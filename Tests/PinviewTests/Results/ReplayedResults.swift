import Pinview
import XCTest

/// Follows a fetched results controller by its callbacks alone, on an array of arrays.
final class ReplayedResults: FetchedResultsControllerDelegate {
    private(set) var sections: [(name: String, objects: [ManagedObject])] = []
    /// What was reported since `take()`, as texts.
    private var log: [String] = []
    private(set) var failures: [PinviewError] = []
    private(set) var mistakes: [String] = []
    private var isChanging = false
    private var deletedSections: [Int] = []
    private var insertedSections: [(Int, String)] = []
    private var removals: [(ManagedObject, PinviewIndexPath)] = []
    private var additions: [(ManagedObject, PinviewIndexPath)] = []
    private var updates: [(ManagedObject, PinviewIndexPath)] = []
    /// How an object is named in the log.
    var name: (ManagedObject) -> String = { (try? $0.string("name")) ?? "?" }
    var onWillChange: (() -> Void)?
    /// What a list shows of each object: its values when it was last reported.
    private var shown: [ManagedObject: String] = [:]
    private let values: (ManagedObject) -> String

    /// - Parameter values: what a list shows of an object.
    init(_ controller: FetchedResultsController, values: @escaping (ManagedObject) -> String = { _ in "" }) {
        self.values = values
        sections = Self.content(of: controller)
        for object in sections.flatMap(\.objects) { shown[object] = values(object) }
        controller.delegate = self
    }

    static func content(of controller: FetchedResultsController) -> [(name: String, objects: [ManagedObject])] {
        (controller.sections ?? []).map { ($0.name, $0.objects) }
    }

    func take() -> [String] {
        defer { log = [] }
        return log
    }

    func controllerWillChangeContent(_ controller: FetchedResultsController) {
        if isChanging { mistakes.append("will change within a change") }
        isChanging = true
        let content = Self.content(of: controller)
        if !isEqual(content) { mistakes.append("the old content is not there at will change") }
        onWillChange?()
    }

    func controller(
        _ controller: FetchedResultsController, didChange sectionInfo: FetchedResultsSectionInfo, atSectionIndex sectionIndex: Int,
        for type: FetchedResultsChangeType
    ) {
        log.append("\(type) section \(sectionInfo.name) \(sectionIndex)")
        switch type {
        case .insert: insertedSections.append((sectionIndex, sectionInfo.name))
        case .delete: deletedSections.append(sectionIndex)
        case .move, .update: mistakes.append("a section cannot \(type)")
        }
    }

    func controller(
        _ controller: FetchedResultsController, didChange object: ManagedObject, at indexPath: PinviewIndexPath?,
        for type: FetchedResultsChangeType, newIndexPath: PinviewIndexPath?
    ) {
        let places = [indexPath, newIndexPath].map { $0.map(\.description) ?? "-" }.joined(separator: " ")
        log.append("\(type) \(type == .delete ? "" : name(object)) \(places)")
        if let newIndexPath, controller.indexPath(forObject: object) != newIndexPath { mistakes.append("\(newIndexPath) is not its place") }
        shown[object] = type == .delete ? nil : values(object)
        switch (type, indexPath, newIndexPath) {
        case (.insert, nil, let to?): additions.append((object, to))
        case (.delete, let from?, nil): removals.append((object, from))
        case (.move, let from?, let to?):
            removals.append((object, from))
            additions.append((object, to))
        case (.update, let from?, _?): updates.append((object, from))
        default: mistakes.append("\(type) with the places \(places)")
        }
    }

    func controllerDidChangeContent(_ controller: FetchedResultsController) {
        if !isChanging { mistakes.append("did change without will change") }
        isChanging = false
        for (object, from) in updates where at(from) !== object { mistakes.append("updated at \(from), where another object is") }
        for (object, from) in removals.sorted(by: { $0.1 > $1.1 }) {
            guard at(from) === object else {
                mistakes.append("taken from \(from), where another object is")
                continue
            }
            sections[from.section].objects.remove(at: from.item)
        }
        if deletedSections != deletedSections.sorted(by: >) { mistakes.append("deleted sections are out of order") }
        for index in deletedSections {
            if !sections[index].objects.isEmpty { mistakes.append("section \(index) is deleted and has objects") }
            sections.remove(at: index)
        }
        for (index, name) in insertedSections { sections.insert((name, []), at: index) }
        for (object, to) in additions.sorted(by: { $0.1 < $1.1 }) {
            guard to.section < sections.count, to.item <= sections[to.section].objects.count else {
                mistakes.append("put to \(to), which does not exist")
                continue
            }
            sections[to.section].objects.insert(object, at: to.item)
        }
        (deletedSections, insertedSections, removals, additions, updates) = ([], [], [], [], [])
        if !isEqual(Self.content(of: controller)) { mistakes.append("the changes do not lead to the new content") }
    }

    func controller(_ controller: FetchedResultsController, didFailWith error: PinviewError) { failures.append(error) }

    private func at(_ place: PinviewIndexPath) -> ManagedObject? {
        guard place.section < sections.count, place.item < sections[place.section].objects.count else { return nil }
        return sections[place.section].objects[place.item]
    }

    /// An object that has other values than those that were shown when it was last reported.
    var outdated: String? {
        for object in sections.flatMap(\.objects) {
            if let shown = shown[object], shown != values(object) { return "\(shown) is \(values(object)) by now" }
        }
        return nil
    }

    func isEqual(_ content: [(name: String, objects: [ManagedObject])]) -> Bool {
        content.map(\.name) == sections.map(\.name) && content.map(\.objects) == sections.map(\.objects)
    }
}
